// Speed-ups of [Erleben04, sec. 5.6, tables 5.4-5.5] that change the motion, all off by default.
//
//   islands       (on by default) off: one problem holds everything, the brute force of table 5.4
//   reduction    of a pair that penetrates only the deepest point is kept
//   zeroing      contacts of a sleepy body do not bounce (sleepy: as slow as a sleeper when the step begins)
//   damping      velocities decay
//   subgrouping  bodies sleep and wake one by one instead of in islands: see sleep_stage.hpp
//   fixation     and hold still for those awake
//
// Caching is `warm_start` and `reuse`, which leave the motion alone; tweaking is `iterations`.
#pragma once

#include "stepping/sleep_stage.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct SpeedUps {
  bool islands = true;
  bool reduction = false;
  bool zeroing = false;
  double damping = 0;  // [1/s]
};

/// v ← v / (1 + c h), and the same for the spin.
void damp_velocities(World& world, double damping, double h);

/// What reduction and grouping do to the contacts that were found. After find_contacts.
void simplify_contacts(const World& world, const SpeedUps& options, double slop, StepWorkspace& scratch);

/// Takes the rebound from contacts of sleepy bodies. After build_rows.
void zero_restitution(const World& world, const SpeedUps& options, const SleepOptions& sleeping,
                      StepWorkspace& scratch);

}  // namespace achilles
