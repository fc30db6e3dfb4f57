#include "scene/dump_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace achilles {
namespace {

class Dump {
 public:
  std::string text;

  void add(const char* key, double value) { line(key, fmt::format("{:a}", value)); }
  void add(const char* key, int value) { line(key, fmt::format("{}", value)); }
  void add(const char* key, bool value) { line(key, value ? "true" : "false"); }
  void add(const char* key, const std::string& value) { line(key, value); }
  template <typename Derived>
  void add(const char* key, const Eigen::MatrixBase<Derived>& value) {
    std::string all;
    for (Eigen::Index i = 0; i < value.size(); ++i) all += fmt::format("{:a} ", value.derived().coeff(i));
    line(key, all);
  }
  void add(const char* key, const Pose& pose) {
    add(key, pose.p);
    add(key, pose.q.coeffs());
  }
  template <typename First, typename Second>
  void add(const char* key, const std::pair<First, Second>& value) {
    add(key, value.first);
    if constexpr (std::is_same_v<Second, Quat>) {
      add(key, value.second.coeffs());
    } else {
      add(key, value.second);
    }
  }
  template <typename T>
  void add(const char* key, const std::optional<T>& value) {
    if (value)
      add(key, *value);
    else
      line(key, "none");
  }
  template <typename T>
  void add(const char* key, const std::vector<T>& values) {
    add(key, static_cast<int>(values.size()));
    for (const T& value : values) add(key, value);
  }
  void add(const char* key, const std::array<int, 3>& value) {
    line(key, fmt::format("{} {} {}", value[0], value[1], value[2]));
  }
  void add(const char* key, const ContactLaw& law) {
    line(key, "law");
    for (const double value :
         {law.friction, law.restitution, law.rolling_friction, law.torsional_friction, law.stiffness, law.damping}) {
      add("  value", value);
    }
    add("  anisotropy", law.anisotropy);
  }
  void add(const char* key, const Material& material) {
    add(key, material.name);
    add(key, material.law);
  }
  void add(const char* key, const MaterialPair& pair) {
    line(key, pair.first + " and " + pair.second);
    add(key, pair.law);
  }
  void add(const char* key, const Shape& shape) {
    line(key, fmt::format("kind {}", shape.kind.index()));
    std::visit([&](const auto& kind) { add_kind(kind); }, shape.kind);
  }
  void add(const char* key, const BodyDescription& body) {
    add(key, body.name);
    add("  kind", static_cast<int>(body.kind));
    add("  shape", body.shape);
    add("  mass", body.mass);
    add("  density", body.density);
    add("  inertia", body.inertia);
    add("  center", body.center);
    add("  pose", body.pose);
    add("  velocity", body.velocity);
    add("  spin", body.spin);
    add("  material", body.material);
    add("  locks", static_cast<int>(body.locks.bits));
    add("  rotation", static_cast<int>(body.rotation));
    add("  rotation axis", body.rotation_axis);
    add("  force", body.force);
    add("  torque", body.torque);
    add("  group", body.group);
    line("  filter", fmt::format("{} {}", body.collision.group, body.collision.mask));
    add("  color", body.color);
    add("  visuals", body.visuals);
  }
  void add(const char* key, const Color& color) {
    for (const double part : color) add(key, part);
  }
  void add(const char* key, const VisualDescription& visual) {
    add(key, visual.shape);
    add("  pose", visual.pose);
    add("  color", visual.color);
  }
  void add(const char* key, const DriveDescription& drive) {
    line(key, fmt::format("drive {}", static_cast<int>(drive.kind)));
    add("  target", drive.target);
    for (const double value : {drive.stiffness, drive.damping, drive.max_force, drive.max_rate}) add("  value", value);
  }
  void add(const char* key, const CouplingTerm& term) {
    line(key, fmt::format("{} {}", term.joint, term.axis));
    add("  coefficient", term.coefficient);
  }
  void add(const char* key, const CouplingDescription& coupling) {
    add(key, coupling.name);
    add("  terms", coupling.terms);
    add("  offset", coupling.offset);
  }
  void add(const char* key, const SensorDescription& sensor) {
    line(key, fmt::format("{} of kind {}: {} {} {}", sensor.name, static_cast<int>(sensor.kind), sensor.joint,
                          sensor.axis, sensor.body));
    add("  pose", sensor.pose);
    add("  direction", sensor.direction);
    add("  range", sensor.range);
  }
  void add(const char* key, const JointAxis& axis) {
    add(key, axis.axis);
    add("  limits", axis.limits);
    add("  motor speed", axis.motor_speed);
    add("  motor position", axis.motor_position);
    for (const double value : {axis.motor_max, axis.friction, axis.stiffness, axis.damping, axis.rest}) {
      add("  value", value);
    }
    add("  drive", axis.drive);
    add("  armature", axis.armature);
  }
  void add(const char* key, const JointDescription& joint) {
    line(key, fmt::format("{} of kind {} between {} and {}", joint.name, static_cast<int>(joint.kind), joint.first,
                          joint.second));
    add("  at", joint.at);
    add("  at second", joint.at_second);
    add("  axes", joint.axes);
    add("  length", joint.length);
    add("  compliance", joint.compliance);
    add("  damping", joint.damping);
    add("  collide", joint.collide);
  }
  void add(const char* key, const ScriptDescription& script) {
    add(key, script.body);
    add("  space", script.space);
    add("  speed", script.speed);
    add("  turn", script.turn);
  }
  void add(const char* key, const TriggerDescription& trigger) {
    add(key, trigger.name);
    add("  shape", trigger.shape);
    add("  pose", trigger.pose);
  }
  void add(const char* key, const RuleDescription& rule) { line(key, rule.first + " and " + rule.second); }
  void add(const char* key, const OptionValue& value) {
    std::visit([&](const auto& known) { add(key, known); }, value);
  }

