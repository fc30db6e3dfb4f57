// Joints of the World: what holds two bodies together, and what acts along the axes that stay free.
#pragma once

#include <achilles/scene.hpp>

#include <array>
#include <cstdint>
#include <limits>

namespace achilles {

/// What acts along one free axis of a joint; position 0 is where the scene started.
struct JointDrive {
  enum class Motor : std::uint32_t { kNone, kSpeed, kPosition };
  double lower = -std::numeric_limits<double>::infinity();  // [rad] or [m]
  double upper = std::numeric_limits<double>::infinity();
  double motor_target = 0;  // [rad/s], [m/s], [rad] or [m]
  double motor_max = 0;     // [N m] or [N]
  double friction = 0;      // [N m] or [N]
  double stiffness = 0;     // [N m/rad] or [N/m]
  double damping = 0;       // [N m s/rad] or [N s/m]
  double rest = 0;          // [rad] or [m] where the spring pulls to
  Motor motor = Motor::kNone;
  std::uint32_t padding = 0;  // so that every byte of a saved joint is defined
};

/// The model of a joint, [Erleben04, sec. 4.9]. Places are relative to the centres of mass, in body axes.
struct WorldJoint {
  std::uint32_t body_a = 0;  // dense indices
  std::uint32_t body_b = 0;
  JointKind kind = JointKind::kBall;
  std::array<std::uint8_t, 3> padding{};
  std::uint32_t axis_count = 0;  // free axes that something can act along: 0, 1 or 2
  Vec3 anchor_A = Vec3::Zero();  // [m]
  Vec3 anchor_B = Vec3::Zero();
  Quat rest_AB = Quat::Identity();                           // orientation of b in a at the start
  std::array<Vec3, 2> axis_A{Vec3::UnitZ(), Vec3::UnitX()};  // both axes as they stood at the start, in a ...
  std::array<Vec3, 2> axis_B{Vec3::UnitZ(), Vec3::UnitX()};  // ... and in b
  double length = 0;                                         // [m] kept by a distance joint
  double angle = 0;       // [rad] kept between the two axes of a hinge2 or universal joint
  double compliance = 0;  // [m/N] of the joint itself; of a hinge2, along its first axis, as a suspension
  std::array<JointDrive, 2> drives;
};

/// What a step remembers of a joint.
struct JointState {
  /// Structural rows first, then five per axis: lower limit, upper limit, motor, friction, spring.
  static constexpr std::size_t kStructural = 6, kPerAxis = 5, kSlots = kStructural + 2 * kPerAxis;
  std::array<double, 2> position{};       // [rad] or [m] along the free axes; whole turns are counted
  std::array<double, kSlots> impulses{};  // [N s] or [N m s] of the last step
};

/// What a joint did to its second body in the last step; the first felt the opposite.
struct JointLoad {
  Vec3 force = Vec3::Zero();   // [N]
  Vec3 torque = Vec3::Zero();  // [N m] about the joint's anchor
};

}  // namespace achilles
