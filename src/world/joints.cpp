// Joints of the World: from what a scene says to what a step needs.
#include <achilles/world.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

JointDrive make_drive(const JointAxis& axis) {
  JointDrive drive;
  if (axis.limits) {
    drive.lower = axis.limits->first;
    drive.upper = axis.limits->second;
  }
  if (axis.motor_speed) {
    drive.motor = JointDrive::Motor::kSpeed;
    drive.motor_target = *axis.motor_speed;
  } else if (axis.motor_position) {
    drive.motor = JointDrive::Motor::kPosition;
    drive.motor_target = *axis.motor_position;
  }
  drive.motor_max = axis.motor_max;
  drive.friction = axis.friction;
  drive.stiffness = axis.stiffness;
  drive.damping = axis.damping;
  drive.rest = axis.rest;
  return drive;
}

/// How many axes a description must name, and how many of them something can act along.
struct AxisNeed {
  std::size_t named = 0;
  std::uint32_t driven = 0;
};

AxisNeed axis_need(JointKind kind) {
  switch (kind) {
    case JointKind::kHinge:
    case JointKind::kSlider:
      return {1, 1};
    case JointKind::kHinge2:
    case JointKind::kUniversal:
      return {2, 2};
    case JointKind::kPlanar:
      return {1, 0};
    case JointKind::kBall:
    case JointKind::kFixed:
    case JointKind::kDistance:
      return {0, 0};
  }
  return {0, 0};
}

}  // namespace

std::uint32_t World::add_joint(const JointDescription& description) {
  const auto refuse = [&](const std::string& reason) {
    return std::invalid_argument("joint '" + description.name + "': " + reason);
  };
  WorldJoint joint;
  joint.kind = description.kind;
  joint.body_a = index_of(find(description.first));
  joint.body_b = index_of(find(description.second));
  if (joint.body_a == joint.body_b) throw refuse("it needs two different bodies");
  const AxisNeed need = axis_need(description.kind);
  if (description.axes.size() < need.named) throw refuse("it needs more axes");
  joint.axis_count = need.driven;
  joint.compliance = description.compliance;

  const Quat q_a = bodies.orientation[joint.body_a];
  const Quat q_b = bodies.orientation[joint.body_b];
  const Vec3 at_b = description.at_second.value_or(description.at);
  joint.anchor_A = q_a.conjugate() * (description.at - bodies.position[joint.body_a]);
  joint.anchor_B = q_b.conjugate() * (at_b - bodies.position[joint.body_b]);
  joint.rest_AB = q_a.conjugate() * q_b;
  for (std::size_t k = 0; k < need.named; ++k) {
    const Vec3 axis = description.axes[k].axis.normalized();
    if (!axis.allFinite()) throw refuse("an axis must have a direction");
    joint.axis_A[k] = q_a.conjugate() * axis;
    joint.axis_B[k] = q_b.conjugate() * axis;
    if (k < need.driven) joint.drives[k] = make_drive(description.axes[k]);
  }
  if (need.named == 2) {
    const double cosine = std::clamp(joint.axis_A[0].dot(joint.axis_A[1]), -1.0, 1.0);
    joint.angle = std::acos(cosine);
    if (joint.axis_A[0].cross(joint.axis_A[1]).norm() < 1e-6) throw refuse("its axes must not be parallel");
  }
  joint.length = description.length.value_or((at_b - description.at).norm());
  if (joint.kind == JointKind::kDistance && !(joint.length > 0)) throw refuse("its length must be positive");

  if (!description.collide) ignore_pair(joint.body_a, joint.body_b);
  wake(joint.body_a);
  wake(joint.body_b);
  sleep_log.reader = nullptr;
  joints.push_back(joint);
  joint_states.emplace_back();
  joint_names.push_back(description.name);
  return static_cast<std::uint32_t>(joints.size() - 1);
}

std::uint32_t World::find_joint(std::string_view name) const {
  const auto found = std::find(joint_names.begin(), joint_names.end(), name);
  if (found == joint_names.end()) throw std::out_of_range("no joint is named '" + std::string(name) + "'");
  return static_cast<std::uint32_t>(found - joint_names.begin());
}

}  // namespace achilles
