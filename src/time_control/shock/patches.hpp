// The contacts of a step as patches, sorted by group and stack layer, and what becomes of their impulses.
#pragma once

#include "time_control/shock/shock_propagation.hpp"
#include "time_control/shock/shock_workspace.hpp"

namespace achilles {

/// Heights of the bodies from the contacts that touch, or touched in the last step; and the cells of the groups.
void find_layers(const World& world, const ShockPropagationOptions& options, StepWorkspace& scratch);

/// Patches of all contacts of the workspace, weighed, with targets, warm starts and the speeds restitution asks for,
/// group after group, block after block and bottom-up in each.
void build_patches(const World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

/// Makes room for the records of all points.
void prepare_records(StepWorkspace& scratch);

/// Impulses of patches as records of their points; marks the bodies that were pushed.
void record_patches(std::span<const Patch> patches, StepWorkspace& scratch);

/// Calls work(piece) for all pieces of all blocks at once: for what does not pass from patch to patch.
template <class Work>
void for_each_piece(StepWorkspace& scratch, const Work& work) {
  std::vector<PatchPiece>& pieces = scratch.shock->domains.pieces;
  scratch.runner.run(pieces.size(), 1, [&](std::size_t k, std::size_t, std::size_t) { work(pieces[k]); });
}

inline std::span<Patch> patches_of(const PatchPiece& piece, ShockWorkspace& shock) {
  return std::span(shock.patches).subspan(piece.first, piece.last - piece.first);
}

}  // namespace achilles
