#include "record/certify/body_arms.hpp"

#include "geometry/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

std::vector<double> measure_arms(const World& world) {
  std::vector<double> arms(world.bodies.size(), 0);
  for (const WorldPiece& piece : world.pieces) {
    const double radius = piece.geometry->radius;
    if (std::isfinite(radius)) arms[piece.body] = std::max(arms[piece.body], piece.X_CG.p.norm() + radius);
  }
  return arms;
}

std::vector<double> measure_sizes(const World& world) {
  std::vector<Aabb> boxes(world.bodies.size());
  for (const WorldPiece& piece : world.pieces) boxes[piece.body].include(compute_bounds(*piece.geometry, piece.X_CG));
  std::vector<double> sizes;
  for (const Aabb& box : boxes) {
    const bool is_empty = box.lower.x() > box.upper.x();
    sizes.push_back(is_empty ? 0 : std::cbrt(box.extent().prod()));
  }
  return sizes;
}

}  // namespace achilles
