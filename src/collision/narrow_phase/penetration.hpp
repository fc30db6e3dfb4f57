// Signed distance of convex cores: distance apart, depth when they overlap.
#pragma once

#include "collision/narrow_phase/gjk.hpp"

namespace achilles {

struct CoreDistanceOptions {
  double beyond = std::numeric_limits<double>::infinity();  // [m] a larger distance need not be known exactly
  double contact_tolerance = 1e-11;  // of the size: nearer than that the depth is searched instead of the distance
  bool witnesses = true;             // find points that realize a depth
  bool polish = false;               // near the touch, make normal and points as exact as the distance
};

struct CoreDistance {
  double distance = 0;          // [m] of the cores; negative: the least translation that separates them
  double error = 0;             // [m] certified bound of the error of `distance`
  Vec3 normal = Vec3::UnitZ();  // unit, in A's frame, from A to B
  Vec3 point_a = Vec3::Zero();  // [m] in A's frame: point_b - point_a = distance · normal
  Vec3 point_b = Vec3::Zero();
  int iterations = 0;  // of GJK and of the expanding polytope
  bool beyond = false;
  bool has_points = true;  // false where a depth was found and witnesses not requested
};

/// Signed distance of two cores and the points that realize it. Apart by GJK; overlapping by separating axes for
/// points, segments and boxes, by the expanding polytope for the rest; where that stalls, by all axes of polyhedra or,
/// for round shapes, by a search along the surface.
[[nodiscard]] CoreDistance compute_core_distance(const CorePair& pair, const CoreDistanceOptions& options);

/// Points that realize a known depth: sets point_a and point_b from `distance` and `normal`, along which the cores are
/// that far apart. False when the cores as a whole are further apart than that along any one direction, so that no two
/// points realize it.
bool find_witnesses(const CorePair& pair, CoreDistance& result);

/// How far A has to move along a direction until it leaves B behind: the largest t ≥ 0 for which A, moved by
/// t · direction, still touches B with its radius. Never more than the overlap of the extents along the direction, and
/// less where the part of A that reaches furthest is not over B.
struct Exit {
  bool found = false;           // false: no move along the direction, forward or back, brings the two in touch
  double distance = 0;          // [m] negative: A has left B behind by that much
  Vec3 point_b = Vec3::Zero();  // [m] where the two touch last, on B in A's frame before the move
};
[[nodiscard]] Exit find_exit(const CorePair& pair, const Vec3& direction);

}  // namespace achilles
