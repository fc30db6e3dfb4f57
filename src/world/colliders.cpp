#include "world/colliders.hpp"

namespace achilles {

void place_colliders(const World& world, std::vector<Collider>& colliders) {
  colliders.resize(world.pieces.size());
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const WorldPiece& piece = world.pieces[i];
    const Transform X_WC{world.bodies.orientation[piece.body].toRotationMatrix(), world.bodies.position[piece.body]};
    colliders[i] = {piece.geometry.get(), X_WC * piece.X_CG, piece.body, piece.material,
                    world.bodies.is_movable(piece.body)};
  }
}

void list_ignored_pairs(const World& world, std::vector<IgnoredPair>& ignored) {
  ignored.clear();
  for (const auto& [first, second] : world.ignored_pairs) ignored.push_back({first, second});
}

}  // namespace achilles
