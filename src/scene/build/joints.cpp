#include "scene/build/build.hpp"
#include "scene/build/copies.hpp"
#include "scene/build/read.hpp"
#include "scene/wording.hpp"
#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <array>
#include <numbers>
#include <set>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr double kParallel = 1e-6;  // below this sine the third direction of a joint is rounding noise

using JointNames = std::set<std::string, std::less<>>;

struct KindName {
  const char* word;
  JointKind kind;
};
constexpr std::array<KindName, 8> kKinds{{{"ball", JointKind::kBall},
                                          {"hinge", JointKind::kHinge},
                                          {"slider", JointKind::kSlider},
                                          {"hinge2", JointKind::kHinge2},
                                          {"universal", JointKind::kUniversal},
                                          {"fixed", JointKind::kFixed},
                                          {"planar", JointKind::kPlanar},
                                          {"distance", JointKind::kDistance}}};

JointAxis read_axis(Build& build, const Node& node, const std::string& field) {
  JointAxis axis;
  if (const std::optional<Vec3> direction = read_vec3(node, "axis")) axis.axis = unit(*direction);
  if (const Node* limits = usable(node, "limits")) {
    const Vec2 ends = vec2_at(*limits);
    axis.limits = std::make_pair(ends[0], ends[1]);
    if (ends[0] > ends[1]) {
      build.complaints.error(limits->place, field + ".limits",
                             fmt::format("the lower end {} is above the upper end {}", ends[0], ends[1]));
    }
  }
  const Node& motor = children(node, "motor");
  axis.motor_speed = read_number(motor, "speed");
  axis.motor_position = read_number(motor, "position");
  for (const char* key : {"max_torque", "max_force"}) axis.motor_max = read_number(motor, key).value_or(axis.motor_max);
  axis.friction = read_number(node, "friction").value_or(0);
  const Node& spring = children(node, "spring");
  axis.stiffness = read_number(spring, "stiffness").value_or(0);
  axis.damping = read_number(spring, "damping").value_or(0);
  axis.rest = read_number(spring, "rest").value_or(0);
  axis.drive = build_drive(build, node, field);
  axis.armature = read_number(node, "armature").value_or(0);
  return axis;
}

std::optional<ReachCone> read_cone(Build& build, const Node& joint, const std::string& field) {
  const Node* node = usable(joint, "cone");
  if (node == nullptr) return std::nullopt;
  ReachCone cone;
  cone.axis = unit(read_vec3(*node, "axis").value_or(cone.axis));
  cone.limb = read_vec3(*node, "limb");
  cone.side = read_vec3(*node, "side");
  if (const Node* swing = usable(*node, "swing")) {
    const Vec2 angles = swing->items.empty() ? Vec2(Vec2::Constant(number_at(*swing))) : vec2_at(*swing);
    cone.swing = {angles[0], angles[1]};
    if (!(angles.minCoeff() > 0 && angles.maxCoeff() < std::numbers::pi)) {
      build.complaints.error(
          swing->place, field + ".cone.swing",
          fmt::format("found {} and {}; allowed: angles above 0 and below pi", angles[0], angles[1]));
    }
  }
  if (cone.side && unit(*cone.side).cross(cone.axis).norm() < kParallel) {
    build.complaints.error(node->place, field + ".cone.side", "is parallel to the axis; allowed: another direction");
  }
  if (const Node* twist = usable(*node, "twist")) {
    const Vec2 ends = vec2_at(*twist);
    cone.twist = std::make_pair(ends[0], ends[1]);
    if (ends[0] > ends[1]) {
      build.complaints.error(twist->place, field + ".cone.twist",
                             fmt::format("the lower end {} is above the upper end {}", ends[0], ends[1]));
    }
  }
  return cone;
}

