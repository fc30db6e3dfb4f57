// Polygons in space cut into triangles.
#pragma once

#include <achilles/math.hpp>

#include <array>
#include <span>
#include <vector>

namespace achilles {

/// Cuts a simple, nearly planar polygon of n corners (indices into `points`) into n - 2 triangles of the same winding
/// by clipping ears, O(n²) for common polygons. A polygon that crosses itself still gives n - 2 triangles that cover
/// its boundary, so that a closed surface stays closed.
void append_triangulation(std::span<const Vec3> points, std::span<const int> corners,
                          std::vector<std::array<int, 3>>& triangles);

}  // namespace achilles
