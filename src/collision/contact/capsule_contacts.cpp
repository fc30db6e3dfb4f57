#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/polytope_manifold.hpp"
#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/gjk.hpp"
#include "collision/narrow_phase/segment.hpp"

namespace achilles {

namespace {

constexpr double kTouching = 1e-10;  // of the size: nearer than that the direction between the cores is rounding

// Some unit vector square to both directions, also when they are parallel or zero.
Vec3 common_perpendicular(const Vec3& d1, const Vec3& d2) {
  const Vec3 cross = d1.cross(d2);
  if (cross.squaredNorm() > 1e-20 * d1.squaredNorm() * d2.squaredNorm()) {
    return cross.normalized();
  }
  return d1.squaredNorm() > 0 ? d1.unitOrthogonal() : Vec3::UnitX();
}

BoxAxis best_axis(const BoxAxes& axes) {
  const BoxAxis& face = axes.face_a.separation >= axes.face_b.separation ? axes.face_a : axes.face_b;
  return axes.edges.separation > face.separation ? axes.edges : face;
}

}  // namespace

void collide_capsule_capsule(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                             const CollideOptions& options, std::vector<ContactPoint>& points) {
  const auto& capsule_a = std::get<CapsuleGeometry>(a.kind);
  const auto& capsule_b = std::get<CapsuleGeometry>(b.kind);
  const Transform X_AB = relative(X_WA, X_WB);
  const SegmentPolytope polytope_a(capsule_a.half_length), polytope_b(capsule_b.half_length);
  const PolytopeView view_a = polytope_a.view(), view_b = polytope_b.view();
  const Segment segment_a{view_a.vertices[0], view_a.vertices[1]};
  const Segment segment_b{X_AB * view_b.vertices[0], X_AB * view_b.vertices[1]};

  const SegmentPair parameters = nearest_parameters(segment_a, segment_b);
  NearestFeatures nearest;
  nearest.point_a = segment_a.at(parameters.s);
  nearest.point_b = segment_b.at(parameters.t);
  const Vec3 between = nearest.point_b - nearest.point_a;
  nearest.separation = between.norm();
  if (nearest.separation > kTouching * (a.radius + b.radius)) {
    nearest.normal = between / nearest.separation;
  } else {
    nearest.normal = common_perpendicular(segment_a.end - segment_a.start, segment_b.end - segment_b.start);
  }
  Manifold manifold;
  make_nearest_manifold({view_a, view_b, X_AB, capsule_a.radius, capsule_b.radius}, nearest, options.margin, manifold);
  append_manifold(manifold, X_WA, options, points);
}

void collide_box_capsule(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                         const CollideOptions& options, std::vector<ContactPoint>& points) {
  const Vec3& half = std::get<BoxGeometry>(a.kind).half;
  const auto& capsule = std::get<CapsuleGeometry>(b.kind);
  const ConvexCore core_a = make_core(a), core_b = make_core(b);
  const CorePair cores{core_a, core_b, relative(X_WA, X_WB)};

  GjkOptions gjk_options;
  gjk_options.beyond = options.margin + capsule.radius;
  gjk_options.contact_tolerance = kTouching;
  const GjkResult gjk = compute_gjk(cores, gjk_options, cores.X_AB.p);
  if (gjk.status == GjkStatus::kBeyond) {
    return;
  }
  NearestFeatures nearest{gjk.normal, gjk.distance, gjk.point_a, gjk.point_b};
  if (gjk.status == GjkStatus::kTouching) {
    const BoxAxis axis = best_axis(find_box_axes(half, core_b.half, cores.X_AB, cores.size()));
    nearest.normal = axis.normal;
    nearest.separation = axis.separation;
    nearest.point_b = cores.X_AB * support(core_b, -(cores.X_AB.R.transpose() * axis.normal));
    nearest.point_a = nearest.point_b - axis.separation * axis.normal;
  }
  const BoxPolytope box(half);
  const SegmentPolytope segment(capsule.half_length);
  const PolytopeView view_a = box.view(), view_b = segment.view();
  Manifold manifold;
  make_nearest_manifold({view_a, view_b, cores.X_AB, 0, capsule.radius}, nearest, options.margin, manifold);
  append_manifold(manifold, X_WA, options, points);
}

}  // namespace achilles
