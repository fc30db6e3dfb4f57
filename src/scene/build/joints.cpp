#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/wording.hpp"
#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

namespace achilles::scene_file {
namespace {

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
  return axis;
}

void read_axes(Build& build, const Node& node, const std::string& field, JointDescription& joint) {
  if (node.find("axis") != nullptr) joint.axes.push_back(read_axis(build, node, field));
  const Node& axes = children(node, "axes");
  for (std::size_t i = 0; i < axes.items.size(); ++i) {
    joint.axes.push_back(read_axis(build, axes.items[i], fmt::format("{}.axes[{}]", field, i)));
  }
  if (axes.items.size() != 2 || has_bad_part(axes)) return;
  constexpr double kParallel = 1e-6;  // below this sine the third direction of the joint is rounding noise
  if (joint.axes[0].axis.cross(joint.axes[1].axis).norm() < kParallel) {
    build.complaints.error(axes.place, field + ".axes", "the two axes are parallel; allowed: two different directions");
  }
}

bool read_bodies(Build& build, const Node& node, const std::string& field, JointDescription& joint) {
  const Node& between = children(node, "between");
  if (between.items.size() != 2) return false;
  bool known = true;
  for (const Node& name : between.items) known = check_body_name(build, name, field + ".between") && known;
  if (!known) return false;
  joint.first = between.items[0].text;
  joint.second = between.items[1].text;
  if (joint.first == joint.second) {
    build.complaints.error(between.place, field + ".between",
                           fmt::format("found '{}' twice; allowed: two different bodies", shorten(joint.first)));
    return false;
  }
  const auto is_dynamic = [&](const std::string& name) {
    return build.scene.bodies[build.body_index.at(name)].kind == BodyKind::kDynamic;
  };
  if (!is_dynamic(joint.first) && !is_dynamic(joint.second)) {
    build.complaints.warning(between.place, field, "holds nothing: neither body is dynamic");
  }
  return true;
}

JointDescription read_joint(Build& build, const Node& node, const std::string& field) {
  JointDescription joint;
  joint.name = read_text(node, "name").value_or("");
  const std::string kind = read_text(node, "kind").value_or("");
  for (const KindName& known : kKinds) {
    if (kind == known.word) joint.kind = known.kind;
  }
  read_bodies(build, node, field, joint);
  joint.at = read_vec3(node, "at").value_or(joint.at);
  joint.at_second = read_vec3(node, "at_second");
  read_axes(build, node, field, joint);
  joint.length = read_number(node, "length");
  joint.compliance = read_number(node, "compliance").value_or(0);
  if (const Node* collide = usable(node, "collide")) joint.collide = read_boolean(*collide).value_or(false);
  const bool is_nowhere =
      joint.kind == JointKind::kDistance && !joint.length && joint.at_second && *joint.at_second == joint.at;
  if (is_nowhere) {
    build.complaints.error(children(node, "at_second").place, field + ".at_second",
                           "both anchors are the same point; allowed: two points, or a length");
  }
  return joint;
}

}  // namespace

void build_joints(Build& build, const Node& root) {
  std::set<std::string> names;
  const Node& joints = children(root, "joints");
  for (std::size_t i = 0; i < joints.items.size(); ++i) {
    const Node& node = joints.items[i];
    if (node.bad) continue;
    const Node* name = usable(node, "name");
    const std::string field =
        name != nullptr ? fmt::format("joints.{}", shorten(name->text)) : fmt::format("joints[{}]", i);
    check_name(build, node, field);
    if (name != nullptr && !names.insert(name->text).second) {
      build.complaints.error(name->place, field + ".name",
                             fmt::format("a joint named '{}' exists already", shorten(name->text)));
    }
    build.scene.joints.push_back(read_joint(build, node, field));
  }
}

}  // namespace achilles::scene_file
