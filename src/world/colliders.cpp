#include "world/colliders.hpp"

#include <cmath>

namespace achilles {

namespace {

/// How far the surface of a piece comes within h at the present velocity.
double compute_reach(const WorldPiece& piece, const BodyVelocity& u, double h) {
  // A spinning plane reaches any distance in no time; only its translation can be looked ahead of.
  const double radius = piece.geometry->radius;
  const double arm = std::isfinite(radius) ? piece.X_CG.p.norm() + radius : 0;
  return h * (u.linear.norm() + u.angular.norm() * arm);
}

}  // namespace

Collider place_collider(const World& world, std::size_t index, double h) {
  const WorldPiece& piece = world.pieces[index];
  const Transform X_WC{world.bodies.orientation[piece.body].toRotationMatrix(), world.bodies.position[piece.body]};
  return {piece.geometry.get(),
          X_WC * piece.X_CG,
          piece.body,
          piece.material,
          world.bodies.is_movable(piece.body),
          h > 0 ? compute_reach(piece, world.bodies.velocity[piece.body], h) : 0,
          world.bodies.filter[piece.body]};
}

void place_colliders(const World& world, double h, std::vector<Collider>& colliders) {
  colliders.resize(world.pieces.size());
  for (std::size_t i = 0; i < colliders.size(); ++i) colliders[i] = place_collider(world, i, h);
}

void list_ignored_pairs(const World& world, std::vector<IgnoredPair>& ignored) {
  ignored.clear();
  for (const auto& [first, second] : world.ignored_pairs) ignored.push_back({first, second});
}

}  // namespace achilles