/// Turns the directions of a joint.
void turn_directions(const Quat& turn, JointDescription& joint) {
  for (JointAxis& axis : joint.axes) axis.axis = turn * axis.axis;
  if (!joint.cone) return;
  joint.cone->axis = turn * joint.cone->axis;
  for (std::optional<Vec3>* direction : {&joint.cone->limb, &joint.cone->side}) {
    if (*direction) *direction = turn * **direction;
  }
}

void read_axes(Build& build, const Node& node, const std::string& field, JointDescription& joint) {
  if (node.find("axis") != nullptr) joint.axes.push_back(read_axis(build, node, field));
  const Node& axes = children(node, "axes");
  for (std::size_t i = 0; i < axes.items.size(); ++i) {
    joint.axes.push_back(read_axis(build, axes.items[i], fmt::format("{}.axes[{}]", field, i)));
  }
  if (axes.items.size() != 2 || has_bad_part(axes)) return;
  if (joint.axes[0].axis.cross(joint.axes[1].axis).norm() < kParallel) {
    build.complaints.error(axes.place, field + ".axes", "the two axes are parallel; allowed: two different directions");
  }
}

/// The body that `between` means for one copy of a joint: of a repeated one the copy with this index.
std::string find_end(const Build& build, const std::string& name, const std::string& index) {
  return name == kWorldBody || build.body_index.contains(name) ? name : name + index;
}

/// The index "[i,j,k]" or "[i]", moved on.
std::string move_index(const std::string& index, const Vec3& further) {
  std::string moved;
  std::size_t at = 0;
  for (int k = 0; at < index.size(); ++k) {
    const std::size_t end = index.find_first_of(",]", at + 1);
    const int i = std::stoi(index.substr(at + 1, end - at - 1)) + static_cast<int>(further[k]);
    moved += index[at] + std::to_string(i);
    at = end;
    if (index[at] == ']') break;
  }
  return moved + "]";
}

bool is_known_end(Build& build, const Node& name, const std::string& end, const std::string& field) {
  if (end == kWorldBody || build.body_index.contains(end)) return true;
  if (end == name.text || name.bad) return check_body_name(build, name, field);
  build.complaints.error(name.place, field,
                         fmt::format("there is no body '{}', which a copy of the joint holds", shorten(end)));
  return false;
}

/// Names the two bodies of a joint; whether they are there and can be held.
bool check_ends(Build& build, const Node& node, const std::string& field, const JointDescription& joint) {
  const Node& between = children(node, "between");
  bool known = is_known_end(build, between.items[0], joint.first, field + ".between");
  known = is_known_end(build, between.items[1], joint.second, field + ".between") && known;
  if (!known) return false;
  if (joint.first == joint.second) {
    build.complaints.error(between.place, field + ".between",
                           fmt::format("found '{}' twice; allowed: two different bodies", shorten(joint.first)));
    return false;
  }
  const auto is_dynamic = [&](const std::string& name) {
    return name != kWorldBody && build.scene.bodies[build.body_index.at(name)].kind == BodyKind::kDynamic;
  };
  if (!is_dynamic(joint.first) && !is_dynamic(joint.second)) {
    build.complaints.warning(between.place, field, "holds nothing: neither body is dynamic");
  }
  return true;
}

/// Turns anchors and axes that are written in a body's frame into world coordinates.
void place_in_frame(Build& build, const Node& node, const std::string& field, JointDescription& joint) {
  const Node* name = usable(node, "frame");
  if (name == nullptr) return;
  const Pose frame = pose_of_body(build, *name, field + ".frame");
  joint.at = frame.p + frame.q * joint.at;
  if (joint.at_second) joint.at_second = frame.p + frame.q * *joint.at_second;
  turn_directions(frame.q, joint);
}

