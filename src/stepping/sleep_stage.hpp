// Sleeping: islands of bodies that rest are left out until something touches them, [Erleben04, sec. 6.5].
//
// A body is calm in a step when its kinetic energy by mass is below the threshold, has not risen since it became calm,
// and its velocity does not change by as much as a tenth of what the external forces alone would do: something holds
// it. The last test is not in the thesis; it keeps a ball at the top of its flight and a see-saw at its turn awake. A
// island sleeps when all its bodies have been calm for a number of steps and something fixed touches or holds one of
// them.
//
// Alone, a body sleeps once it has been calm for so long and touches something that is fixed, asleep or as calm. It is
// roused when a body that is not calm touches it, or when what it bears changes (sleep_balance.hpp): waking spreads by
// one ring of neighbours a step, for as far as something comes of it. With fixation it wakes not before a body that is
// awake moves against it, along the surface or across, faster than the energy threshold allows. Until then it holds
// whatever leans on it: motion changes, as in [Erleben04, sec. 5.6], but a blow wakes a wall only where it is felt.
#pragma once

#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

inline constexpr double kHeld = 0.1;  // share of free acceleration that a body at rest may have

struct SleepOptions {
  bool enabled = false;
  double energy = 1e-8;  // [J/kg]
  int steps = 10;
  bool alone = false;     // subgrouping: bodies sleep and wake one by one
  bool fixation = false;  // alone: sleepers hold until they are moved against too fast
};

/// How contacts are looked for.
struct TouchSearch {
  double margin = 0;    // [m]
  double touching = 0;  // [m]
  double h = 0;         // [s]
};

/// What a method that lets bodies sleep needs to know to wake them.
struct Sleeping {
  SleepOptions options;
  TouchSearch search;
  double farthest = 0;  // [m] gap at which the method still looks for contacts, besides what velocities close
};

/// Wakes what an awake or a scripted body touches or will touch within the step, with all that sleeps with it; all,
/// when gravity has changed or sleeping is not enabled. Costs nothing while no body sleeps.
void wake_touched(World& world, const SleepOptions& options, const TouchSearch& search, StepWorkspace& scratch);

/// At the end of a step: counts the steps in which bodies were calm and puts islands to sleep, with velocity zero.
void put_to_sleep(World& world, const SleepOptions& options, const TouchSearch& search, StepWorkspace& scratch);

}  // namespace achilles
