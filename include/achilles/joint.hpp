// Joints of the World: what holds two bodies together, and what acts along the axes that stay free.
#pragma once

#include <achilles/scene.hpp>

#include <array>
#include <cstdint>
#include <limits>

namespace achilles {

/// A controlled motor, DriveDescription as a step reads it: its targets are a range of World::drive_points.
struct DriveControl {
  enum class Kind : std::uint32_t { kNone, kForce, kSpeed, kPosition };
  Kind kind = Kind::kNone;
  std::uint32_t first = 0, count = 0;
  std::uint32_t padding = 0;                                   // so that every byte of a saved joint is defined
  double stiffness = 0;                                        // [N m/rad] or [N/m]
  double damping = 0;                                          // [N m s/rad] or [N s/m]
  double max_force = std::numeric_limits<double>::infinity();  // [N m] or [N]
  double max_rate = std::numeric_limits<double>::infinity();   // [1/s] of the target's unit
};

/// A point of a drive's target, linear between its points and constant before the first and after the last.
struct DrivePoint {
  double time = 0;   // [s]
  double value = 0;  // [N m], [N], [rad/s], [m/s], [rad] or [m]
};

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
  double armature = 0;      // [kg m²] or [kg] of a rotor that turns with the axis
  DriveControl control;     // in place of a motor
  Motor motor = Motor::kNone;
  std::uint32_t padding = 0;  // so that every byte of a saved joint is defined
};

/// What a motor is to do along one free axis; see World::set_motor.
struct MotorTarget {
  JointDrive::Motor kind = JointDrive::Motor::kSpeed;
  double value = 0;  // [rad/s], [m/s], [rad] or [m]
  double max = 0;    // [N m] or [N] at most
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
  double angle = 0;                     // [rad] kept between the two axes of a hinge2 or universal joint
  double compliance = 0;                // [m/N] of the joint itself; of a hinge2, along its first axis, as a suspension
  double damping = 0;                   // [N s/m] beside the compliance
  std::array<double, 2> half_angles{};  // [rad] of the reach cone of a ball joint with two free axes: swing and twist
  std::array<JointDrive, 2> drives;
};

/// What a step remembers of a joint.
struct JointState {
  /// Structural rows first, then seven per axis: lower limit, upper limit, motor, friction, spring, drive, armature.
  static constexpr std::size_t kStructural = 6, kPerAxis = 7, kSlots = kStructural + 2 * kPerAxis;
  std::array<double, 2> position{};       // [rad] or [m] along the free axes; whole turns are counted
  std::array<double, 2> followed{};       // where drives with a limited rate have come to on the way to their targets
  std::array<double, kSlots> impulses{};  // [N s] or [N m s] of the last step
};

/// What a joint did to its second body in the last step; the first felt the opposite.
struct JointLoad {
  Vec3 force = Vec3::Zero();      // [N]
  Vec3 torque = Vec3::Zero();     // [N m] about the joint's anchor
  std::array<double, 2> drive{};  // [N m] or [N] of motors and drives along the free axes
};

/// One term of a coupling: coefficient times position along a free axis of a joint.
struct WorldCouplingTerm {
  std::uint32_t joint = 0;
  std::uint32_t axis = 0;
  double coefficient = 1;
};

/// Keeps Σ coefficient · position = offset; the terms are a range of World::coupling_terms.
struct WorldCoupling {
  std::uint32_t first = 0, count = 0;
  double offset = 0;
};

}  // namespace achilles
