#include "collision/contact/pair_contacts.hpp"
#include "collision/narrow_phase/segment.hpp"

#include <cmath>

namespace achilles {

namespace {

// Contact of two balls, given the normal to use when their centres coincide.
void append_balls(const Vec3& center_a, double radius_a, const Vec3& center_b, double radius_b, const Vec3& fallback,
                  double margin, std::vector<ContactPoint>& points) {
  const Vec3 between = center_b - center_a;
  const double distance = between.norm();
  const double gap = distance - radius_a - radius_b;
  if (gap > margin) {
    return;
  }
  const Vec3 normal = distance > 0 ? Vec3(between / distance) : fallback;
  points.push_back({center_a + (radius_a + 0.5 * gap) * normal, normal, gap, 0});
}

struct BoxProjection {
  Vec3 point;       // of the box's surface nearest to the query
  Vec3 normal;      // outward, unit
  double distance;  // signed
};

BoxProjection project_on_box(const Vec3& half, const Vec3& x) {
  const Vec3 clamped = x.cwiseMax(-half).cwiseMin(half);
  const Vec3 outward = x - clamped;
  const double distance = outward.norm();
  // A centre this near to the surface leaves no direction to normalize; the face's own normal is exact.
  if (distance > 1e-12 * half.norm()) {
    return {clamped, outward / distance, distance};
  }
  int axis = 0;
  const Vec3 depth = half - x.cwiseAbs();
  for (int k = 1; k < 3; ++k) {
    if (depth[k] < depth[axis]) {
      axis = k;
    }
  }
  BoxProjection projection{clamped, std::copysign(1.0, x[axis]) * Vec3::Unit(axis), -depth[axis]};
  projection.point[axis] = std::copysign(half[axis], x[axis]);
  return projection;
}

}  // namespace

void collide_balls(const Vec3& center_a, double radius_a, const Vec3& center_b, double radius_b, double margin,
                   std::vector<ContactPoint>& points) {
  append_balls(center_a, radius_a, center_b, radius_b, Vec3::UnitZ(), margin, points);
}

void collide_sphere_sphere(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                           const CollideOptions& options, std::vector<ContactPoint>& points) {
  collide_balls(X_WA.p, std::get<SphereGeometry>(a.kind).radius, X_WB.p, std::get<SphereGeometry>(b.kind).radius,
                options.margin, points);
}

void collide_sphere_box(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                        const CollideOptions& options, std::vector<ContactPoint>& points) {
  const double radius = std::get<SphereGeometry>(a.kind).radius;
  const BoxProjection projection = project_on_box(std::get<BoxGeometry>(b.kind).half, X_WB.to_local(X_WA.p));
  const double gap = projection.distance - radius;
  if (gap > options.margin) {
    return;
  }
  const Vec3 midway = X_WB * (projection.point + 0.5 * gap * projection.normal);
  points.push_back({midway, -(X_WB.R * projection.normal), gap, 0});
}

void collide_sphere_capsule(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                            const CollideOptions& options, std::vector<ContactPoint>& points) {
  const auto& capsule = std::get<CapsuleGeometry>(b.kind);
  const Vec3 axis = X_WB.R.col(2);
  const double along = std::clamp(axis.dot(X_WA.p - X_WB.p), -capsule.half_length, capsule.half_length);
  append_balls(X_WA.p, std::get<SphereGeometry>(a.kind).radius, X_WB.p + along * axis, capsule.radius, X_WB.R.col(0),
               options.margin, points);
}

}  // namespace achilles
