// Restitution of `shock-propagation`.
#pragma once

#include "methods/shock_propagation/shock_propagation.hpp"

namespace achilles {

/// rebound of all islands, after the sweeps have been recorded: contacts that met leave with e times the speed, those
/// that touch do not sink in, as far as the island ends the step with no more energy than it began it with. Adds the
/// impulses to the records and counts the impacts.
void rebound_shocks(World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work,
                    StepReport& report);

}  // namespace achilles
