#include "scene/build/build.hpp"
#include "scene/build/read.hpp"

#include <fmt/format.h>

#include <cmath>

namespace achilles::scene_file {
namespace {

Vec3 axis_of(char letter) { return Vec3::Unit(letter - 'x'); }

Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)); }

// R = R_first(a) R_second(b) R_third(c): each turn is about the axes as the turns before it left them.
Quat read_euler(const Node& euler) {
  for (const Node& order : euler.items) {
    if (order.bad || order.key.size() != 3) continue;
    const Vec3 angles = vec3_at(order);
    Quat q = Quat::Identity();
    for (int i = 0; i < 3; ++i) q = q * about(axis_of(order.key[static_cast<std::size_t>(i)]), angles[i]);
    return q.normalized();
  }
  return Quat::Identity();
}

void warn_of_length(Build& build, const Node& node, const std::string& field) {
  Eigen::Vector4d q(number_at(node.items[0]), number_at(node.items[1]), number_at(node.items[2]),
                    number_at(node.items[3]));
  constexpr double kTypedDigits = 1e-3;  // what people leave when they copy three or four digits
  if (std::abs(q.norm() - 1) > kTypedDigits) {
    build.complaints.warning(node.place, field + ".orientation",
                             fmt::format("the quaternion has length {:.4g} and was scaled to 1", q.norm()));
  }
}

}  // namespace

Pose build_pose(Build& build, const Node& node, const std::string& field) {
  Pose pose;
  pose.p = read_vec3(node, "position").value_or(pose.p);
  if (const Node* orientation = usable(node, "orientation")) {
    warn_of_length(build, *orientation, field);
    pose.q = unit_quaternion_at(*orientation);
  } else if (const Node* euler = usable(node, "euler")) {
    pose.q = read_euler(*euler);
  } else if (const Node* turn = usable(node, "axis_angle")) {
    const std::optional<Vec3> axis = read_vec3(*turn, "axis");
    if (axis) pose.q = about(unit(*axis), read_number(*turn, "angle").value_or(0)).normalized();
  }
  return pose;
}

}  // namespace achilles::scene_file
