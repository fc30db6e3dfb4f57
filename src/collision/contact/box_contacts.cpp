#include "collision/contact/box_manifold.hpp"
#include "collision/contact/old_box_contacts.hpp"
#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/region.hpp"
#include "collision/narrow_phase/box_axes.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

namespace {

constexpr double kEdgePreference = 0.95;  // an edge axis must overlap less than this part of the best face's overlap
constexpr double kSquare = 0.5 * kFaceAngle * kFaceAngle;  // of the distance: what a normal that far off falls short by
constexpr double kRounding = 1e-13;                        // of the size

// The edge of a box along `axis` that is furthest along `direction`.
Segment support_edge(const Vec3& half, int axis, const Vec3& direction) {
  Vec3 middle;
  for (int k = 0; k < 3; ++k) {
    middle[k] = k == axis ? 0.0 : std::copysign(half[k], direction[k]);
  }
  const Vec3 reach = half[axis] * Vec3::Unit(axis);
  return {middle - reach, middle + reach};
}

NearestFeatures nearest_on_edges(const CorePair& pair, const BoxAxis& axis) {
  const Vec3 normal = box_edge_normal(axis, pair.X_AB);
  const Segment a = support_edge(pair.a.half, axis.axis_a, normal);
  const Segment b_local = support_edge(pair.b.half, axis.axis_b, -(pair.X_AB.R.transpose() * normal));
  const Segment b{pair.X_AB * b_local.start, pair.X_AB * b_local.end};
  const SegmentPair parameters = nearest_parameters(a, b);
  return {normal, axis.separation, a.at(parameters.s), b.at(parameters.t)};
}

// The deepest corner, for an overlap whose facing face misses the reference face altogether.
NearestFeatures nearest_on_face(const CorePair& pair, const BoxAxis& axis, bool of_a) {
  const auto corner = [](const Vec3& half, const Vec3& d) {
    return Vec3(std::copysign(half.x(), d.x()), std::copysign(half.y(), d.y()), std::copysign(half.z(), d.z()));
  };
  if (of_a) {
    const Vec3 b = pair.X_AB * corner(pair.b.half, -(pair.X_AB.R.transpose() * axis.normal));
    return {axis.normal, axis.separation, b - axis.separation * axis.normal, b};
  }
  const Vec3 a = corner(pair.a.half, axis.normal);
  return {axis.normal, axis.separation, a, a + axis.separation * axis.normal};
}

// The contact about the true nearest points of two boxes that are apart; false when they are beyond the margin.
bool find_nearest(const CorePair& pair, double margin, NearestFeatures& nearest) {
  GjkOptions options;
  options.beyond = margin;
  options.contact_tolerance = kTouching;
  const GjkResult gjk = compute_gjk(pair, options, nearest.normal);
  if (gjk.status == GjkStatus::kBeyond || gjk.distance > margin) {
    return false;
  }
  if (gjk.status != GjkStatus::kTouching) {
    nearest = {gjk.normal, gjk.distance, gjk.point_a, gjk.point_b};
  }
  return true;
}

// A's face is preferred to B's where the two are parallel, so that rounding does not make the reference alternate.
bool prefers_a(const BoxAxes& axes, double tie) {
  return axes.face_a.normal.dot(axes.face_b.normal) > kFaceCosine ||
         axes.face_a.separation >= axes.face_b.separation - tie;
}

bool prefers_edges(double edges, double face, double tie) {
  return edges > (face < 0 ? kEdgePreference * face : face) + tie;
}

// What touches along a pair of edges that are nearly parallel, end at each other or lie in a face.
void find_by_edges(const CorePair& pair, const BoxAxis& edges, double margin, double tolerance, Manifold& manifold) {
  NearestFeatures nearest = nearest_on_edges(pair, edges);
  // Edges may separate by nearly the distance and yet along another direction than that of the nearest points.
  const double missed = std::min(tolerance, kSquare * edges.separation + kRounding * pair.size());
  const bool attained = (nearest.point_b - nearest.point_a).norm() <= edges.separation + missed;
  if (edges.separation <= 0 || attained || find_nearest(pair, margin, nearest)) {
    make_nearest_manifold(pair, nearest, margin, manifold);
  }
}

// The contact of a face whose region misses it.
void find_beside_face(const CorePair& pair, const BoxAxes& axes, bool of_a, double margin, Manifold& manifold) {
  NearestFeatures nearest = nearest_on_face(pair, of_a ? axes.face_a : axes.face_b, of_a);
  if (std::max({axes.face_a.separation, axes.face_b.separation, axes.edges.separation}) <= 0) {
    manifold.points.push_back(
        {0.5 * (nearest.point_a + nearest.point_b), nearest.separation, make_feature(FeatureKind::kWitness, 0, 0)});
  } else if (find_nearest(pair, margin, nearest)) {
    make_nearest_manifold(pair, nearest, margin, manifold);
  }
}

void find_manifold(const Geometry& a, const Geometry& b, const BoxPair& boxes, double margin, Manifold& manifold) {
  const BoxAxes axes = find_box_axes(boxes.half_a, boxes.half_b, boxes.X_AB, margin);
  if (axes.beyond) return;
  const double size = std::min(a.radius, b.radius);
  const double tolerance = kAttained * size;
  const double best_face = std::max(axes.face_a.separation, axes.face_b.separation);
  if (prefers_edges(axes.edges.separation, best_face, tolerance)) {
    if (make_box_edge_manifold(boxes, axes.edges, margin, manifold)) return;
    const ConvexCore core_a = make_core(a), core_b = make_core(b);
    find_by_edges({core_a, core_b, boxes.X_AB}, axes.edges, margin, tolerance, manifold);
    return;
  }
  const double separation = std::max(best_face, axes.edges.separation);
  const bool of_a = prefers_a(axes, tolerance);
  const BoxAxis& face = of_a ? axes.face_a : axes.face_b;
  const double gap = make_box_face_manifold(boxes, face, of_a, margin, size, manifold);
  if (separation <= 0 ? !manifold.points.empty() : gap <= separation + tolerance) return;
  manifold.points.clear();
  const ConvexCore core_a = make_core(a), core_b = make_core(b);
  find_beside_face({core_a, core_b, boxes.X_AB}, axes, of_a, margin, manifold);
}

}  // namespace

void collide_box_box(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                     const CollideOptions& options, std::vector<ContactPoint>& points) {
  const Vec3 &half_a = std::get<BoxGeometry>(a.kind).half, &half_b = std::get<BoxGeometry>(b.kind).half;
  if (options.boxes == BoxContacts::kOld) {
    return append_old_box_contacts(half_a, X_WA, half_b, X_WB, options.margin, points);
  }
  const Transform X_AB = relative(X_WA, X_WB);
  Manifold manifold;
  find_manifold(a, b, {half_a, half_b, X_AB}, options.margin, manifold);
  append_manifold(manifold, X_WA, options, points);
}

}  // namespace achilles
