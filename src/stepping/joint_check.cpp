#include "stepping/joint_check.hpp"

#include "constraint/joint_pose.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace achilles {
namespace {

constexpr double kLeastProgress = 1e-3;  // of the error, in a step

double find_arm(const World& world, const WorldJoint& joint) {
  const auto arm_of = [&](std::uint32_t body, const Vec3& anchor_B) {
    if (!world.bodies.is_movable(body)) return 0.0;
    const double gyration = std::sqrt(0.5 * world.bodies.inertia_B[body].trace() / world.bodies.mass[body]);
    return std::max(anchor_B.norm(), gyration);
  };
  return std::max(arm_of(joint.body_a, joint.anchor_A), arm_of(joint.body_b, joint.anchor_B));
}

// A suspension gives way along its first axis alone; the others of a compliant joint along all.
bool is_rigid(const WorldJoint& joint) { return joint.compliance <= 0 || joint.kind == JointKind::kHinge2; }

std::string describe(const World& world, std::size_t joint, double error, double arm, double promise) {
  char text[160];
  std::snprintf(text, sizeof text, "is off by %.3g m, more than %.3g %% of its arm of %.3g m", error, 100 * promise,
                arm);
  return "joint '" + world.joint_names[joint] + "' " + text + "; a shorter step may hold it";
}

}  // namespace

double measure_relative_joint_error(const World& world) {
  double largest = 0;
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    const double arm = find_arm(world, joint);
    if (!is_rigid(joint) || arm <= 0) continue;
    const JointPose pose = place_joint(joint, world.bodies, world.joint_states[k].position);
    largest = std::max(largest, measure_joint_error(joint, pose) / arm);
  }
  return largest;
}

void check_joints(World& world, StepSpan step, double error_before, StepReport& report, double promise) {
  const double allowed = std::max(promise, (1 - kLeastProgress) * error_before);
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    JointState& state = world.joint_states[k];
    const JointPose pose = place_joint(joint, world.bodies, state.position);
    state.position = pose.position;
    if (!is_rigid(joint)) continue;
    const double error = measure_joint_error(joint, pose);
    report.joint_error = std::max(report.joint_error, error);
    const double arm = find_arm(world, joint);
    if (!report.stopped && arm > 0 && error > allowed * arm) {
      report.stopped = Stop{"joint-error", step.start + step.h, describe(world, k, error, arm, promise)};
    }
  }
}

}  // namespace achilles
