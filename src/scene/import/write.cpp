#include "scene/import/write.hpp"

#include "scene/import/shapes.hpp"
#include "scene/import/values.hpp"
#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace achilles::scene_file {
namespace {

Node make_plain(std::string text, const Place& place) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.place = place;
  node.text = std::move(text);
  return node;
}

Node make_pair(double a, double b, const Place& place) {
  Node node = make_sequence(place);
  node.items = {make_number(a, place), make_number(b, place)};
  return node;
}

Node make_names(const std::string& a, const std::string& b, const Place& place) {
  Node node = make_sequence(place);
  node.items = {make_text(a, place), make_text(b, place)};
  return node;
}

Node make_color(const Color& color, const Place& place) {
  Node node = make_sequence(place);
  for (const double part : color) node.items.push_back(make_number(std::clamp(part, 0.0, 1.0), place));
  return node;
}

/// Adds a number where it is not the standard one.
void put_unless(Node& node, std::string_view key, double value, double standard, const Place& place) {
  if (value != standard) put(node, key, make_number(value, place));
}

Node write_law(ImportContext& context, const ContactLaw& law, const Place& place) {
  Node node = make_mapping(place);
  put(node, "friction", make_number(law.friction, place));
  put_unless(node, "restitution", law.restitution, 0, place);
  if (context.leaves_out("rolling")) return node;
  put_unless(node, "rolling_friction", law.rolling_friction, 0, place);
  put_unless(node, "torsional_friction", law.torsional_friction, 0, place);
  return node;
}

void put_materials(ImportContext& context, Node& root, const Model& model) {
  if (model.materials.empty()) return;
  Node materials = make_mapping(model.place);
  for (const Material& material : model.materials) {
    put(materials, material.name, write_law(context, material.law, model.place));
  }
  if (!model.pairs.empty()) {
    Node pairs = make_sequence(model.place);
    for (const MaterialPair& pair : model.pairs) {
      Node node = make_mapping(model.place);
      put(node, "between", make_names(pair.first, pair.second, model.place));
      for (Node& law : write_law(context, pair.law, model.place).items) node.items.push_back(std::move(law));
      pairs.items.push_back(std::move(node));
    }
    put(materials, "pairs", std::move(pairs));
  }
  put(root, "materials", std::move(materials));
}

bool is_identity(const Pose& pose) { return pose.p.isZero(0) && std::abs(pose.q.w()) == 1; }

Node write_collider(ImportContext& context, const ModelLink& link) {
  if (link.colliders.empty()) return make_text("none", link.place);
  if (link.colliders.size() == 1 && is_identity(link.colliders.front().pose)) {
    return write_shape(context, link.colliders.front(), true);
  }
  Node parts = make_sequence(link.place);
  for (const ModelShape& shape : link.colliders) {
    Node part = make_mapping(shape.place);
    put(part, "shape", write_shape(context, shape, true));
    put_pose(part, shape.pose, shape.place);
    parts.items.push_back(std::move(part));
  }
  Node node = make_mapping(link.place);
  put(node, "compound", std::move(parts));
  return node;
}

void put_looks(ImportContext& context, const ModelLink& link, Node& body) {
  if (link.visuals.empty()) {
    for (const ModelShape& shape : link.colliders) {
      if (!shape.color) continue;
      put(body, "color", make_color(*shape.color, shape.place));
      return;
    }
    return;
  }
  Node visuals = make_sequence(link.place);
  for (const ModelShape& shape : link.visuals) {
    Node visual = make_mapping(shape.place);
    put(visual, "shape", write_shape(context, shape, false));
    put_pose(visual, shape.pose, shape.place);
    if (shape.color) put(visual, "color", make_color(*shape.color, shape.place));
    visuals.items.push_back(std::move(visual));
  }
  put(body, "visual", std::move(visuals));
}

void put_mass(const ModelLink& link, Node& body) {
  const Place& place = link.mass_place.line > 0 ? link.mass_place : link.place;
  put(body, "mass", make_number(link.mass.mass, place));
  if (!link.colliders.empty() || !link.mass.center.isZero(0)) put(body, "center", make_vec3(link.mass.center, place));
  const Mat3& I = link.mass.inertia;
  if (Mat3(I.diagonal().asDiagonal()) == I) {
    put(body, "inertia", make_vec3(I.diagonal(), place));
    return;
  }
  Node rows = make_sequence(place);
  for (int row = 0; row < 3; ++row) rows.items.push_back(make_vec3(I.row(row).transpose(), place));
  put(body, "inertia", std::move(rows));
}

