// The dynamics of `shock-propagation`: warm start, load propagation, sweeps over the contacts of an island, rebound.
#pragma once

#include "methods/shock_propagation/shock_propagation.hpp"

namespace achilles {

/// propagation and dynamics of all islands: velocities and impulses of the manifolds.
void solve_shocks(World& world, const ShockPropagationOptions& options, ShockWorkspace& work);

/// rebound of all islands, after the sweeps have been recorded: contacts that met leave with e times the speed, those
/// that touch do not sink in. Adds the impulses to the records and counts the impacts.
void rebound_shocks(World& world, const ShockPropagationOptions& options, ShockWorkspace& work, StepReport& report);

}  // namespace achilles
