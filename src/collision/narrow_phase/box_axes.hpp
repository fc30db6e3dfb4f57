// Separating axes of two boxes, [Gottschalk96].
#pragma once

#include <achilles/math.hpp>

namespace achilles {

/// The best axis of one family. `separation` is positive apart, else minus the overlap along the axis.
struct BoxAxis {
  double separation = -std::numeric_limits<double>::infinity();  // [m]
  Vec3 normal = Vec3::UnitZ();                                   // unit, in A's frame, from A to B
  int axis_a = 0;                                                // axis of A (face axes of A, edge pairs)
  int axis_b = 0;                                                // axis of B (face axes of B, edge pairs)
};

struct BoxAxes {
  BoxAxis face_a;
  BoxAxis face_b;
  BoxAxis edges;        // separation -∞ when no pair of edges separates by more than the faces; without its normal
  bool beyond = false;  // some axis separates by more than the limit; then the rest is not filled in
};

/// Separation along the 3 + 3 face normals and 9 edge cross products of boxes with half edges `half_a` and `half_b`.
/// Leaves early once an axis separates by more than `limit`. The largest of the three separations is minus the
/// penetration depth when it is negative; when positive it bounds the distance from below.
[[nodiscard]] BoxAxes find_box_axes(const Vec3& half_a, const Vec3& half_b, const Transform& X_AB, double limit);

/// The normal of the best pair of edges, in A's frame, from A to B.
[[nodiscard]] Vec3 box_edge_normal(const BoxAxis& edges, const Transform& X_AB);

}  // namespace achilles
