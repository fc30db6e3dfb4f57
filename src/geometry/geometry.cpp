#include "geometry/geometry.hpp"

#include "geometry/distance_map_geometry.hpp"
#include "geometry/heightfield_geometry.hpp"
#include "geometry/hull.hpp"
#include "geometry/mesh_geometry.hpp"
#include "geometry/shape_check.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The box and the ball about the origin of a shape that is symmetric about both.
Geometry with_symmetric_bounds(GeometryKind kind, const Vec3& half, double radius) {
  return {std::move(kind), Aabb{-half, half}, radius};
}

void include_all(Geometry& geometry, std::span<const Vec3> points) {
  for (const Vec3& point : points) {
    geometry.bounds.include(point);
    geometry.radius = std::max(geometry.radius, point.norm());
  }
}

Geometry make(const Sphere& sphere) {
  check_shape(sphere);
  return with_symmetric_bounds(SphereGeometry{sphere.radius}, Vec3::Constant(sphere.radius), sphere.radius);
}

Geometry make(const Box& box) {
  check_shape(box);
  const Vec3 half = 0.5 * box.size;
  return with_symmetric_bounds(BoxGeometry{half}, half, half.norm());
}

Geometry make(const Capsule& capsule) {
  check_shape(capsule);
  const double half = 0.5 * capsule.length;
  return with_symmetric_bounds(CapsuleGeometry{capsule.radius, half},
                               Vec3(capsule.radius, capsule.radius, half + capsule.radius), half + capsule.radius);
}

Geometry make(const Cylinder& cylinder) {
  check_shape(cylinder);
  const double half = 0.5 * cylinder.height;
  return with_symmetric_bounds(CylinderGeometry{cylinder.radius, half}, Vec3(cylinder.radius, cylinder.radius, half),
                               std::hypot(cylinder.radius, half));
}

Geometry make(const Cone& cone) {
  check_shape(cone);
  const double half = 0.5 * cone.height;
  return with_symmetric_bounds(ConeGeometry{cone.radius, half}, Vec3(cone.radius, cone.radius, half),
                               std::hypot(cone.radius, half));
}

Geometry make(const Plane& plane) {
  check_shape(plane);
  // n·x < d and (n/|n|)·x < d/|n| are the same half-space.
  const double length = plane.normal.stableNorm();
  Geometry geometry{PlaneGeometry{plane.normal / length, plane.offset / length}, {}, kInfinity};
  geometry.bounds = compute_bounds(geometry, Transform{});
  return geometry;
}

Geometry make(const Hull& hull) {
  auto polyhedron = std::make_shared<const HullGeometry>(make_hull(hull.points));
  Geometry geometry;
  include_all(geometry, polyhedron->vertices);
  geometry.kind = std::move(polyhedron);
  return geometry;
}

Geometry make(const Mesh& mesh) {
  auto surface = std::make_shared<const MeshGeometry>(make_mesh_geometry(mesh));
  Geometry geometry;
  include_all(geometry, surface->vertices);
  geometry.kind = std::move(surface);
  return geometry;
}

Geometry make(const Heightfield& field) {
  auto surface = std::make_shared<const HeightfieldGeometry>(make_heightfield_geometry(field));
  Geometry geometry;
  for (int i = 0; i < surface->rows; ++i) {
    for (int j = 0; j < surface->columns; ++j) include_all(geometry, std::array{surface->vertex(i, j)});
  }
  geometry.kind = std::move(surface);
  return geometry;
}

Geometry make(const DistanceMap& map) {
  auto surface = std::make_shared<const DistanceMapGeometry>(make_distance_map(map));
  Geometry geometry;
  include_all(geometry, surface->mesh.vertices);
  geometry.kind = std::move(surface);
  return geometry;
}

Pose checked_pose(const Pose& pose) {
  const double norm = pose.q.coeffs().stableNorm();
  if (!pose.p.allFinite() || !std::isfinite(norm) || norm == 0) {
    throw std::invalid_argument("The pose of a compound's part must be finite and its quaternion not zero.");
  }
  return {pose.p, Quat(pose.q.coeffs() / norm)};
}

void append_pieces(const Shape& shape, const Pose& pose, std::vector<GeometryPiece>& pieces) {
  if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
    for (const CompoundPart& part : compound->parts) {
      const Pose local = checked_pose(part.pose);
      append_pieces(part.shape, {pose.p + pose.q * local.p, (pose.q * local.q).normalized()}, pieces);
    }
    return;
  }
  std::visit(
      [&](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, NoShape>) {
          throw std::invalid_argument("A part of a compound must have a shape.");
        } else if constexpr (!std::is_same_v<Kind, Compound>) {
          pieces.push_back({std::make_shared<const Geometry>(make(kind)), pose});
        }
      },
      shape.kind);
}

}  // namespace

std::vector<GeometryPiece> make_geometry(const Shape& shape) {
  std::vector<GeometryPiece> pieces;
  if (std::holds_alternative<NoShape>(shape.kind)) return pieces;
  append_pieces(shape, Pose{}, pieces);
  if (pieces.empty()) throw std::invalid_argument("A compound must have at least one part.");
  return pieces;
}

bool is_convex(const Geometry& geometry) {
  return !std::holds_alternative<std::shared_ptr<const MeshGeometry>>(geometry.kind) &&
         !std::holds_alternative<std::shared_ptr<const HeightfieldGeometry>>(geometry.kind) &&
         !std::holds_alternative<std::shared_ptr<const DistanceMapGeometry>>(geometry.kind);
}

}  // namespace achilles
