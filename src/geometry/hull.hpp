// Convex hulls of points as polyhedra with planar faces.
#pragma once

#include "geometry/geometry.hpp"

#include <span>

namespace achilles {

/// Points closer to each other than this fraction of the cloud's size are one point, and facets whose vertices lie this
/// close to one plane are one face.
inline constexpr double kHullResolution = 1e-11;

/// A cloud thinner than this fraction of its size is flat, and has no hull with volume.
inline constexpr double kHullFlatness = 1e-7;

/// The convex hull, with coplanar facets merged into polygons. Every vertex is one of the points, bit for bit; every
/// point lies inside every face's plane within rounding, every vertex of a face within kHullResolution of its plane.
/// Costs O(n log n). Throws std::invalid_argument when there are fewer than four points, one is not finite, or they are
/// (nearly) all equal, on a line or on a plane.
[[nodiscard]] HullGeometry make_hull(std::span<const Vec3> points);

}  // namespace achilles
