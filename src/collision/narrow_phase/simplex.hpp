// The point of a simplex nearest to the origin.
#pragma once

#include "collision/narrow_phase/gjk.hpp"

namespace achilles {

/// A point of a simplex: weights over its vertices, zero for those that do not take part.
struct SimplexPoint {
  std::array<double, 4> weights{};
  Vec3 point;
  double distance2 = std::numeric_limits<double>::infinity();  // from the origin
};

/// The point of `simplex` (two to four vertices, degenerate ones allowed) nearest to the origin; at distance 0 exactly
/// only if the origin lies inside a tetrahedron. The last vertex is new: the point is sought only on the parts that
/// hold it, since GJK adds a vertex that is nearer than all the others span.
[[nodiscard]] SimplexPoint find_nearest(const Simplex& simplex);

/// Keeps the vertices that take part in the point, and its weights.
void reduce_to(const SimplexPoint& point, Simplex& simplex);

}  // namespace achilles
