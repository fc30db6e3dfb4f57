// The correction of `shock-propagation`: displacements that take penetration out, from the ground up.
#pragma once

#include "time_control/shock/domains.hpp"
#include "time_control/shock/shock_propagation.hpp"

namespace achilles {

/// Takes the gaps of a piece to the end of the step, and the targets to what a displacement must close; block_value
/// says afterwards whether anything of its block penetrates by more than the slop, where it was 0 before.
void aim_correction(const World& world, const ShockPropagationOptions& options, double h, const PatchPiece& piece,
                    StepWorkspace& scratch);

/// correction and final of all groups, aimed and with the positions moved: what is deep is pushed out of what lies
/// below, layer by layer, then all at once for what is left.
void correct_shocks(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

}  // namespace achilles
