// What a drive follows over a step.
#pragma once

#include <achilles/world.hpp>

namespace achilles {

/// A step, or a part of one.
struct StepSpan {
  double start = 0;  // [s]
  double h = 0;      // [s]
};

/// Target of a drive along an axis, in its own unit.
struct DriveTarget {
  double start = 0;  // at the beginning of the step
  double end = 0;    // at its end
  double mean = 0;
  double rate = 0;  // [1/s] mean over the step
};

/// The target over a step. A drive with a limited rate goes from where it
/// has come to, JointState::followed, towards the target at the end of the step.
[[nodiscard]] DriveTarget find_drive_target(const World& world, std::uint32_t joint, std::size_t axis, StepSpan step);

/// Moves JointState::followed of all drives to the end of the step, once per step.
void follow_drive_targets(World& world, StepSpan step);

}  // namespace achilles
