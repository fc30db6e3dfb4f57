// Speed-ups of [Erleben04, sec. 5.6, tables 5.4-5.5] that change the motion, all off by default.
//
//   groups       (on by default) off: one problem holds everything, the brute force of table 5.4
//   reduction    of a pair that penetrates only the deepest point is kept
//   damping      velocities decay
//   subgrouping  bodies sleep and wake one by one instead of in groups, and hold still for those awake (with the
//                thesis's fixation, without which it makes no sense): see sleep_stage.hpp
//
// Caching is `warm_start`, tweaking `iterations`; zeroing, by which what is about to rest does not bounce, is
// `restitution_threshold`.
#pragma once

#include "time_control/sleep_stage.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct SpeedUps {
  bool groups = true;
  bool reduction = false;
  double damping = 0;  // [1/s]
};

/// v ← v / (1 + c h), and the same for the spin.
void damp_velocities(World& world, double damping, double h);

/// What reduction and grouping do to the contacts that were found. After find_contacts.
void simplify_contacts(const World& world, const SpeedUps& options, double slop, StepWorkspace& scratch);

}  // namespace achilles
