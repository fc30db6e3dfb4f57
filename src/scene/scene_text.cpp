#include "scene/scene_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

using Text = nlohmann::ordered_json;

Text list_of(const Vec3& v) { return Text::array({v.x(), v.y(), v.z()}); }
Text list_of(const Quat& q) { return Text::array({q.w(), q.x(), q.y(), q.z()}); }

/// Shapes as the format writes them; meshes become files.
class ShapeWriter {
 public:
  explicit ShapeWriter(Scene& scene) : scene_(scene) {}

  Text write(const Shape& shape) {
    return std::visit([this](const auto& kind) { return this->describe(kind); }, shape.kind);
  }

 private:
  static Text describe(const Sphere& s) { return {{"sphere", {{"radius", s.radius}}}}; }
  static Text describe(const Box& s) { return {{"box", {{"size", list_of(s.size)}}}}; }
  static Text describe(const Capsule& s) { return {{"capsule", {{"radius", s.radius}, {"length", s.length}}}}; }
  static Text describe(const Cylinder& s) { return {{"cylinder", {{"radius", s.radius}, {"height", s.height}}}}; }
  static Text describe(const Cone& s) { return {{"cone", {{"radius", s.radius}, {"height", s.height}}}}; }
  static Text describe(const Plane& s) { return {{"plane", {{"normal", list_of(s.normal)}, {"offset", s.offset}}}}; }
  static Text describe(const NoShape& /*none*/) { return "none"; }

  static Text describe(const Hull& s) {
    Text points = Text::array();
    for (const Vec3& point : s.points) points.push_back(list_of(point));
    return {{"hull", {{"points", std::move(points)}}}};
  }

  static Text describe(const Heightfield& s) {
    Text rows = Text::array();
    for (int r = 0; r < s.rows; ++r) {
      const auto first = s.heights.begin() + static_cast<std::ptrdiff_t>(r) * s.columns;
      rows.push_back(std::vector<double>(first, first + s.columns));
    }
    return {{"heightfield", {{"heights", std::move(rows)}, {"cell", {s.cell.x(), s.cell.y()}}}}};
  }

  Text describe(const Mesh& s) { return {{"mesh", {{"file", add_file(s)}}}}; }
  Text describe(const DistanceMap& s) { return {{"distance_map", {{"file", add_file(s.mesh)}, {"cell", s.cell}}}}; }

  Text describe(const Compound& s) {
    Text parts = Text::array();
    for (const CompoundPart& part : s.parts) {
      parts.push_back(
          {{"shape", write(part.shape)}, {"position", list_of(part.pose.p)}, {"orientation", list_of(part.pose.q)}});
    }
    return {{"compound", std::move(parts)}};
  }

  /// As .obj, with every bit of its vertices; equal meshes share a file.
  std::string add_file(const Mesh& mesh) {
    std::string bytes;
    for (const Vec3& v : mesh.vertices) bytes += fmt::format("v {} {} {}\n", v.x(), v.y(), v.z());
    for (const auto& [a, b, c] : mesh.triangles) bytes += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
    for (const SceneFile& file : scene_.files) {
      if (*file.bytes == bytes) return file.name;
    }
    scene_.files.push_back(
        {fmt::format("mesh{}.obj", scene_.files.size()), std::make_shared<const std::string>(std::move(bytes))});
    return scene_.files.back().name;
  }

  Scene& scene_;
};

Text write_law(const ContactLaw& law) {
  Text text = {{"friction", law.friction},
               {"restitution", law.restitution},
               {"rolling_friction", law.rolling_friction},
               {"torsional_friction", law.torsional_friction},
               {"stiffness", law.stiffness},
               {"damping", law.damping}};
  if (law.anisotropy) text["anisotropy"] = {law.anisotropy->x(), law.anisotropy->y()};
  return text;
}

Text write_materials(const Scene& scene) {
  Text text = Text::object();
  for (const Material& material : scene.materials) text[material.name] = write_law(material.law);
  for (const MaterialPair& pair : scene.material_pairs) {
    Text law = write_law(pair.law);
    law["between"] = {pair.first, pair.second};
    text["pairs"].push_back(std::move(law));
  }
  return text;
}

Text write_method(const MethodDescription& method) {
  Text text = {{"name", method.name}};
  if (!method.impact.empty()) text["impact"] = method.impact;
  if (!method.solver.empty()) text["solver"] = method.solver;
  for (const auto& [name, value] : method.options) {
    std::visit([&text, &key = name](const auto& plain) { text[key] = plain; }, value);
  }
  return text;
}

