// Overlap of a convex core with a convex edge of a surface.
#pragma once

#include "collision/narrow_phase/penetration.hpp"
#include "collision/narrow_phase/segment.hpp"

namespace achilles {

/// An edge where a surface bends away, and the normals on its two sides, in the core's frame.
struct Ridge {
  Segment edge;
  Vec3 normal_first;
  Vec3 normal_second;
};

/// The normal, among those that the surface has at the ridge, along which the core is furthest from the ridge's line,
/// and how far (negative: overlap). From the surface outward.
struct RidgeNormal {
  Vec3 n_out;
  double separation = 0;  // [m] of the core
};
[[nodiscard]] RidgeNormal find_ridge_normal(const ConvexCore& core, const Ridge& ridge);

/// The edge as a core of its own, with z along it, and its placement in the frame the ridge is given in.
[[nodiscard]] ConvexCore make_edge_core(const Segment& edge);
[[nodiscard]] Transform place_edge(const Segment& edge);

}  // namespace achilles
