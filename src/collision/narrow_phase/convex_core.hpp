// Convex solids as a core and a rounding radius: what GJK needs to know of a shape.
#pragma once

#include "collision/narrow_phase/polytope.hpp"
#include "geometry/geometry.hpp"

#include <cmath>
#include <cstdint>

namespace achilles {

/// The set of points within `radius` of a core. Spheres and capsules have a point and a segment as core, so that their
/// roundness costs no iterations and no accuracy; all others have radius 0.
struct ConvexCore {
  enum class Kind : std::uint8_t { kPoint, kSegment, kBox, kCylinder, kCone, kPolytope };

  Kind kind = Kind::kPoint;
  Vec3 half = Vec3::Zero();  // [m] half extents of the core's box; cylinder and cone: (radius, radius, half height)
  PolytopeView polytope;     // for kPolytope
  double radius = 0;         // [m] rounding
  double size = 0;           // [m] radius of a ball that holds the rounded shape
};

/// The core of a convex bounded geometry. Must not be called for planes, meshes, height fields and distance maps.
[[nodiscard]] ConvexCore make_core(const Geometry& geometry);
[[nodiscard]] ConvexCore make_core(const PolytopeView& polytope);

[[nodiscard]] Vec3 support_round(const ConvexCore& core, const Vec3& direction);  // of a cylinder or cone

/// A point of the core furthest along `direction` (any length, not zero), in the core's frame.
[[nodiscard]] inline Vec3 support(const ConvexCore& core, const Vec3& direction) {
  const auto corner = [&](int axis) { return std::copysign(core.half[axis], direction[axis]); };
  switch (core.kind) {
    case ConvexCore::Kind::kPoint:
      return Vec3::Zero();
    case ConvexCore::Kind::kSegment:
      return {0, 0, corner(2)};
    case ConvexCore::Kind::kBox:
      return {corner(0), corner(1), corner(2)};
    case ConvexCore::Kind::kCylinder:
    case ConvexCore::Kind::kCone:
      return support_round(core, direction);
    case ConvexCore::Kind::kPolytope:
      return core.polytope.vertices[support_vertex(core.polytope, direction)];
  }
  return Vec3::Zero();
}

}  // namespace achilles
