#include "stepping/joint_check.hpp"

#include "constraint/joint_pose.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace achilles {
namespace {

constexpr double kLeastProgress = 1e-3;  // of the error, in a step

std::string describe(const World& world, std::size_t joint, double error, double arm) {
  char text[160];
  std::snprintf(text, sizeof text, "is off by %.3g m, more than %.3g %% of its arm of %.3g m", error, 100 * kJointShare,
                arm);
  return "joint '" + world.joint_names[joint] + "' " + text + "; a shorter step may hold it";
}

}  // namespace

double measure_relative_joint_error(const World& world) {
  double largest = 0;
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    const double arm = measure_joint_arm(joint, world.bodies);
    if (!is_rigid(joint) || arm <= 0) continue;
    const JointPose pose = place_joint(joint, world.bodies, world.joint_states[k].position);
    largest = std::max(largest, measure_joint_error(joint, pose) / arm);
  }
  return largest;
}

void check_joints(World& world, StepSpan step, double error_before, StepReport& report) {
  const double allowed = std::max(kJointShare, (1 - kLeastProgress) * error_before);
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    JointState& state = world.joint_states[k];
    const JointPose pose = place_joint(joint, world.bodies, state.position);
    state.position = pose.position;
    if (!is_rigid(joint)) continue;
    const double error = measure_joint_error(joint, pose);
    report.joint_error = std::max(report.joint_error, error);
    const double arm = measure_joint_arm(joint, world.bodies);
    if (!report.stopped && arm > 0 && error > allowed * arm) {
      report.stopped = Stop{"joint-error", step.start + step.h, describe(world, k, error, arm)};
    }
  }
}

}  // namespace achilles
