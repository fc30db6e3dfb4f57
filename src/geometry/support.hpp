// Support points: the one question that distance, depth and bounds of convex shapes are built on.
#pragma once

#include "geometry/geometry.hpp"

#include <cstdint>

namespace achilles {

/// A point of the convex geometry that is farthest along direction_G, in the geometry's frame. The direction need not
/// be of unit length; for the zero direction any point of the surface (or of the solid) may come back. Where a whole
/// face or edge is farthest, one point of it. Polyhedra answer with a vertex exactly. Throws std::invalid_argument for
/// a geometry that is not convex, and for a plane, which has no farthest point.
[[nodiscard]] Vec3 support(const Geometry& geometry, const Vec3& direction_G);

/// Vertex of the hull farthest along the direction. `start` is where to look first: the answer to the previous, similar
/// question makes the search short. Ties go to whichever vertex the search meets first; the height reached is the
/// maximum either way.
[[nodiscard]] std::uint32_t support_vertex(const HullGeometry& hull, const Vec3& direction_G, std::uint32_t start = 0);

[[nodiscard]] Vec3 support(const SphereGeometry& sphere, const Vec3& direction_G);
[[nodiscard]] Vec3 support(const BoxGeometry& box, const Vec3& direction_G);
[[nodiscard]] Vec3 support(const CapsuleGeometry& capsule, const Vec3& direction_G);
[[nodiscard]] Vec3 support(const CylinderGeometry& cylinder, const Vec3& direction_G);
[[nodiscard]] Vec3 support(const ConeGeometry& cone, const Vec3& direction_G);
[[nodiscard]] Vec3 support(const HullGeometry& hull, const Vec3& direction_G);

}  // namespace achilles
