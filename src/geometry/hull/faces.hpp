// Triangles of a convex surface merged into planar polygons.
#pragma once

#include "geometry/hull/triangles.hpp"

#include <optional>

namespace achilles {

/// Loops of vertex indices, counter-clockwise seen from outside.
using FaceLoops = std::vector<std::vector<std::uint32_t>>;

/// Joins triangles of a closed convex surface whose corners lie within `tolerance` [m] of a common plane, largest
/// first, and drops the vertices that are then in fewer than three faces. Nothing when the surface is not closed or a
/// face collapses, which for a convex surface of rounding-sized errors means that those errors exceed the tolerance.
[[nodiscard]] std::optional<FaceLoops> merge_into_faces(std::span<const Vec3> points,
                                                        std::span<const IndexTriangle> triangles, double tolerance);

/// Vector area (the unit normal times the area) of a loop, accumulated in extended precision because slivers have
/// normals that rounding of double would turn.
[[nodiscard]] Vec3 compute_vector_area(std::span<const Vec3> points, std::span<const std::uint32_t> loop);

}  // namespace achilles
