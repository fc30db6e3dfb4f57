// Displacements layer by layer, [Erleben04, fig. 6.47]: every component of a layer that is deep in what lies below is
// pushed out of it. The start of the correction of deep penetration.
#pragma once

#include "methods/shock_propagation/island.hpp"

namespace achilles {

struct LayerLimits {
  double deep = 0;     // [m] what lacks no more of its target is left alone
  double settled = 0;  // [m] sweeps that change less than this end
  int sweeps = 0;      // at most, in each layer
};

/// Writes the displacements of an island, from its manifolds with their targets. Bodies do not
/// turn, and those below are held where they were moved to. Leaves the manifolds with responses of bodies that are held
/// and without impulses.
void correct_layers(const LayerLimits& limits, const ShockIsland& island, ShockWorkspace& work);

}  // namespace achilles
