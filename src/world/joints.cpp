// Joints of the World: from the description in a scene to what a step needs.
#include "math/tangents.hpp"
#include "world/drives.hpp"
#include "world/world_memory.hpp"

#include <achilles/world.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <tuple>

namespace achilles {
namespace {

constexpr double kParallel = 1e-6;  // below this sine a third direction is rounding noise

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
  drive.armature = axis.armature;
  return drive;
}

/// Why an axis is impossible, or nothing.
const char* find_fault(const JointAxis& axis) {
  const double length = axis.axis.norm();
  if (!(length > 0) || !std::isfinite(length)) return "an axis must have a direction";
  if (axis.limits && !(axis.limits->first <= axis.limits->second)) return "its lower limit must not be above its upper";
  if (axis.motor_speed && axis.motor_position) return "a motor has a speed or a position, not both";
  if (!std::isfinite(axis.motor_speed.value_or(0)) || !std::isfinite(axis.motor_position.value_or(0))) {
    return "the target of its motor must be finite";
  }
  // An infinite motor is strong enough for anything; springs and friction must be numbers.
  if (!(axis.motor_max >= 0)) return "the limit of its motor must not be negative";
  for (const double value : {axis.friction, axis.stiffness, axis.damping, axis.armature}) {
    if (!(value >= 0) || !std::isfinite(value)) {
      return "friction, stiffness, damping and armature must be finite, not negative";
    }
  }
  if (axis.drive) {
    if (axis.motor_speed || axis.motor_position) return "it has a motor or a drive, not both";
    if (const char* fault = find_drive_fault(*axis.drive)) return fault;
  }
  if (!std::isfinite(axis.rest)) return "the rest position of its spring must be finite";
  return nullptr;
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

/// Why a reach cone is impossible, or nothing.
const char* find_fault(const ReachCone& cone) {
  for (const Vec3& direction : {cone.axis, cone.limb.value_or(cone.axis), cone.side.value_or(Vec3::UnitX())}) {
    if (!(direction.norm() > 0) || !direction.allFinite()) return "the directions of its cone must not be zero";
  }
  if (cone.side && cone.side->normalized().cross(cone.axis.normalized()).norm() < kParallel) {
    return "the side of its cone must not be parallel to the axis";
  }
  for (const double angle : cone.swing) {
    if (!(angle > 0 && angle < std::numbers::pi)) return "the half-angles of its cone must lie between 0 and pi";
  }
  if (cone.twist && !(cone.twist->first <= cone.twist->second)) {
    return "the lower limit of its twist must not be above its upper";
  }
  return nullptr;
}

/// Swing and twist as the two free axes of a ball joint, with their limits.
void add_cone(const ReachCone& cone, const Quat& q_a, const Quat& q_b, WorldJoint& joint) {
  const Vec3 axis = cone.axis.normalized(), limb = cone.limb.value_or(cone.axis).normalized();
  Vec3 side = make_tangents(axis).first;
  if (cone.side) side = (*cone.side - axis.dot(*cone.side) * axis).normalized();
  joint.axis_count = 2;
  joint.half_angles = cone.swing;
  joint.axis_A = {q_a.conjugate() * axis, q_a.conjugate() * side};
  joint.axis_B = {q_b.conjugate() * limb, q_b.conjugate() * (Quat::FromTwoVectors(axis, limb) * side)};
  joint.drives[0].upper = std::max(cone.swing[0], cone.swing[1]);
  if (cone.twist) std::tie(joint.drives[1].lower, joint.drives[1].upper) = *cone.twist;
}

/// The ground comes to be with the first joint that names it.
std::uint32_t find_end(World& world, const std::string& name) {
  const bool is_known = std::find(world.names.begin(), world.names.end(), name) != world.names.end();
  if (is_known || name != kWorldBody) return world.index_of(world.find(name));
  BodyDescription ground;
  ground.name = name;
  ground.kind = BodyKind::kFixed;
  ground.shape = {NoShape{}};
  return world.index_of(world.add_body(ground));
}

}  // namespace

JointHandle World::add_joint(const JointDescription& description) {
  const auto refuse = [&](const std::string& reason) {
    return std::invalid_argument("joint '" + description.name + "': " + reason);
  };
  WorldJoint joint;
  joint.kind = description.kind;
  joint.body_a = find_end(*this, description.first);
  joint.body_b = find_end(*this, description.second);
  if (joint.body_a == joint.body_b) throw refuse("it needs two different bodies");
  const AxisNeed need = axis_need(description.kind);
  if (description.axes.size() < need.named) throw refuse("it needs more axes");
  if (!description.at.allFinite() || !description.at_second.value_or(Vec3::Zero()).allFinite()) {
    throw refuse("its anchors must be finite");
  }
  if (!(description.compliance >= 0) || !std::isfinite(description.compliance)) {
    throw refuse("its compliance must be finite, not negative");
  }
  if (!(description.damping >= 0) || !std::isfinite(description.damping)) {
    throw refuse("its damping must be finite, not negative");
  }
  joint.axis_count = need.driven;
  joint.compliance = description.compliance;
  joint.damping = description.damping;

  const Quat q_a = bodies.orientation[joint.body_a];
  const Quat q_b = bodies.orientation[joint.body_b];
  const Vec3 at_b = description.at_second.value_or(description.at);
  joint.anchor_A = q_a.conjugate() * (description.at - bodies.position[joint.body_a]);
  joint.anchor_B = q_b.conjugate() * (at_b - bodies.position[joint.body_b]);
  joint.rest_AB = q_a.conjugate() * q_b;
  for (std::size_t k = 0; k < need.named; ++k) {
    if (const char* fault = find_fault(description.axes[k])) throw refuse(fault);
    const Vec3 axis = description.axes[k].axis.normalized();
    joint.axis_A[k] = q_a.conjugate() * axis;
    joint.axis_B[k] = q_b.conjugate() * axis;
    if (k < need.driven) joint.drives[k] = make_drive(description.axes[k]);
  }
  if (description.cone) {
    if (joint.kind != JointKind::kBall) throw refuse("only a ball joint has a cone");
    if (const char* fault = find_fault(*description.cone)) throw refuse(fault);
    add_cone(*description.cone, q_a, q_b, joint);
  }
  if (need.named == 2) {
    const double cosine = std::clamp(joint.axis_A[0].dot(joint.axis_A[1]), -1.0, 1.0);
    joint.angle = std::acos(cosine);
    if (joint.axis_A[0].cross(joint.axis_A[1]).norm() < kParallel) throw refuse("its axes must not be parallel");
  }
  joint.length = description.length.value_or((at_b - description.at).norm());
  if (joint.kind == JointKind::kDistance && !(joint.length > 0 && std::isfinite(joint.length))) {
    throw refuse("its length must be positive");
  }

  if (!description.collide) ignore_pair(joint.body_a, joint.body_b);
  wake(joint.body_a);
  wake(joint.body_b);
  memory().sleep_log.reader = nullptr;
  joints.push_back(joint);
  joint_states.emplace_back();
  joint_names.push_back(description.name);
  joint_ids_.push_back(++last_joint_id_);
  joint_loads.emplace_back();
  const auto index = static_cast<std::uint32_t>(joints.size() - 1);
  for (std::size_t k = 0; k < need.driven; ++k) {
    if (description.axes[k].drive) set_drive(index, k, description.axes[k].drive);
  }
  return joint_handle(index);
}

bool World::is_alive(JointHandle handle) const {
  return std::binary_search(joint_ids_.begin(), joint_ids_.end(), handle.id);
}

std::uint32_t World::index_of(JointHandle handle) const {
  const auto found = std::lower_bound(joint_ids_.begin(), joint_ids_.end(), handle.id);
  if (found == joint_ids_.end() || *found != handle.id) {
    throw std::out_of_range("the handle names a joint that was removed");
  }
  return static_cast<std::uint32_t>(found - joint_ids_.begin());
}

JointHandle World::joint_handle(std::uint32_t index) const {
  if (index >= joint_ids_.size()) throw std::out_of_range("there is no joint " + std::to_string(index));
  return {joint_ids_[index]};
}

void World::remove_joint(JointHandle handle) { remove_joint(index_of(handle)); }

void World::remove_joint(std::uint32_t index) {
  if (index >= joints.size()) throw std::out_of_range("there is no joint " + std::to_string(index));
  wake(joints[index].body_a);
  wake(joints[index].body_b);
  memory().sleep_log.reader = nullptr;
  erase_joint(index);
}

void World::set_motor(JointHandle handle, std::size_t axis, const MotorTarget& target) {
  set_motor(index_of(handle), axis, target);
}

void World::set_motor(std::uint32_t index, std::size_t axis, const MotorTarget& target) {
  WorldJoint& joint = joints.at(index);
  const auto refuse = [&](const std::string& reason) {
    return std::invalid_argument("joint '" + joint_names[index] + "': " + reason);
  };
  if (axis >= joint.axis_count || joint.kind == JointKind::kBall) {
    throw refuse("it has no axis " + std::to_string(axis) + " that a motor can drive");
  }
  if (!std::isfinite(target.value)) throw refuse("the target of its motor must be finite");
  if (!(target.max >= 0)) throw refuse("the limit of its motor must not be negative");
  JointDrive& drive = joint.drives[axis];
  drive.control = {};
  drive.motor = target.kind;
  drive.motor_target = target.value;
  drive.motor_max = target.max;
  wake(joint.body_a);
  wake(joint.body_b);
}

JointHandle World::find_joint(std::string_view name) const {
  const auto found = std::find(joint_names.begin(), joint_names.end(), name);
  if (found == joint_names.end()) throw std::out_of_range("no joint is named '" + std::string(name) + "'");
  return joint_handle(static_cast<std::uint32_t>(found - joint_names.begin()));
}

}  // namespace achilles
