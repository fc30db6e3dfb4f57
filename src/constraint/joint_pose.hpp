// Where a joint stands: its anchors, axes and free coordinates in the present pose.
#pragma once

#include "constraint/row.hpp"

#include <achilles/world.hpp>

#include <array>

namespace achilles {

struct JointPose {
  Vec3 anchor_a = Vec3::Zero(), anchor_b = Vec3::Zero();  // [m] world
  std::array<Vec3, 2> axis_a, axis_b;                     // world: carried by body a, carried by body b
  Vec3 twist = Vec3::Zero();  // [rad] rotation of b away from where it is fixed in a, world axes; exact when small
  std::array<double, 2> position{};  // [rad] or [m] along the free axes; whole turns as in `before`
};

[[nodiscard]] JointPose place_joint(const WorldJoint& joint, const BodyArrays& bodies,
                                    const std::array<double, 2>& before);

/// One equality of a joint: a row without its target, and how far the joint is from fulfilling it.
struct JointEquality {
  Row row;
  double error = 0;   // [m] or [rad]
  bool soft = false;  // takes the joint's compliance
};

/// The equalities of a joint, at most six, [Erleben04, sec. 4.9]. Returns how many.
std::size_t list_equalities(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose,
                            std::array<JointEquality, JointState::kStructural>& equalities);

/// Row of the velocity along a free axis: J u is the rate of JointPose::position[axis].
[[nodiscard]] Row make_axis_row(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose,
                                std::size_t axis);

/// Distance of the anchors from where the joint wants them [m].
[[nodiscard]] double measure_joint_error(const WorldJoint& joint, const JointPose& pose);

/// How far a joint is beyond the limits of its free axes: as an angle [rad], along a slider as a length by the arm.
[[nodiscard]] double measure_overshoot(const WorldJoint& joint, const JointPose& pose, double arm);

/// The length that errors of a joint are compared with, wherever they are judged [m]: the distance from the joint to
/// the centre of mass of its bodies that move, at least their radius of gyration; the larger of the two bodies. 0 where
/// neither moves.
[[nodiscard]] double measure_joint_arm(const WorldJoint& joint, const BodyArrays& bodies);

/// Share of its arm by which a rigid joint may be off, and angle [rad] by which its limits may give way.
inline constexpr double kJointShare = 0.01;

/// Whether a positional error of the joint is a defect. A suspension gives way along its first axis alone; other
/// compliant joints along all.
[[nodiscard]] inline bool is_rigid(const WorldJoint& joint) {
  return joint.compliance <= 0 || joint.kind == JointKind::kHinge2;
}

}  // namespace achilles
