// The dynamics of `shock-propagation`: warm start, load propagation, sweeps over the contacts of an island.
#pragma once

#include "methods/shock_propagation/island.hpp"
#include "methods/shock_propagation/shock_propagation.hpp"

namespace achilles {

/// propagation and dynamics of all islands: velocities and impulses of the manifolds.
void solve_shocks(World& world, const ShockPropagationOptions& options, ShockWorkspace& work);

/// What sweeps leave wrong of a load the next step goes on with; what they leave wrong of an impact stays, and shows:
/// ten sweeps keep 94 % of the energy of a break at billiards, and not its symmetry.
[[nodiscard]] int count_sweeps_at_most(const ShockPropagationOptions& options, const ShockIsland& island);

}  // namespace achilles
