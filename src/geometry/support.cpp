#include "geometry/support.hpp"

#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace achilles {
namespace {

// Up to here a scan over contiguous vertices beats hopping along edges.
constexpr std::size_t kScanLimit = 48;

// The rim point of a disc of the given radius in the plane z = height.
Vec3 rim_point(const Vec3& d, double radius, double height) {
  const double length = std::hypot(d.x(), d.y());
  if (length == 0) return {radius, 0, height};
  const double scale = radius / length;
  return {d.x() * scale, d.y() * scale, height};
}

std::uint32_t scan(const HullGeometry& hull, const Vec3& d) {
  std::uint32_t best = 0;
  double best_height = hull.vertices[0].dot(d);
  for (std::uint32_t v = 1; v < hull.vertices.size(); ++v) {
    const double height = hull.vertices[v].dot(d);
    if (height > best_height) {
      best_height = height;
      best = v;
    }
  }
  return best;
}

// Local maxima of a linear function over the edge graph of a convex polyhedron are global. Each move strictly raises
// the height, so no vertex is visited twice and the walk ends. Vertices that stick out by less than rounding can hide a
// neighbour, and then the height missed is of rounding size too.
std::uint32_t climb(const HullGeometry& hull, const Vec3& d, std::uint32_t start) {
  std::uint32_t best = start;
  double best_height = hull.vertices[best].dot(d);
  for (bool moved = true; moved;) {
    moved = false;
    const std::uint32_t first = hull.neighbor_start[best];
    const std::uint32_t last = hull.neighbor_start[best + 1];
    for (std::uint32_t i = first; i < last; ++i) {
      const double height = hull.vertices[hull.neighbors[i]].dot(d);
      if (height > best_height) {
        best_height = height;
        best = hull.neighbors[i];
        moved = true;
      }
    }
  }
  return best;
}

}  // namespace

Vec3 support(const SphereGeometry& sphere, const Vec3& d) {
  const double length = d.stableNorm();
  if (length == 0) return {sphere.radius, 0, 0};
  return d * (sphere.radius / length);
}

Vec3 support(const BoxGeometry& box, const Vec3& d) {
  return {std::copysign(box.half.x(), d.x()), std::copysign(box.half.y(), d.y()), std::copysign(box.half.z(), d.z())};
}

Vec3 support(const CapsuleGeometry& capsule, const Vec3& d) {
  Vec3 point = support(SphereGeometry{capsule.radius}, d);
  point.z() += std::copysign(capsule.half_length, d.z());
  return point;
}

Vec3 support(const CylinderGeometry& cylinder, const Vec3& d) {
  return rim_point(d, cylinder.radius, std::copysign(cylinder.half_height, d.z()));
}

Vec3 support(const ConeGeometry& cone, const Vec3& d) {
  // Apex against rim: h d_z  >=  -h d_z + r |d_xy|.
  if (2 * cone.half_height * d.z() >= cone.radius * std::hypot(d.x(), d.y())) return {0, 0, cone.half_height};
  return rim_point(d, cone.radius, -cone.half_height);
}

std::uint32_t support_vertex(const HullGeometry& hull, const Vec3& d, std::uint32_t start) {
  return hull.vertices.size() <= kScanLimit ? scan(hull, d) : climb(hull, d, start);
}

Vec3 support(const HullGeometry& hull, const Vec3& d) {
  if (hull.vertices.size() <= kScanLimit) return hull.vertices[scan(hull, d)];
  // One of six starts near the extremes of the axes keeps the walk to a fraction of the hull.
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  return hull.vertices[climb(hull, d, hull.axis_extremes[static_cast<std::size_t>(2 * axis + (d[axis] < 0 ? 1 : 0))])];
}

Vec3 support(const Geometry& geometry, const Vec3& direction_G) {
  return std::visit(
      [&](const auto& kind) -> Vec3 {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, std::shared_ptr<const HullGeometry>>) {
          return support(*kind, direction_G);
        } else if constexpr (requires { support(kind, direction_G); }) {
          return support(kind, direction_G);
        } else {
          throw std::invalid_argument("A support point exists for bounded convex shapes only.");
        }
      },
      geometry.kind);
}

}  // namespace achilles
