// The correction of `shock-propagation`: displacements that take penetration out, from the ground up.
#pragma once

#include "methods/shock_propagation/shock_partition.hpp"
#include "methods/shock_propagation/shock_propagation.hpp"

namespace achilles {

/// Takes the gaps of a part to the end of the step, sets the targets to what a displacement must close, and raises the
/// depth of its block in DisplacementWorkspace::depth to that of the part.
void set_correction_targets(const World& world, const ShockPropagationOptions& options, double h, const BlockPart& part,
                            ShockWorkspace& work);

/// The correction of all islands, after set_correction_targets and with the positions moved.
void correct_shocks(World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work);

}  // namespace achilles
