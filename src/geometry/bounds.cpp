// Boxes of placed geometries. Row i of R holds what each axis of the geometry adds along world axis i.
#include "geometry/geometry.hpp"
#include "geometry/support.hpp"

#include <cmath>
#include <limits>

namespace achilles {
namespace {

// Half extents of a unit disc normal to the geometry's z axis.
Vec3 disc_extent(const Mat3& R) {
  return {std::hypot(R(0, 0), R(0, 1)), std::hypot(R(1, 0), R(1, 1)), std::hypot(R(2, 0), R(2, 1))};
}

Aabb around(const Vec3& center, const Vec3& half) { return {center - half, center + half}; }

Aabb bounds_of(const SphereGeometry& sphere, const Transform& X) { return around(X.p, Vec3::Constant(sphere.radius)); }

Aabb bounds_of(const BoxGeometry& box, const Transform& X) { return around(X.p, X.R.cwiseAbs() * box.half); }

Aabb bounds_of(const CapsuleGeometry& capsule, const Transform& X) {
  return around(X.p, X.R.col(2).cwiseAbs() * capsule.half_length + Vec3::Constant(capsule.radius));
}

Aabb bounds_of(const CylinderGeometry& cylinder, const Transform& X) {
  return around(X.p, X.R.col(2).cwiseAbs() * cylinder.half_height + disc_extent(X.R) * cylinder.radius);
}

Aabb bounds_of(const ConeGeometry& cone, const Transform& X) {
  const Vec3 axis = X.R.col(2) * cone.half_height;
  Aabb box = around(X.p - axis, disc_extent(X.R) * cone.radius);
  box.include(X.p + axis);
  return box;
}

Aabb bounds_of(const PlaneGeometry& plane, const Transform& X) {
  const double infinity = std::numeric_limits<double>::infinity();
  // Rounding of a rotation leaves this much slope on a plane that is meant to face an axis.
  constexpr double kSlope = 1e-14;
  Aabb box{Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  const Vec3 normal_W = X.R * plane.normal;
  const Vec3 point_W = X * Vec3(plane.normal * plane.offset);
  for (int i = 0; i < 3; ++i) {
    const bool faces_axis = std::abs(normal_W[(i + 1) % 3]) <= kSlope && std::abs(normal_W[(i + 2) % 3]) <= kSlope;
    if (!faces_axis) continue;
    (normal_W[i] > 0 ? box.upper : box.lower)[i] = point_W[i];
  }
  return box;
}

Aabb bounds_of(const HullGeometry& hull, const Transform& X) {
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    const Vec3 direction_G = X.R.row(i).transpose();
    box.upper[i] = support(hull, direction_G).dot(direction_G) + X.p[i];
    box.lower[i] = support(hull, -direction_G).dot(direction_G) + X.p[i];
  }
  return box;
}

}  // namespace

Aabb compute_bounds(const Geometry& geometry, const Transform& X_WG) {
  return std::visit(
      [&](const auto& kind) -> Aabb {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, std::shared_ptr<const HullGeometry>>) {
          return bounds_of(*kind, X_WG);
        } else if constexpr (requires { bounds_of(kind, X_WG); }) {
          return bounds_of(kind, X_WG);
        } else {
          return around(X_WG * geometry.bounds.center(), X_WG.R.cwiseAbs() * (0.5 * geometry.bounds.extent()));
        }
      },
      geometry.kind);
}

}  // namespace achilles