Node write_link(ImportContext& context, const Model& model, const ModelLink& link) {
  Node body = make_mapping(link.place);
  put(body, "name", make_text(link.name, link.place));
  if (link.fixed) put(body, "kind", make_text("fixed", link.place));
  Pose pose = link.pose;
  if (link.parent >= 0) {
    const ModelLink& parent = model.links[static_cast<std::size_t>(link.parent)];
    put(body, "parent", make_text(parent.name, link.place));
    pose = compose(inverse_of(parent.pose), link.pose);
  }
  put_pose(body, pose, link.place);
  put(body, "shape", write_collider(context, link));
  if (!link.fixed) put_mass(link, body);
  if (link.material != "default") put(body, "material", make_text(link.material, link.place));
  if (!(link.filter == CollisionFilter{})) {
    Node filter = make_mapping(link.place);
    put(filter, "group", make_number(link.filter.group, link.place));
    put(filter, "mask", make_number(link.filter.mask, link.place));
    put(body, "collision", std::move(filter));
  }
  put_looks(context, link, body);
  return body;
}

void put_drive(Node& axis, const DriveDescription& drive, const Place& place) {
  constexpr std::array<const char*, 3> kWords{"force", "speed", "position"};
  Node node = make_mapping(place);
  put(node, kWords[static_cast<std::size_t>(drive.kind)], make_number(drive.target.front().second, place));
  put_unless(node, "stiffness", drive.stiffness, 0, place);
  put_unless(node, "damping", drive.damping, 0, place);
  if (std::isfinite(drive.max_force)) put(node, "max_force", make_number(drive.max_force, place));
  if (std::isfinite(drive.max_rate)) put(node, "max_rate", make_number(drive.max_rate, place));
  put(axis, "drive", std::move(node));
}

void put_axis(ImportContext& context, Node& node, const JointAxis& axis, const Pose& frame, const Place& place) {
  put(node, "axis", make_vec3(frame.q.conjugate() * axis.axis, place));
  if (axis.limits && !context.leaves_out("limits")) {
    put(node, "limits", make_pair(axis.limits->first, axis.limits->second, place));
  }
  if (axis.drive && !context.leaves_out("drives")) put_drive(node, *axis.drive, place);
  if (!context.leaves_out("armature")) put_unless(node, "armature", axis.armature, 0, place);
  if (!context.leaves_out("friction")) put_unless(node, "friction", axis.friction, 0, place);
  if ((axis.stiffness == 0 && axis.damping == 0) || context.leaves_out("springs")) return;
  Node spring = make_mapping(place);
  put(spring, "stiffness", make_number(axis.stiffness, place));
  put_unless(spring, "damping", axis.damping, 0, place);
  put_unless(spring, "rest", axis.rest, 0, place);
  put(node, "spring", std::move(spring));
}

Node write_cone(const ReachCone& cone, const Pose& frame, const Place& place) {
  const auto inner = [&frame](const Vec3& direction) -> Vec3 { return frame.q.conjugate() * direction; };
  Node node = make_mapping(place);
  put(node, "axis", make_vec3(inner(cone.axis), place));
  if (cone.limb) put(node, "limb", make_vec3(inner(*cone.limb), place));
  if (cone.side) put(node, "side", make_vec3(inner(*cone.side), place));
  put(node, "swing", make_pair(cone.swing[0], cone.swing[1], place));
  if (cone.twist) put(node, "twist", make_pair(cone.twist->first, cone.twist->second, place));
  return node;
}

/// Anchors and axes are written in the frame of the second body, or of the first where that is the world.
Node write_joint(ImportContext& context, const Model& model, const ModelJoint& joint) {
  constexpr std::array<const char*, 8> kKinds{"ball",      "hinge", "slider", "hinge2",
                                              "universal", "fixed", "planar", "distance"};
  const JointDescription& described = joint.description;
  const Place& place = joint.place;
  Node node = make_mapping(place);
  put(node, "name", make_text(described.name, place));
  put(node, "kind", make_text(kKinds[static_cast<std::size_t>(described.kind)], place));
  put(node, "between", make_names(described.first, described.second, place));
  const int owner = joint.second >= 0 ? joint.second : joint.first;
  const Pose frame = owner >= 0 ? model.links[static_cast<std::size_t>(owner)].pose : Pose{};
  if (owner >= 0) put(node, "frame", make_text(model.links[static_cast<std::size_t>(owner)].name, place));
  const auto inner = [&frame](const Vec3& point) -> Vec3 { return frame.q.conjugate() * (point - frame.p); };
  put(node, "at", make_vec3(inner(described.at), place));
  if (described.at_second) put(node, "at_second", make_vec3(inner(*described.at_second), place));
  if (described.length) put(node, "length", make_number(*described.length, place));
  if (described.axes.size() == 1) put_axis(context, node, described.axes.front(), frame, place);
  if (described.axes.size() == 2) {
    Node axes = make_sequence(place);
    for (const JointAxis& axis : described.axes) {
      axes.items.push_back(make_mapping(place));
      put_axis(context, axes.items.back(), axis, frame, place);
    }
    put(node, "axes", std::move(axes));
  }
  if (described.cone && !context.leaves_out("limits")) put(node, "cone", write_cone(*described.cone, frame, place));
  if (described.collide) put(node, "collide", make_plain("true", place));
  return node;
}

