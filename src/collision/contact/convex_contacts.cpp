#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/region.hpp"
#include "collision/narrow_phase/penetration.hpp"

namespace achilles {

namespace {

// Some unit vector square to both directions, also when they are parallel or zero.
Vec3 common_perpendicular(const Vec3& d1, const Vec3& d2) {
  const Vec3 cross = d1.cross(d2);
  if (cross.squaredNorm() > 1e-20 * d1.squaredNorm() * d2.squaredNorm()) {
    return cross.normalized();
  }
  return d1.squaredNorm() > 0 ? d1.unitOrthogonal() : Vec3::UnitX();
}

}  // namespace

void find_convex_manifold(const CorePair& pair, double margin, Manifold& manifold) {
  CoreDistanceOptions options;
  options.beyond = margin + pair.radius();
  options.contact_tolerance = kTouching;
  options.witnesses = false;
  const CoreDistance cores = compute_core_distance(pair, options);
  manifold.points.clear();
  if (!cores.beyond) {
    make_nearest_manifold(pair, {cores.normal, cores.distance, cores.point_a, cores.point_b, cores.has_points}, margin,
                          manifold);
  }
}

void collide_convex(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                    const CollideOptions& options, std::vector<ContactPoint>& points) {
  const ConvexCore core_a = make_core(a), core_b = make_core(b);
  Manifold manifold;
  find_convex_manifold({core_a, core_b, relative(X_WA, X_WB)}, options.margin, manifold);
  append_manifold(manifold, X_WA, options, points);
}

void collide_capsule_capsule(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                             const CollideOptions& options, std::vector<ContactPoint>& points) {
  const ConvexCore core_a = make_core(a), core_b = make_core(b);
  const CorePair pair{core_a, core_b, relative(X_WA, X_WB)};
  const Segment segment_a{-core_a.half, core_a.half};
  const Segment segment_b{pair.X_AB * Vec3(-core_b.half), pair.X_AB * core_b.half};

  const SegmentPair parameters = nearest_parameters(segment_a, segment_b);
  NearestFeatures nearest;
  nearest.point_a = segment_a.at(parameters.s);
  nearest.point_b = segment_b.at(parameters.t);
  const Vec3 between = nearest.point_b - nearest.point_a;
  nearest.separation = between.norm();
  if (nearest.separation > kTouching * pair.size()) {
    nearest.normal = between / nearest.separation;
  } else {
    nearest.normal = common_perpendicular(segment_a.end - segment_a.start, segment_b.end - segment_b.start);
  }
  Manifold manifold;
  make_nearest_manifold(pair, nearest, options.margin, manifold);
  append_manifold(manifold, X_WA, options, points);
}

}  // namespace achilles
