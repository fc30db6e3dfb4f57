// One instant of impulse-based stepping: treat-impacts(.) of [Drumwright10, alg. 3, lines 8-9], then forces for those
// that rest.
#pragma once

#include "motion/free_rotation.hpp"
#include "time_control/impulse/impulse_step.hpp"
#include "time_control/touch_stage.hpp"

namespace achilles {

/// What an instant works on: the contacts in scratch.contacts between bodies that stand at that time.
struct ImpulseInstant {
  World& world;
  const ImpulseOptions& options;
  const TouchOptions& touch;
  StepWorkspace& scratch;
  StepReport& report;
  double h = 0;     // [s] of the step
  double left = 0;  // [s] to its end
};

/// Treats what approaches, gives bodies that rest their forces up to the end of the step, lets contacts carry those,
/// and lifts what rounding let sink. Impulses are appended to scratch.impulse.records.
void treat_instant(const ImpulseInstant& instant);

/// A body on its own: torque-free rotation over t, torques of the scene included.
[[nodiscard]] Vec3 torque_on(const BodyArrays& bodies, std::size_t body);
[[nodiscard]] FreeRotation rotate_over(const BodyArrays& bodies, std::size_t body, double t);
[[nodiscard]] bool turns_freely(const BodyArrays& bodies, std::size_t body);

}  // namespace achilles
