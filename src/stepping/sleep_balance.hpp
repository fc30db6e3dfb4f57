// Subgrouping, [Erleben04, sec. 5.6]: bodies sleep one by one, and awake bodies meet sleepers that do not give way.
//
// What a sleeper then bears may change without anything moving: a plank that is pressed down at one end presses against
// the sleeping box on the other. A sleeper rested under the impulses that it lay down with, so that with its weight
// they still make nothing; where they no longer do, it takes part in the next step. The thesis calls this interleaving
// the subgroups by a frame.
#pragma once

#include "stepping/sleep_stage.hpp"

namespace achilles {

/// Rouses sleepers whose impulses and weight have come out of balance, by twice what a body may lack when it lies down.
/// Before wake_touched; costs nothing unless bodies sleep alone and without fixation.
void wake_unbalanced(World& world, const SleepOptions& options, double h, StepWorkspace& scratch);

/// Wakes bodies that still count as calm: they lie down again after two steps unless those move them.
void rouse(World& world, const SleepOptions& options, std::span<const std::uint32_t> sleepers);

}  // namespace achilles