void write_mass(const BodyDescription& body, Text& text) {
  if (body.mass) text["mass"] = *body.mass;
  if (body.density) text["density"] = *body.density;
  if (body.center) text["center"] = list_of(*body.center);
  if (!body.inertia) return;
  for (int row = 0; row < 3; ++row) {
    text["inertia"].push_back(list_of(Vec3(body.inertia->row(row).transpose())));
  }
}

void write_looks(const BodyDescription& body, ShapeWriter& shapes, Text& text) {
  if (body.color) text["color"] = *body.color;
  for (const VisualDescription& visual : body.visuals) {
    Text one = {{"shape", shapes.write(visual.shape)},
                {"position", list_of(visual.pose.p)},
                {"orientation", list_of(visual.pose.q)}};
    if (visual.color) one["color"] = *visual.color;
    text["visual"].push_back(std::move(one));
  }
}

Text write_body(const BodyDescription& body, ShapeWriter& shapes) {
  constexpr std::array<const char*, 3> kKinds{"dynamic", "fixed", "scripted"};
  constexpr std::array<const char*, 6> kLocks{"x", "y", "z", "rx", "ry", "rz"};
  Text text = {{"name", body.name},
               {"kind", kKinds[static_cast<std::size_t>(body.kind)]},
               {"shape", shapes.write(body.shape)},
               {"position", list_of(body.pose.p)},
               {"orientation", list_of(body.pose.q)},
               {"material", body.material},
               {"collision", {{"group", body.collision.group}, {"mask", body.collision.mask}}}};
  write_mass(body, text);
  if (!body.group.empty()) text["group"] = body.group;
  for (std::size_t k = 0; k < kLocks.size(); ++k) {
    if ((body.locks.bits >> k & 1U) != 0) text["lock"].push_back(kLocks[k]);
  }
  if (body.rotation == RotationUpdate::kInfinitesimal) text["rotation"] = "infinitesimal";
  if (body.rotation == RotationUpdate::kPartial) text["rotation"] = {{"partial", list_of(body.rotation_axis)}};
  const auto put = [&text](const char* name, const Vec3& value) {
    if (!value.isZero(0)) text[name] = list_of(value);
  };
  put("velocity", body.velocity);
  put("spin", body.spin);
  put("force", body.force);
  put("torque", body.torque);
  write_looks(body, shapes, text);
  return text;
}

Text write_drive(const DriveDescription& drive) {
  constexpr std::array<const char*, 3> kKinds{"force", "speed", "position"};
  Text target = Text::array();
  for (const auto& [time, value] : drive.target) target.push_back({time, value});
  Text text = {{kKinds[static_cast<std::size_t>(drive.kind)], std::move(target)}};
  if (drive.kind == DriveDescription::Kind::kPosition) text["stiffness"] = drive.stiffness;
  if (drive.kind != DriveDescription::Kind::kForce) text["damping"] = drive.damping;
  if (std::isfinite(drive.max_force)) text["max_force"] = drive.max_force;
  if (std::isfinite(drive.max_rate)) text["max_rate"] = drive.max_rate;
  return text;
}

void write_axis(const JointAxis& axis, bool slides, Text& text) {
  text["axis"] = list_of(axis.axis);
  if (axis.limits) text["limits"] = {axis.limits->first, axis.limits->second};
  if (axis.motor_speed || axis.motor_position) {
    Text& motor = text["motor"];
    motor[axis.motor_speed ? "speed" : "position"] = axis.motor_speed ? *axis.motor_speed : *axis.motor_position;
    motor[slides ? "max_force" : "max_torque"] = axis.motor_max;
  }
  if (axis.friction > 0) text["friction"] = axis.friction;
  if (axis.stiffness > 0 || axis.damping > 0) {
    text["spring"] = {{"stiffness", axis.stiffness}, {"damping", axis.damping}, {"rest", axis.rest}};
  }
  if (axis.drive) text["drive"] = write_drive(*axis.drive);
  if (axis.armature > 0) text["armature"] = axis.armature;
}

