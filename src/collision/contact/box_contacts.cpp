#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/polytope_manifold.hpp"
#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/gjk.hpp"
#include "collision/narrow_phase/segment.hpp"

#include <cmath>

namespace achilles {

namespace {

constexpr double kAttained = 1e-6;        // of the size: how far the region may miss the separation of its axis
constexpr double kEdgePreference = 0.95;  // an edge axis must overlap less than this part of the best face's overlap
constexpr double kTouching = 1e-10;       // of the size: nearer than that GJK's direction is rounding

struct BoxPair {
  const Vec3& half_a;
  const Vec3& half_b;
  Transform X_AB;
};

// The edge of a box along `axis` that is furthest along `direction`.
Segment support_edge(const Vec3& half, int axis, const Vec3& direction) {
  Vec3 middle;
  for (int k = 0; k < 3; ++k) {
    middle[k] = k == axis ? 0.0 : std::copysign(half[k], direction[k]);
  }
  const Vec3 reach = half[axis] * Vec3::Unit(axis);
  return {middle - reach, middle + reach};
}

NearestFeatures nearest_on_edges(const BoxPair& pair, const BoxAxis& axis) {
  const Segment a = support_edge(pair.half_a, axis.axis_a, axis.normal);
  const Segment b_local = support_edge(pair.half_b, axis.axis_b, -(pair.X_AB.R.transpose() * axis.normal));
  const Segment b{pair.X_AB * b_local.start, pair.X_AB * b_local.end};
  const SegmentPair parameters = nearest_parameters(a, b);
  return {axis.normal, axis.separation, a.at(parameters.s), b.at(parameters.t)};
}

// The deepest corner, for an overlap whose facing face misses the reference face altogether.
NearestFeatures nearest_on_face(const BoxPair& pair, const BoxAxis& axis, bool of_a) {
  const auto corner = [](const Vec3& half, const Vec3& d) {
    return Vec3(std::copysign(half.x(), d.x()), std::copysign(half.y(), d.y()), std::copysign(half.z(), d.z()));
  };
  if (of_a) {
    const Vec3 b = pair.X_AB * corner(pair.half_b, -(pair.X_AB.R.transpose() * axis.normal));
    return {axis.normal, axis.separation, b - axis.separation * axis.normal, b};
  }
  const Vec3 a = corner(pair.half_a, axis.normal);
  return {axis.normal, axis.separation, a, a + axis.separation * axis.normal};
}

// The contact about the true nearest points of two boxes that are apart; false when they are beyond the margin.
bool find_nearest(const BoxPair& pair, double margin, NearestFeatures& nearest) {
  const ConvexCore core_a{ConvexCore::Kind::kBox, pair.half_a, {}, 0, pair.half_a.norm()};
  const ConvexCore core_b{ConvexCore::Kind::kBox, pair.half_b, {}, 0, pair.half_b.norm()};
  GjkOptions options;
  options.beyond = margin;
  options.contact_tolerance = kTouching;
  const GjkResult gjk = compute_gjk({core_a, core_b, pair.X_AB}, options, nearest.normal);
  if (gjk.status == GjkStatus::kBeyond || gjk.distance > margin) {
    return false;
  }
  if (gjk.status != GjkStatus::kTouching) {
    nearest = {gjk.normal, gjk.distance, gjk.point_a, gjk.point_b};
  }
  return true;
}

struct FaceChoice {
  const BoxAxis* axis;
  ReferenceFace reference;
};

// A's face is preferred to B's where the two are parallel, so that rounding does not make the reference alternate.
FaceChoice choose_face(const BoxPair& pair, const BoxAxes& axes, double tie) {
  const bool parallel = axes.face_a.normal.dot(axes.face_b.normal) > 1 - 0.5 * kFaceAngle * kFaceAngle;
  if (parallel || axes.face_a.separation >= axes.face_b.separation - tie) {
    const int i = axes.face_a.axis_a;
    return {&axes.face_a, {true, static_cast<std::uint32_t>(2 * i + (axes.face_a.normal[i] < 0))}};
  }
  const int j = axes.face_b.axis_b;
  const bool outward = pair.X_AB.R.col(j).dot(axes.face_b.normal) < 0;
  return {&axes.face_b, {false, static_cast<std::uint32_t>(2 * j + !outward)}};
}

bool prefers_edges(double edges, double face, double tie) {
  return edges > (face < 0 ? kEdgePreference * face : face) + tie;
}

void find_manifold(const BoxPair& pair, const BoxAxes& axes, const CollideOptions& options, Manifold& manifold) {
  const BoxPolytope box_a(pair.half_a), box_b(pair.half_b);
  const PolytopeView view_a = box_a.view(), view_b = box_b.view();
  const PolytopePair polytopes{view_a, view_b, pair.X_AB, 0, 0};
  const double tolerance = kAttained * polytopes.size();
  const FaceChoice face = choose_face(pair, axes, tolerance);
  const double best_face = std::max(axes.face_a.separation, axes.face_b.separation);
  const double separation = std::max(best_face, axes.edges.separation);

  NearestFeatures nearest;
  if (prefers_edges(axes.edges.separation, best_face, tolerance)) {
    nearest = nearest_on_edges(pair, axes.edges);
    const bool attained = (nearest.point_b - nearest.point_a).norm() <= separation + tolerance;
    if (separation <= 0 || attained || find_nearest(pair, options.margin, nearest)) {
      make_nearest_manifold(polytopes, nearest, options.margin, manifold);
    }
    return;
  }
  const double gap = make_face_manifold(polytopes, face.reference, options.margin, manifold);
  if (separation <= 0 ? !manifold.points.empty() : gap <= separation + tolerance) {
    return;
  }
  manifold.points.clear();
  nearest = nearest_on_face(pair, *face.axis, face.reference.of_a);
  if (separation <= 0) {
    manifold.points.push_back(
        {0.5 * (nearest.point_a + nearest.point_b), nearest.separation, make_feature(FeatureKind::kWitness, 0, 0)});
  } else if (find_nearest(pair, options.margin, nearest)) {
    make_nearest_manifold(polytopes, nearest, options.margin, manifold);
  }
}

}  // namespace

void collide_box_box(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                     const CollideOptions& options, std::vector<ContactPoint>& points) {
  const BoxPair pair{std::get<BoxGeometry>(a.kind).half, std::get<BoxGeometry>(b.kind).half, relative(X_WA, X_WB)};
  const BoxAxes axes = find_box_axes(pair.half_a, pair.half_b, pair.X_AB, options.margin);
  if (axes.beyond) {
    return;
  }
  Manifold manifold;
  find_manifold(pair, axes, options, manifold);
  append_manifold(manifold, X_WA, options, points);
}

}  // namespace achilles
