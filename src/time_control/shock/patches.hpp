// The contacts of a step as patches, sorted by group and stack layer.
#pragma once

#include "time_control/shock/shock_propagation.hpp"
#include "time_control/shock/shock_workspace.hpp"

namespace achilles {

/// Heights of the bodies from the contacts that touch, or touched in the last step; and the cells of the groups.
void find_layers(const World& world, const ShockPropagationOptions& options, StepWorkspace& scratch);

/// Patches of all contacts of the workspace, weighed, with targets, warm starts and the speeds restitution asks for,
/// group after group, block after block and bottom-up in each.
void build_patches(const World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

inline std::span<Patch> patches_of(const PatchPiece& piece, ShockWorkspace& shock) {
  return std::span(shock.patches).subspan(piece.first, piece.last - piece.first);
}

}  // namespace achilles
