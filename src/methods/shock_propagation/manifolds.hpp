// The contacts of a step as manifolds, sorted by island and stack layer.
#pragma once

#include "methods/shock_propagation/shock_propagation.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"

namespace achilles {

/// Manifolds of all contacts of the workspace with responses, targets, warm starts and speeds of rebound,
/// island after island, block after block and bottom-up in each.
void build_manifolds(const World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work);

inline std::span<ContactManifold> manifolds_of(const BlockPart& part, ShockWorkspace& work) {
  return std::span(work.manifolds).subspan(part.first, part.last - part.first);
}

}  // namespace achilles
