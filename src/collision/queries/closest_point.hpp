// The point of one placed geometry nearest to a given point.
#pragma once

#include "geometry/geometry.hpp"

namespace achilles {

struct ClosestPoint {
  double distance = std::numeric_limits<double>::infinity();  // [m] negative inside a solid
  Vec3 point = Vec3::Zero();                                  // [m] world, on the surface
  Vec3 normal = Vec3::UnitZ();                                // unit, outward: x = point + distance · normal
};

/// Closed forms for round shapes, boxes and planes; the nearest face inside a hull, and its distance from outside by
/// GJK. Meshes (those of distance maps too) and height fields are surfaces: the distance is not negative and the normal
/// points to x. Where that is farther than `limit` [m] a surface may answer an infinite distance instead.
[[nodiscard]] ClosestPoint find_closest_point(const Geometry& geometry, const Transform& X_WG, const Vec3& x_W,
                                              double limit = std::numeric_limits<double>::infinity());

}  // namespace achilles
