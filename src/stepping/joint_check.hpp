// What a joint promises, checked after every step.
#pragma once

#include "constraint/drive_target.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

/// The largest positional violation of a rigid joint as a share of its arm, measure_joint_arm.
[[nodiscard]] double measure_relative_joint_error(const World& world);

/// After a step of length h: keeps the positions of the joints up to date and reports the largest positional violation.
/// The report stops the run with the reason "joint-error" where a rigid joint is off by more than kJointShare of its
/// arm, and the step did not bring it closer than `error_before`, the relative error before the step. A mechanism
/// that is assembled from parts far apart so comes together and runs on; joints that contradict each other do not.
void check_joints(World& world, StepSpan step, double error_before, StepReport& report);

}  // namespace achilles