Text write_joint(const JointDescription& joint) {
  constexpr std::array<const char*, 8> kKinds{"ball",      "hinge", "slider", "hinge2",
                                              "universal", "fixed", "planar", "distance"};
  Text text = {{"name", joint.name},
               {"kind", kKinds[static_cast<std::size_t>(joint.kind)]},
               {"between", {joint.first, joint.second}},
               {"at", list_of(joint.at)},
               {"collide", joint.collide}};
  if (joint.at_second) text["at_second"] = list_of(*joint.at_second);
  if (joint.length) text["length"] = *joint.length;
  if (joint.compliance > 0) text["compliance"] = joint.compliance;
  if (joint.damping > 0) text["compliance_damping"] = joint.damping;
  if (joint.kind == JointKind::kHinge2 || joint.kind == JointKind::kUniversal) {
    for (const JointAxis& axis : joint.axes) {
      Text one = Text::object();
      write_axis(axis, false, one);
      text["axes"].push_back(std::move(one));
    }
  } else if (!joint.axes.empty()) {
    write_axis(joint.axes.front(), joint.kind == JointKind::kSlider, text);
  }
  return text;
}

Text write_coupling(const CouplingDescription& coupling) {
  Text text = {{"name", coupling.name}, {"offset", coupling.offset}};
  for (const CouplingTerm& term : coupling.terms) {
    text["terms"].push_back({{"joint", term.joint}, {"axis", term.axis}, {"coefficient", term.coefficient}});
  }
  return text;
}

Text write_sensor(const SensorDescription& sensor) {
  constexpr std::array<const char*, 8> kKinds{"joint_position", "joint_velocity", "joint_torque", "imu",
                                              "contact_force",  "touch",          "frame",        "distance_ray"};
  Text text = {{"name", sensor.name}, {"kind", kKinds[static_cast<std::size_t>(sensor.kind)]}};
  if (sensor.kind <= SensorKind::kJointTorque) {
    text["joint"] = sensor.joint;
    text["axis"] = sensor.axis;
    return text;
  }
  text["body"] = sensor.body;
  if (sensor.kind == SensorKind::kContactForce || sensor.kind == SensorKind::kTouch) return text;
  text["position"] = list_of(sensor.pose.p);
  text["orientation"] = list_of(sensor.pose.q);
  if (sensor.kind == SensorKind::kDistanceRay) {
    text["direction"] = list_of(sensor.direction);
    text["range"] = sensor.range;
  }
  return text;
}

Text write_script(const ScriptDescription& script) {
  Text text = {{"body", script.body}};
  if (!script.space.empty()) {
    for (const Vec3& point : script.space) text["path"]["space"].push_back(list_of(point));
    for (const auto& [time, length] : script.speed) text["path"]["speed"].push_back({time, length});
  }
  for (const auto& [time, turn] : script.turn) text["turn"].push_back({time, list_of(turn)});
  return text;
}

}  // namespace

std::string write_scene_text(Scene& scene) {
  ShapeWriter shapes(scene);
  Text text = {{"achilles", 1}};
  if (!scene.name.empty()) text["name"] = scene.name;
  if (!scene.source.empty()) text["source"] = scene.source;
  text["gravity"] = list_of(scene.gravity);
  text["time"] = {{"step", scene.step}, {"duration", scene.duration}};
  text["method"] = write_method(scene.method);
  if (!scene.materials.empty() || !scene.material_pairs.empty()) text["materials"] = write_materials(scene);
  text["bodies"] = Text::array();
  for (const BodyDescription& body : scene.bodies) text["bodies"].push_back(write_body(body, shapes));
  for (const JointDescription& joint : scene.joints) text["joints"].push_back(write_joint(joint));
  for (const CouplingDescription& coupling : scene.couplings) text["couplings"].push_back(write_coupling(coupling));
  for (const SensorDescription& sensor : scene.sensors) text["sensors"].push_back(write_sensor(sensor));
  for (const ScriptDescription& script : scene.scripts) text["scripts"].push_back(write_script(script));
  for (const TriggerDescription& trigger : scene.triggers) {
    text["triggers"].push_back({{"name", trigger.name},
                                {"shape", shapes.write(trigger.shape)},
                                {"position", list_of(trigger.pose.p)},
                                {"orientation", list_of(trigger.pose.q)}});
  }
  for (const RuleDescription& rule : scene.rules) text["rules"].push_back({{"ignore", {rule.first, rule.second}}});
  if (scene.events) {
    text["events"] = {{"touching", scene.events->options.touching},
                      {"proximity", scene.events->options.proximity},
                      {"persistent", scene.events->options.persistent},
                      {"timers", scene.events->timers}};
  }
  return text.dump(1);
}

}  // namespace achilles
