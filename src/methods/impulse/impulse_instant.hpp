// One instant of impulse-based stepping: treat-impacts(.) of [Drumwright10, alg. 3, lines 8-9], then forces for those
// that rest.
#pragma once

#include "methods/impulse/impulse_step.hpp"
#include "stepping/touch_stage.hpp"

namespace achilles {

/// What an instant works on: the contacts in scratch.contacts between bodies that stand at that time.
struct ImpulseInstant {
  World& world;
  const ImpulseOptions& options;
  const TouchOptions& touch;
  ImpulseScratch& scratch;
  StepReport& report;
  double h = 0;     // [s] of the step
  double left = 0;  // [s] to its end
};

/// Treats what approaches, gives bodies that rest their forces up to the end of the step, lets contacts carry those,
/// and lifts what rounding let sink. Impulses are appended to scratch.impulse.records.
void treat_instant(const ImpulseInstant& instant);

}  // namespace achilles
