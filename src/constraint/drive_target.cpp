#include "constraint/drive_target.hpp"

#include "world/drives.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

DriveTarget find_drive_target(const World& world, std::uint32_t joint, std::size_t axis, StepSpan step) {
  const DriveControl& control = world.joints[joint].drives[axis].control;
  DriveTarget target;
  target.end = target_at(world, control, step.start + step.h);
  if (std::isfinite(control.max_rate)) {
    const double most = step.h * control.max_rate;
    target.start = world.joint_states[joint].followed[axis];
    // Where it arrives it stands at the target to the bit.
    if (std::abs(target.end - target.start) > most)
      target.end = target.start + std::copysign(most, target.end - target.start);
  } else {
    target.start = target_at(world, control, step.start);
  }
  target.mean = 0.5 * (target.start + target.end);
  target.rate = (target.end - target.start) / step.h;
  return target;
}

void follow_drive_targets(World& world, StepSpan step) {
  for (std::uint32_t joint = 0; joint < world.joints.size(); ++joint) {
    for (std::size_t axis = 0; axis < world.joints[joint].axis_count; ++axis) {
      const DriveControl& control = world.joints[joint].drives[axis].control;
      if (control.kind == DriveControl::Kind::kNone || !std::isfinite(control.max_rate)) continue;
      world.joint_states[joint].followed[axis] = find_drive_target(world, joint, axis, step).end;
    }
  }
}

}  // namespace achilles