Node write_coupling(const Placed<CouplingDescription>& coupling) {
  const Place& place = coupling.place;
  Node node = make_mapping(place);
  put(node, "name", make_text(coupling.description.name, place));
  Node terms = make_sequence(place);
  for (const CouplingTerm& term : coupling.description.terms) {
    Node item = make_mapping(place);
    put(item, "joint", make_text(term.joint, place));
    put_unless(item, "axis", static_cast<double>(term.axis), 0, place);
    put(item, "coefficient", make_number(term.coefficient, place));
    terms.items.push_back(std::move(item));
  }
  put(node, "terms", std::move(terms));
  put_unless(node, "offset", coupling.description.offset, 0, place);
  return node;
}

Node write_sensor(const Placed<SensorDescription>& sensor) {
  constexpr std::array<const char*, 8> kKinds{"joint_position", "joint_velocity", "joint_torque", "imu",
                                              "contact_force",  "touch",          "frame",        "distance_ray"};
  const SensorDescription& described = sensor.description;
  const Place& place = sensor.place;
  Node node = make_mapping(place);
  put(node, "name", make_text(described.name, place));
  put(node, "kind", make_text(kKinds[static_cast<std::size_t>(described.kind)], place));
  if (!described.joint.empty()) {
    put(node, "joint", make_text(described.joint, place));
    put_unless(node, "axis", static_cast<double>(described.axis), 0, place);
    return node;
  }
  put(node, "body", make_text(described.body, place));
  put_pose(node, described.pose, place);
  if (described.kind == SensorKind::kDistanceRay) {
    put(node, "direction", make_vec3(described.direction, place));
    put(node, "range", make_number(described.range, place));
  }
  return node;
}

template <typename List, typename Write>
void put_list(Node& root, std::string_view key, const List& list, const Place& place, const Write& write) {
  if (list.empty()) return;
  Node node = make_sequence(place);
  for (const auto& item : list) node.items.push_back(write(item));
  put(root, key, std::move(node));
}

void put_head(Node& root, const Model& model) {
  const Place& place = model.place;
  put(root, "achilles", make_number(1, place));
  if (!model.name.empty()) put(root, "name", make_text(model.name, place));
  if (model.gravity) put(root, "gravity", make_vec3(*model.gravity, place));
  Node time = make_mapping(place);
  put(time, "step", make_number(model.step, place));
  put(root, "time", std::move(time));
}

}  // namespace

Node make_mapping(const Place& place) {
  Node node;
  node.kind = Node::Kind::kMapping;
  node.place = place;
  return node;
}

Node make_sequence(const Place& place) {
  Node node = make_mapping(place);
  node.kind = Node::Kind::kSequence;
  return node;
}

Node make_text(std::string_view text, const Place& place) {
  Node node = make_plain(std::string(text), place);
  node.quoted = !is_text(node);
  return node;
}

Node make_number(double value, const Place& place) { return make_plain(fmt::format("{}", value), place); }

Node make_vec3(const Vec3& v, const Place& place) {
  Node node = make_sequence(place);
  for (const double x : v) node.items.push_back(make_number(x == 0 ? 0.0 : x, place));
  return node;
}

void put(Node& mapping, std::string_view key, Node value) {
  value.key = key;
  value.key_place = value.place;
  mapping.items.push_back(std::move(value));
}

void put_pose(Node& mapping, const Pose& pose, const Place& place) {
  if (!pose.p.isZero(0)) put(mapping, "position", make_vec3(pose.p, place));
  if (std::abs(pose.q.w()) == 1) return;
  Node q = make_sequence(place);
  for (const double part : {pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z()}) {
    q.items.push_back(make_number(part == 0 ? 0.0 : part, place));
  }
  put(mapping, "orientation", std::move(q));
}

Node write_model(ImportContext& context, const Model& model) {
  Node root = make_mapping(model.place);
  put_head(root, model);
  put_materials(context, root, model);
  put_list(root, "bodies", model.links, model.place,
           [&](const ModelLink& link) { return write_link(context, model, link); });
  put_list(root, "joints", model.joints, model.place,
           [&](const ModelJoint& joint) { return write_joint(context, model, joint); });
  if (!context.leaves_out("couplings")) put_list(root, "couplings", model.couplings, model.place, write_coupling);
  if (!context.leaves_out("sensors")) put_list(root, "sensors", model.sensors, model.place, write_sensor);
  put_list(root, "rules", model.rules, model.place, [](const Placed<RuleDescription>& rule) {
    Node node = make_mapping(rule.place);
    put(node, "ignore", make_names(rule.description.first, rule.description.second, rule.place));
    return node;
  });
  return root;
}

}  // namespace achilles::scene_file
