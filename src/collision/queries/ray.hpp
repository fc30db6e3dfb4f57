// Where a ray meets one placed geometry.
#pragma once

#include "geometry/geometry.hpp"

#include <optional>

namespace achilles {

/// All points origin + t direction, 0 ≤ t ≤ limit.
struct QueryRay {
  Vec3 origin = Vec3::Zero();
  Vec3 direction = Vec3::UnitX();                          // unit
  double limit = std::numeric_limits<double>::infinity();  // [m]
};

struct RayContact {
  double distance = 0;          // [m] from the origin
  Vec3 normal = Vec3::UnitZ();  // unit, of the surface, against the ray
};

/// The first point that the ray and the geometry have in common. Solids are closed: a ray that starts in one meets it
/// at distance 0, with the normal against the ray. Meshes (those of distance maps too) and height fields are surfaces,
/// met from either side. Closed forms for all other shapes, worked out about the point of the ray nearest to the shape,
/// so that a far origin costs no precision.
[[nodiscard]] std::optional<RayContact> intersect_ray(const Geometry& geometry, const Transform& X_WG,
                                                      const QueryRay& ray_W);

}  // namespace achilles
