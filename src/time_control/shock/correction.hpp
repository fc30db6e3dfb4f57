// The correction of `shock-propagation`: displacements that take penetration out, from the ground up.
#pragma once

#include "time_control/shock/shock_propagation.hpp"

namespace achilles {

/// correction and final of all groups, after the positions have been moved: every layer is pushed out of those below,
/// then all at once for what is left. Takes the gaps of the patches to the end of the step.
void correct_shocks(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

}  // namespace achilles
