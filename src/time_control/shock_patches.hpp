// The contacts of a step as patches, sorted by group and stack layer, and what becomes of their impulses.
#pragma once

#include "time_control/shock_propagation.hpp"

namespace achilles {

/// Heights of the bodies from the contacts that touch, or touched in the last step.
void find_layers(const World& world, const ShockPropagationOptions& options, StepWorkspace& scratch);

/// Patches of all contacts of the workspace, with targets, warm starts and the speeds restitution asks for, group after
/// group and bottom-up in each. They are not weighed yet.
void build_patches(const World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

/// Impulses of the patches as records of their points; marks the bodies that were pushed.
void record_patches(StepWorkspace& scratch);

}  // namespace achilles
