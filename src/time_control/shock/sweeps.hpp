// The dynamics of `shock-propagation`: weights handed down, sweeps over the contacts of a group, rebound.
#pragma once

#include "time_control/shock/shock_propagation.hpp"

namespace achilles {

/// propagation and dynamics of all groups: velocities and impulses of the patches.
void solve_shocks(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

/// rebound of all groups, after the sweeps have been recorded: contacts that met leave with e times the speed, those
/// that touch do not sink in. Adds the impulses to the records and counts the impacts.
void rebound_shocks(World& world, const ShockPropagationOptions& options, StepWorkspace& scratch, StepReport& report);

}  // namespace achilles