JointDescription read_joint(Build& build, const Node& node, const std::string& field) {
  JointDescription joint;
  joint.name = read_text(node, "name").value_or("");
  const std::string kind = read_text(node, "kind").value_or("");
  for (const KindName& known : kKinds) {
    if (kind == known.word) joint.kind = known.kind;
  }
  joint.at = read_vec3(node, "at").value_or(joint.at);
  joint.at_second = read_vec3(node, "at_second");
  read_axes(build, node, field, joint);
  joint.length = read_number(node, "length");
  joint.cone = read_cone(build, node, field);
  joint.compliance = read_number(node, "compliance").value_or(0);
  joint.damping = read_number(node, "compliance_damping").value_or(0);
  if (joint.damping > 0 && joint.compliance == 0) {
    build.complaints.error(node.find("compliance_damping")->place, field + ".compliance_damping",
                           "a rigid joint has nothing to damp; allowed: together with a compliance above 0");
  }
  if (const Node* collide = usable(node, "collide")) joint.collide = read_boolean(*collide).value_or(false);
  const bool is_nowhere =
      joint.kind == JointKind::kDistance && !joint.length && joint.at_second && *joint.at_second == joint.at;
  if (is_nowhere) {
    build.complaints.error(children(node, "at_second").place, field + ".at_second",
                           "both anchors are the same point; allowed: two points, or a length");
  }
  place_in_frame(build, node, field, joint);
  return joint;
}

void add_joint(Build& build, const Node& node, const std::string& field, JointDescription joint, JointNames& names) {
  if (!check_ends(build, node, field, joint)) return;
  if (!names.insert(joint.name).second) {
    build.complaints.error(children(node, "between").place, field + ".name",
                           fmt::format("a joint named '{}' exists already", shorten(joint.name)));
    return;
  }
  build.scene.joints.push_back(std::move(joint));
}

void unfold(Build& build, const Node& node, const std::string& field, JointDescription joint, JointNames& names) {
  const Node& between = children(node, "between");
  if (between.items.size() != 2) return;
  const std::array<std::string, 2> ends{between.items[0].text, between.items[1].text};
  BodyDescription place;  // a joint is copied as a body without a shape would be
  place.shape = {NoShape{}};
  place.pose.p = joint.at;
  const std::optional<std::vector<Copy>> copies = read_copies(build, node, place, field);
  const Vec3 further = read_vec3(node, "second").value_or(Vec3::Zero());
  if (!copies) {
    if (node.find("second") != nullptr && node.find("repeat") == nullptr) {
      build.complaints.error(node.find("second")->key_place, field + ".second", "goes with repeat");
    }
    if (node.find("repeat") != nullptr) return;  // an impossible one, complained about
    joint.first = ends[0];
    joint.second = ends[1];
    return add_joint(build, node, field, std::move(joint), names);
  }
  const JointDescription first = joint;
  for (const Copy& copy : *copies) {
    const Quat turn = copy.turn.value_or(Quat::Identity());
    joint.name = first.name + copy.index;
    joint.at = first.at + copy.offset;
    if (first.at_second) joint.at_second = joint.at + turn * (*first.at_second - first.at);
    joint.axes = first.axes;
    joint.cone = first.cone;
    turn_directions(turn, joint);
    joint.first = find_end(build, ends[0], copy.index);
    joint.second = find_end(build, ends[1], move_index(copy.index, further));
    const bool is_beyond = !further.isZero(0) && !build.body_index.contains(joint.second) &&
                           build.body_index.contains(ends[1] + copy.index);
    if (!is_beyond) add_joint(build, node, field, joint, names);
  }
}

}  // namespace

void build_joints(Build& build, const Node& root) {
  JointNames names;
  const Node& joints = children(root, "joints");
  for (std::size_t i = 0; i < joints.items.size(); ++i) {
    const Node& node = joints.items[i];
    if (node.bad) continue;
    const Node* name = usable(node, "name");
    const std::string field =
        name != nullptr ? fmt::format("joints.{}", shorten(name->text)) : fmt::format("joints[{}]", i);
    check_name(build, node, field);
    JointDescription joint = read_joint(build, node, field);
    if (name == nullptr) joint.name = fmt::format("joints[{}]", i);  // its lack is an error already
    unfold(build, node, field, std::move(joint), names);
  }
}

}  // namespace achilles::scene_file
