// What loaded joints carry in a step of which nothing is remembered.
#pragma once

#include "stepping/implicit_positions.hpp"

namespace achilles {

/// Whether no joint remembers an impulse: the first step of a run, or nothing pulls.
[[nodiscard]] bool knows_no_joint_impulse(const World& world);

/// Impulses over a step of length h into World::joint_states, by a few sweeps over the joints alone, once where the
/// bodies are and once where that leads them: the pull that holds what circles shows there only. Call after
/// integrate_velocities; bodies, velocities and inverse masses are left as they were.
void estimate_joint_impulses(World& world, double h, ImplicitWorkspace& local, StepWorkspace& scratch);

}  // namespace achilles
