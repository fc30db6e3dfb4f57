// The contacts of a step as patches, sorted by group and stack layer, and what becomes of their impulses.
#pragma once

#include "time_control/shock/shock_propagation.hpp"
#include "time_control/shock/shock_workspace.hpp"

namespace achilles {

/// Heights of the bodies from the contacts that touch, or touched in the last step.
void find_layers(const World& world, const ShockPropagationOptions& options, StepWorkspace& scratch);

/// Patches of all contacts of the workspace, weighed, with targets, warm starts and the speeds restitution asks for,
/// group after group, block after block and bottom-up in each.
void build_patches(const World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch);

/// Impulses of the patches as records of their points; marks the bodies that were pushed.
void record_patches(StepWorkspace& scratch);

/// Calls work(block) for all blocks of all groups at once: for what does not pass from patch to patch.
template <class Work>
void for_each_block(StepWorkspace& scratch, const Work& work) {
  PatchDomains& domains = scratch.shock->domains;
  scratch.runner.run(domains.blocks.size(), 1,
                     [&](std::size_t k, std::size_t, std::size_t) { work(domains.blocks[domains.by_share[k]]); });
}

}  // namespace achilles
