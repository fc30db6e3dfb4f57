// The World as collision detection sees it.
#pragma once

#include "collision/collider.hpp"

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

/// One piece at the present pose of its body, looking ahead as far as it comes within h [s] at its present velocity.
[[nodiscard]] Collider place_collider(const World& world, std::size_t piece, double h);

/// Places every piece, in the order of World::pieces. Reuses `colliders`.
void place_colliders(const World& world, double h, std::vector<Collider>& colliders);

/// World::ignored_pairs as collision detection reads them. Reuses `ignored`.
void list_ignored_pairs(const World& world, std::vector<IgnoredPair>& ignored);

}  // namespace achilles
