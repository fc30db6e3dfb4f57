#include "geometry/geometry.hpp"

#include "geometry/hull.hpp"
#include "geometry/shape_check.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The box and the ball about the origin of a shape that is symmetric about both.
Geometry with_symmetric_bounds(GeometryKind kind, const Vec3& half, double radius) {
  return {std::move(kind), Aabb{-half, half}, radius};
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
  for (const Vec3& vertex : polyhedron->vertices) {
    geometry.bounds.include(vertex);
    geometry.radius = std::max(geometry.radius, vertex.norm());
  }
  geometry.kind = std::move(polyhedron);
  return geometry;
}

Geometry make(const Mesh&) { throw std::invalid_argument("Triangle meshes cannot collide yet."); }
Geometry make(const Heightfield&) { throw std::invalid_argument("Height fields cannot collide yet."); }
Geometry make(const DistanceMap&) { throw std::invalid_argument("Distance maps cannot collide yet."); }

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
        if constexpr (!std::is_same_v<std::decay_t<decltype(kind)>, Compound>) {
          pieces.push_back({std::make_shared<const Geometry>(make(kind)), pose});
        }
      },
      shape.kind);
}

}  // namespace

std::vector<GeometryPiece> make_geometry(const Shape& shape) {
  std::vector<GeometryPiece> pieces;
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
