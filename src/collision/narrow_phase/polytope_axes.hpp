// Separating axes of two convex polyhedra.
#pragma once

#include "collision/narrow_phase/polytope.hpp"

namespace achilles {

struct PolytopeAxis {
  double separation = -std::numeric_limits<double>::infinity();  // [m] positive apart, else minus the overlap
  Vec3 normal = Vec3::UnitZ();                                   // unit, in A's frame, from A to B
};

/// The axis of largest separation among the face normals of both polytopes and the cross products of those edges whose
/// arcs on the Gauss map cross, that is, that bound a face of the Minkowski difference. For overlapping polytopes the
/// largest separation is minus the penetration depth. Costs a pass over all pairs of edges: the exact answer of last
/// resort where the expanding polytope stalls, and the reference it is tested against.
[[nodiscard]] PolytopeAxis find_polytope_axis(const PolytopeView& a, const PolytopeView& b, const Transform& X_AB);

}  // namespace achilles
