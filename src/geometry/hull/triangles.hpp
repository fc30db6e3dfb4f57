// The triangles of a convex hull, before they are merged into faces.
#pragma once

#include <achilles/math.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace achilles {

using IndexTriangle = std::array<std::uint32_t, 3>;

/// How ties among coplanar points are broken: by merging and triangulating again, or by moving the points a hair (about
/// 1e-11 of their spread) so that there are none. The second never fails for combinatorial reasons.
enum class HullTies : std::uint8_t { kMerge, kJoggle };

/// Triangles of the hull of points whose spread is about 1 in every direction, wound counter-clockwise seen from
/// outside. Some may have no area. Empty when the points have no hull or it came out inconsistent, with the reason in
/// `complaint`.
[[nodiscard]] std::vector<IndexTriangle> compute_hull_triangles(std::span<const Vec3> points, HullTies ties,
                                                                std::string& complaint);

/// For every edge k (corner k to corner k+1) of every triangle, the triangle across it. Empty when the triangles do not
/// form a closed surface in which each directed edge appears once.
[[nodiscard]] std::vector<IndexTriangle> compute_adjacency(std::span<const IndexTriangle> triangles);

}  // namespace achilles
