#include "collision/contact/collide.hpp"
#include "collision/contact/distance_map_contacts.hpp"
#include "collision/contact/surface_distance.hpp"
#include "collision/narrow_phase/penetration.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {

namespace {

SignedDistance swapped(const SignedDistance& result) {
  return {result.distance, result.point_b, result.point_a, -result.normal};
}

// Against a plane the support point decides, whatever the shape.
SignedDistance distance_to_plane(const Geometry& a, const Transform& X_WA, const PlaneGeometry& plane,
                                 const Transform& X_WB) {
  const ConvexCore core = make_core(a);
  const Vec3 normal = X_WB.R * plane.normal;
  const Vec3 deepest = X_WA * support(core, -(X_WA.R.transpose() * normal)) - core.radius * normal;
  SignedDistance result;
  result.distance = normal.dot(deepest - X_WB.p) - plane.offset;
  result.normal = -normal;
  result.point_a = deepest;
  result.point_b = deepest - result.distance * normal;
  return result;
}

SignedDistance distance_of_convex(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB) {
  const ConvexCore core_a = make_core(a), core_b = make_core(b);
  CoreDistanceOptions options;
  options.polish = true;
  const CoreDistance cores = compute_core_distance({core_a, core_b, relative(X_WA, X_WB)}, options);
  SignedDistance result;
  result.distance = cores.distance - core_a.radius - core_b.radius;
  result.normal = X_WA.R * cores.normal;
  result.point_a = X_WA * Vec3(cores.point_a + core_a.radius * cores.normal);
  result.point_b = X_WA * Vec3(cores.point_b - core_b.radius * cores.normal);
  return result;
}

bool is_surface(const Geometry& geometry) {
  return std::holds_alternative<std::shared_ptr<const MeshGeometry>>(geometry.kind) ||
         std::holds_alternative<std::shared_ptr<const HeightfieldGeometry>>(geometry.kind);
}

SignedDistance of_point(const ContactPoint& point) {
  const Vec3 half = 0.5 * point.gap * point.normal;
  return {point.gap, point.position - half, point.position + half, point.normal};
}

SignedDistance refuse() {
  throw std::invalid_argument("signed distance: a mesh or height field has one to bounded convex shapes only");
}

}  // namespace

SignedDistance compute_signed_distance(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                       const Transform& X_WB) {
  std::vector<ContactPoint> scratch;
  return compute_signed_distance(a, X_WA, b, X_WB, scratch);
}

SignedDistance compute_signed_distance(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                       const Transform& X_WB, std::vector<ContactPoint>& scratch) {
  const auto* plane_a = std::get_if<PlaneGeometry>(&a.kind);
  const auto* plane_b = std::get_if<PlaneGeometry>(&b.kind);
  if (plane_a && plane_b) {
    return {std::numeric_limits<double>::infinity(), Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ()};
  }
  if (std::holds_alternative<std::shared_ptr<const DistanceMapGeometry>>(b.kind)) {
    return of_point(find_least_map_gap(a, X_WA, b, X_WB, scratch));
  }
  if (std::holds_alternative<std::shared_ptr<const DistanceMapGeometry>>(a.kind)) {
    return swapped(of_point(find_least_map_gap(b, X_WB, a, X_WA, scratch)));
  }
  if (is_surface(b)) {
    return is_convex(a) && !plane_a ? compute_surface_distance(a, X_WA, b, X_WB, scratch) : refuse();
  }
  if (is_surface(a)) {
    return is_convex(b) && !plane_b ? swapped(compute_surface_distance(b, X_WB, a, X_WA, scratch)) : refuse();
  }
  if (plane_b) {
    return distance_to_plane(a, X_WA, *plane_b, X_WB);
  }
  if (plane_a) {
    return swapped(distance_to_plane(b, X_WB, *plane_a, X_WA));
  }
  return distance_of_convex(a, X_WA, b, X_WB);
}

double compute_depth(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                     std::vector<ContactPoint>& scratch) {
  const bool a_is_map = std::holds_alternative<std::shared_ptr<const DistanceMapGeometry>>(a.kind);
  if (!a_is_map && !std::holds_alternative<std::shared_ptr<const DistanceMapGeometry>>(b.kind)) {
    const double distance = compute_signed_distance(a, X_WA, b, X_WB, scratch).distance;
    return distance >= 0 ? 0 : -distance;  // what is not a number stays, so that it is not taken for none
  }
  scratch.clear();
  if (std::holds_alternative<std::shared_ptr<const DistanceMapGeometry>>(b.kind)) {
    append_map_contacts(a, X_WA, b, X_WB, {}, scratch);
  } else {
    append_map_contacts(b, X_WB, a, X_WA, {}, scratch);
  }
  double depth = 0;
  for (const ContactPoint& point : scratch) depth = std::max(depth, -point.gap);
  return depth;
}

}  // namespace achilles
