#include "collision/queries/closest_point.hpp"

#include "collision/narrow_phase/penetration.hpp"
#include "geometry/distance_map_geometry.hpp"
#include "geometry/heightfield_geometry.hpp"
#include "geometry/mesh_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

/// From the nearest point of a core with a rounding radius; `fallback` is the normal where x lies on the core.
ClosestPoint around(const Vec3& core_point, double radius, const Vec3& x, const Vec3& fallback) {
  const Vec3 r = x - core_point;
  const double length = r.norm();
  const Vec3 normal = length > 0 ? Vec3(r / length) : fallback;
  return {length - radius, core_point + radius * normal, normal};
}

/// The same for points (ρ, z) of the half plane ρ ≥ 0 that a solid of revolution is the turn of.
struct ProfilePoint {
  double distance = std::numeric_limits<double>::infinity();
  Vec2 point = Vec2::Zero();
  Vec2 normal = Vec2::UnitY();
};

/// Nearest point of the segment from a to b, which has the solid on its left.
ProfilePoint nearest_on_side(const Vec2& a, const Vec2& b, const Vec2& x) {
  const Vec2 along = b - a;
  const Vec2 outward = Vec2(along.y(), -along.x()).normalized();
  const double t = along.dot(x - a) / along.squaredNorm();
  if (t >= 0 && t <= 1) return {std::abs(outward.dot(x - a)), a + t * along, outward};
  const Vec2& end = t < 0 ? a : b;
  const double distance = (x - end).norm();
  return {distance, end, distance > 0 ? Vec2((x - end) / distance) : outward};
}

/// Profile given by its corners from the axis round to the axis again, the solid on the left.
ClosestPoint revolve(std::span<const Vec2> corners, const Vec3& x) {
  const double rho = x.head<2>().norm();
  const Vec2 radial = rho > 0 ? Vec2(x.head<2>() / rho) : Vec2(Vec2::UnitX());
  const Vec2 flat(rho, x.z());
  ProfilePoint best;
  bool inside = true;
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    const Vec2 along = corners[i + 1] - corners[i];
    inside = inside && along.x() * (flat.y() - corners[i].y()) - along.y() * (flat.x() - corners[i].x()) >= 0;
    const ProfilePoint candidate = nearest_on_side(corners[i], corners[i + 1], flat);
    if (candidate.distance < best.distance) best = candidate;
  }
  // Inside, the nearest point lies within a side, whose normal is outward already.
  const double sign = inside ? -1 : 1;
  const auto lift = [&](const Vec2& p) { return Vec3(p.x() * radial.x(), p.x() * radial.y(), p.y()); };
  return {sign * best.distance, lift(best.point), lift(best.normal)};
}

ClosestPoint nearest_to_hull(const HullGeometry& hull, double size, const Vec3& x) {
  std::size_t nearest = 0;
  double height = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const double above = hull.face_normals[f].dot(x) - hull.face_offsets[f];
    if (above > height) {
      height = above;
      nearest = f;
    }
  }
  const Vec3& normal = hull.face_normals[nearest];
  if (height <= 0) return {height, x - height * normal, normal};
  const ConvexCore core = make_core(make_view(hull, size));
  const ConvexCore point;
  const CoreDistance apart = compute_core_distance({core, point, {Mat3::Identity(), x}}, {});
  if (apart.distance <= 0) return {height, x - height * normal, normal};
  return {apart.distance, apart.point_a, apart.normal};
}

template <class Surface>
ClosestPoint nearest_to_surface(const Surface& surface, const Vec3& x, double limit) {
  const SurfacePoint found = find_closest_point(surface, x, limit);
  if (found.triangle == kNoTriangle) return {};
  const Vec3 normal =
      found.distance > 0 ? Vec3((x - found.point) / found.distance) : surface.triangle(found.triangle).normal;
  return {found.distance, found.point, normal};
}

struct Nearest {
  Vec3 x;
  double size;
  double limit;

  ClosestPoint operator()(const SphereGeometry& sphere) const {
    return around(Vec3::Zero(), sphere.radius, x, Vec3::UnitZ());
  }
  ClosestPoint operator()(const BoxGeometry& box) const {
    const Vec3 clamped = x.cwiseMax(-box.half).cwiseMin(box.half);
    if (clamped != x) return around(clamped, 0, x, Vec3::UnitZ());
    Eigen::Index axis = 0;
    const double room = (box.half - x.cwiseAbs()).minCoeff(&axis);
    const Vec3 normal = std::copysign(1.0, x[axis]) * Vec3::Unit(axis);
    return {-room, x + room * normal, normal};
  }
  ClosestPoint operator()(const CapsuleGeometry& capsule) const {
    const Vec3 core(0, 0, std::clamp(x.z(), -capsule.half_length, capsule.half_length));
    return around(core, capsule.radius, x, Vec3::UnitX());
  }
  ClosestPoint operator()(const CylinderGeometry& cylinder) const {
    const double r = cylinder.radius, h = cylinder.half_height;
    return revolve(std::array{Vec2(0, -h), Vec2(r, -h), Vec2(r, h), Vec2(0, h)}, x);
  }
  ClosestPoint operator()(const ConeGeometry& cone) const {
    const double r = cone.radius, h = cone.half_height;
    return revolve(std::array{Vec2(0, -h), Vec2(r, -h), Vec2(0, h)}, x);
  }
  ClosestPoint operator()(const PlaneGeometry& plane) const {
    const double height = plane.normal.dot(x) - plane.offset;
    return {height, x - height * plane.normal, plane.normal};
  }
  ClosestPoint operator()(const std::shared_ptr<const HullGeometry>& hull) const {
    return nearest_to_hull(*hull, size, x);
  }
  ClosestPoint operator()(const std::shared_ptr<const MeshGeometry>& mesh) const {
    return nearest_to_surface(*mesh, x, limit);
  }
  ClosestPoint operator()(const std::shared_ptr<const HeightfieldGeometry>& field) const {
    return nearest_to_surface(*field, x, limit);
  }
  ClosestPoint operator()(const std::shared_ptr<const DistanceMapGeometry>& map) const {
    return nearest_to_surface(map->mesh, x, limit);
  }
};

}  // namespace

ClosestPoint find_closest_point(const Geometry& geometry, const Transform& X_WG, const Vec3& x_W, double limit) {
  ClosestPoint found = std::visit(Nearest{X_WG.to_local(x_W), geometry.radius, limit}, geometry.kind);
  found.point = X_WG * found.point;
  found.normal = X_WG.R * found.normal;
  return found;
}

}  // namespace achilles