 private:
  void line(const char* key, const std::string& value) { text += fmt::format("{}: {}\n", key, value); }

  void add_kind(const Sphere& sphere) { add("  radius", sphere.radius); }
  void add_kind(const Box& box) { add("  size", box.size); }
  void add_kind(const Capsule& capsule) { add("  measures", Vec2(capsule.radius, capsule.length)); }
  void add_kind(const Cylinder& cylinder) { add("  measures", Vec2(cylinder.radius, cylinder.height)); }
  void add_kind(const Cone& cone) { add("  measures", Vec2(cone.radius, cone.height)); }
  void add_kind(const Plane& plane) {
    add("  normal", plane.normal);
    add("  offset", plane.offset);
  }
  void add_kind(const Hull& hull) {
    add("  points", hull.points);
    add("  file", hull.file);
  }
  void add_kind(const Mesh& mesh) {
    add("  vertices", mesh.vertices);
    add("  triangles", mesh.triangles);
    add("  file", mesh.file);
  }
  void add_kind(const Heightfield& field) {
    add("  heights", field.heights);
    add("  rows", field.rows);
    add("  columns", field.columns);
    add("  cell", field.cell);
    add("  file", field.file);
  }
  void add_kind(const DistanceMap& map) {
    add_kind(map.mesh);
    add("  cell", map.cell);
  }
  void add_kind(const NoShape& /*none*/) { line("  none", ""); }
  void add_kind(const Compound& compound) {
    for (const CompoundPart& part : compound.parts) {
      add("  part", part.shape);
      add("  pose", part.pose);
    }
  }
};

}  // namespace

std::string dump_scene(const Scene& scene) {
  Dump dump;
  dump.add("name", scene.name);
  dump.add("source", scene.source);
  dump.add("gravity", scene.gravity);
  dump.add("step", scene.step);
  dump.add("duration", scene.duration);
  dump.add("method", scene.method.name);
  dump.add("impact", scene.method.impact);
  dump.add("solver", scene.method.solver);
  for (const auto& [name, value] : scene.method.options) dump.add(name.c_str(), value);
  dump.add("materials", scene.materials);
  dump.add("pairs", scene.material_pairs);
  dump.add("bodies", scene.bodies);
  dump.add("joints", scene.joints);
  dump.add("couplings", scene.couplings);
  dump.add("sensors", scene.sensors);
  dump.add("scripts", scene.scripts);
  dump.add("triggers", scene.triggers);
  dump.add("rules", scene.rules);
  return dump.text;
}

std::string first_difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto begin = std::distance(a.begin(), at);
  const auto line_of = [&](const std::string& text) {
    const auto start = text.rfind('\n', static_cast<std::size_t>(begin)) + 1;
    return text.substr(start, text.find('\n', start) - start);
  };
  return fmt::format("line {}: '{}' and '{}'", std::count(a.begin(), at, '\n') + 1, line_of(a), line_of(b));
}

}  // namespace achilles
