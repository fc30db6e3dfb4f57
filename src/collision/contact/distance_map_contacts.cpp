// Contacts of distance maps, [Erleben04, sec. 6.2]: points of one surface looked up in the distance of the other.
#include "collision/contact/distance_map_contacts.hpp"

#include "collision/contact/manifold.hpp"
#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/support_face.hpp"
#include "collision/contact/surface.hpp"
#include "collision/contact/surface_points.hpp"
#include "collision/narrow_phase/penetration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace achilles {

namespace {

// Cosine. Samples of a round surface have a normal each; those within a third of a radian of the deepest stand for one
// place of contact.
constexpr double kSameFace = 0.94;
constexpr double kSameFaceSine = 0.34;   // of the same angle
constexpr double kLeastAgreement = 0.5;  // cosine between a gradient and the nearest direction of touch
constexpr double kLeastSlope = 1e-3;     // [rad]
constexpr double kMapRounding = 1e-6;    // relative, of lengths in a map
constexpr int kEdgeParts = 4;            // edges of convex shapes are looked up at so many points

// What gives the signed distance of a point: the other side of a pair. Points and normals are in the field's
// own frame; may_reach allows balls of samples to be skipped.
struct PointDistance {
  double distance = 0;  // [m]
  Vec3 n_out = Vec3::UnitZ();
};

const PointDistance kNowhere{std::numeric_limits<double>::infinity(), Vec3::UnitZ()};

struct PlaneField {
  const PlaneGeometry& plane;
  double margin;
  [[nodiscard]] PointDistance operator()(const Vec3& x) const {
    return {plane.normal.dot(x) - plane.offset, plane.normal};
  }
  [[nodiscard]] bool may_reach(const Vec3& x, double radius) const { return (*this)(x).distance <= radius + margin; }
};

struct CoreField {
  const ConvexCore& core;
  double margin;
  [[nodiscard]] PointDistance operator()(const Vec3& x) const {
    const ConvexCore point{ConvexCore::Kind::kPoint, Vec3::Zero(), {}, 0, 0};
    const CoreDistance found = compute_core_distance({core, point, {Mat3::Identity(), x}}, {});
    return {found.distance - core.radius, found.normal};
  }
  [[nodiscard]] bool may_reach(const Vec3& x, double radius) const { return (*this)(x).distance <= radius + margin; }
};

// The distance of a mesh of which the map is known. Where the surface may be within the error of the map, the mesh
// itself is looked up: at bent edges the interpolation rounds the surface off by up to half a cell, a thousand times
// the depth of a resting contact. Deeper inside, the map decides.
struct MapField {
  MapField(const DistanceMapGeometry& geometry, double look_ahead, double look_beside)
      : map(geometry),
        margin(look_ahead),
        beside(look_beside),
        error(map.grid.error_up_to(look_ahead)),
        depth(map.grid.error_up_to(0)) {}
  const DistanceMapGeometry& map;
  double margin, beside;  // [m]
  double error;           // [m] of the map up to the margin
  double depth;           // [m] and inside
  [[nodiscard]] PointDistance operator()(const Vec3& x) const {
    if (map.grid.bound_below(x) > margin) return kNowhere;
    const DistanceGrid::Value value = map.grid.look_up(x);
    if (value.distance < -depth) {
      const double length = value.gradient.norm();
      return {value.distance, length > 1e-9 ? Vec3(value.gradient / length) : Vec3::UnitZ()};
    }
    if (value.distance > margin + error) return kNowhere;
    // Truly within the margin outside, or inside by as much as the map may be wrong; nor farther than the map has it.
    const double farthest = (1 + kMapRounding) * (std::abs(value.distance) + error);
    const double limit = std::min(std::max(margin, error - value.distance), farthest);
    const SurfacePoint nearest = find_closest_point(map.mesh, x, limit);
    return nearest.triangle == kNoTriangle ? kNowhere : measure(x, nearest);
  }
  [[nodiscard]] bool may_reach(const Vec3& x, double radius) const {
    return map.grid.bound_below(x) <= radius + margin && map.grid.bound_look_up(x, radius) <= margin + error;
  }

 private:
  [[nodiscard]] PointDistance measure(const Vec3& x, const SurfacePoint& nearest) const {
    const bool inside = is_inside(map.mesh, x, nearest);
    const Vec3 away = inside ? Vec3(nearest.point - x) : Vec3(x - nearest.point);
    const bool is_face = nearest.feature == TriangleFeature::kFace || nearest.distance < 1e-12;
    return {inside ? -nearest.distance : nearest.distance,
            is_face ? map.mesh.normals[nearest.triangle] : Vec3(away / nearest.distance)};
  }
};

template <typename Surface>
struct SurfaceField {
  const Surface& surface;
  double margin;
  [[nodiscard]] PointDistance operator()(const Vec3& x) const {
    const SurfacePoint nearest = find_closest_point(surface, x);
    const bool inside = is_inside(surface, x, nearest);
    const Vec3 away = inside ? Vec3(nearest.point - x) : Vec3(x - nearest.point);
    const Vec3 n = nearest.distance > 1e-12 ? Vec3(away / nearest.distance) : surface.triangle(nearest.triangle).normal;
    return {inside ? -nearest.distance : nearest.distance, n};
  }
  [[nodiscard]] bool may_reach(const Vec3& x, double radius) const { return (*this)(x).distance <= radius + margin; }
};

// Takes points in the frame F of a field. n_sign is +1 when the field belongs to a, whose outward normal then points
// to b.
struct PointSink {
  double margin;
  double n_sign;
  Transform X_WF;
  std::vector<ContactPoint>& points;

  void add(const Vec3& x, const PointDistance& at, double radius, std::uint32_t feature) const {
    const double gap = at.distance - radius;
    if (gap > margin) return;
    const Vec3 n = X_WF.R * at.n_out;
    points.push_back({X_WF * x - (radius + 0.5 * gap) * n, n_sign * n, gap, feature});
  }
};

// Turns the normal to the nearest direction in which the surface of a sample can be touched; false where none is near.
// The gap of a sample outside, measured along that direction, is shorter by the cosine, the length of the projection.
bool align_with_cone(std::span<const Vec3> cone, const Mat3& R_FM, PointDistance& at) {
  if (cone.empty()) return true;
  const Vec3 into = project_onto_cone(cone, -(R_FM.transpose() * at.n_out));
  const double length = into.norm();
  if (length < kLeastAgreement) return false;
  at.n_out = -(R_FM * into) / length;
  if (at.distance > 0) at.distance *= length;
  return true;
}

// Of two boxes that lie edge over edge, samples of the edges are nearer to a side of the other box than to its face,
// and the side cannot touch them. What can is the nearest part of the surface that faces the sample: its plane gives
// the gap where the sample is above it. A sample beside it, no farther than `beside`, whose own surface reaches as far
// over it stands for the place where its surface passes the edge: so two corners that cross, neither within the other,
// touch where their edges do. False for no contact. A sample deeper than the error of the map keeps its gradient, which
// is all that is known.
bool find_touch(const MapField& field, Vec3& x, const DistanceMapGeometry& own, std::span<const Vec3> cone,
                const Transform& X_FM, PointDistance& at) {
  if (align_with_cone(cone, X_FM.R, at) || at.distance < -field.depth) return true;
  const double reach = field.depth + field.beside, rounding = kMapRounding * field.depth;
  Vec3 aside = Vec3::Constant(reach);
  visit_near_triangles(field.map.mesh, x, reach * reach, [&](const SurfaceTriangle& triangle, double& squared_limit) {
    PointDistance facing{0, triangle.normal};
    const auto& [a, b, c] = triangle.corners;
    const Vec3 way = x - closest_point_on_triangle(x, a, b, c).point;
    if (way.squaredNorm() >= squared_limit || triangle.normal.isZero(0)) return;
    if (!align_with_cone(cone, X_FM.R, facing)) return;
    squared_limit = way.squaredNorm();
    facing.distance = triangle.normal.dot(way);
    aside = way - facing.distance * triangle.normal;
    at = facing;
  });
  const double beside = aside.norm();
  if (at.distance > field.margin || beside > reach) return false;
  if (beside <= rounding) return true;
  // But for the angle between the two surfaces, what is over the edge and its mirror image are on the sample's own.
  const Transform X_MF = X_FM.inverse();
  const double bend = kSameFaceSine * beside;
  if (find_closest_point(own.mesh, X_MF * Vec3(x - 2 * aside), 2 * bend).triangle == kNoTriangle) return false;
  const SurfacePoint over = find_closest_point(own.mesh, X_MF * Vec3(x - aside), bend);
  if (over.triangle == kNoTriangle) return false;
  const double rise = at.n_out.dot(X_FM * over.point - (x - aside));
  at.distance += rise;
  x += rise * at.n_out - aside;
  return at.distance <= field.margin;
}

template <typename Field>
void look_up_samples(const DistanceMapGeometry& map, const Transform& X_WM, const Field& field, SampleSearch search,
                     const PointSink& sink) {
  const Transform X_FM = relative(sink.X_WF, X_WM);
  // A ball without radius is a sample, and looked up when it is visited.
  const auto is_near = [&](const Vec3& center, double radius) {
    return search == SampleSearch::kAll || radius == 0 || field.may_reach(X_FM * center, radius);
  };
  visit_samples(map, is_near, [&](std::uint32_t i) {
    Vec3 x = X_FM * map.samples[i];
    PointDistance at = field(x);
    if (at.distance > sink.margin) return;
    if constexpr (std::is_same_v<Field, MapField>) {
      if (!find_touch(field, x, map, map.cones.of(i), X_FM, at)) return;
    }
    sink.add(x, at, 0, make_feature(sink.n_sign > 0 ? FeatureKind::kVertexOfB : FeatureKind::kVertexOfA, i >> 15, i));
  });
}

// Points of a convex shape that stand for its surface: corners and points of edges; of a rounded core the core's.
template <typename Visit>
void visit_core_points(const ConvexCore& core, Visit&& visit) {
  using Kind = ConvexCore::Kind;
  std::uint32_t number = 0;
  if (core.kind == Kind::kPoint) {
    visit(Vec3(Vec3::Zero()), number);
  } else if (core.kind == Kind::kSegment) {
    for (int i = -kEdgeParts; i <= kEdgeParts; ++i) {
      visit(Vec3(core.half * (static_cast<double>(i) / kEdgeParts)), number++);
    }
  } else if (core.kind == Kind::kCylinder || core.kind == Kind::kCone) {
    SupportFace disc;
    for (const double z : {-1.0, 1.0}) {
      if (core.kind == Kind::kCone && z > 0) {
        visit(Vec3(0, 0, core.half.z()), number++);
        continue;
      }
      find_support_face(core, Vec3(0, 0, z), disc);
      for (const SupportFaceCorner& corner : disc.corners) visit(corner.x, number++);
      visit(Vec3(0, 0, z * core.half.z()), number++);
    }
  } else {
    const BoxPolytope box(core.half);
    const PolytopeView polytope = core.kind == Kind::kBox ? box.view() : core.polytope;
    for (const Vec3& vertex : polytope.vertices) visit(vertex, number++);
    for (const HullGeometry::Edge& edge : polytope.edges) {
      const Segment segment{polytope.vertices[edge.tail], polytope.vertices[edge.head]};
      for (int i = 1; i < kEdgeParts; ++i) visit(segment.at(static_cast<double>(i) / kEdgeParts), number++);
    }
    for (std::size_t f = 0; f < polytope.face_count(); ++f) {
      Vec3 middle = Vec3::Zero();
      for (const std::uint32_t v : polytope.loop(f)) middle += polytope.vertices[v];
      visit(Vec3(middle / static_cast<double>(polytope.loop(f).size())), number++);
    }
  }
}

const DistanceMapGeometry& map_of(const Geometry& geometry) {
  return *std::get<std::shared_ptr<const DistanceMapGeometry>>(geometry.kind);
}

}  // namespace

// In all of these b is a distance map: normals point from a to b, that is, out of a's field and against b's.
void append_map_contacts(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                         const MapQuery& query, std::vector<ContactPoint>& points) {
  const DistanceMapGeometry& map = map_of(b);
  const PointSink out_of_a{query.margin, 1, X_WA, points}, out_of_b{query.margin, -1, X_WB, points};
  if (const auto* plane = std::get_if<PlaneGeometry>(&a.kind)) {
    look_up_samples(map, X_WB, PlaneField{*plane, query.margin}, query.search, out_of_a);
  } else if (const auto* mesh = std::get_if<std::shared_ptr<const MeshGeometry>>(&a.kind)) {
    look_up_samples(map, X_WB, SurfaceField<MeshGeometry>{**mesh, query.margin}, query.search, out_of_a);
  } else if (const auto* field = std::get_if<std::shared_ptr<const HeightfieldGeometry>>(&a.kind)) {
    look_up_samples(map, X_WB, SurfaceField<HeightfieldGeometry>{**field, query.margin}, query.search, out_of_a);
  } else if (const auto* other = std::get_if<std::shared_ptr<const DistanceMapGeometry>>(&a.kind)) {
    look_up_samples(map, X_WB, MapField(**other, query.margin, query.beside), query.search, out_of_a);
    look_up_samples(**other, X_WA, MapField(map, query.margin, query.beside), query.search, out_of_b);
  } else {
    const ConvexCore core = make_core(a);
    look_up_samples(map, X_WB, CoreField{core, query.margin}, query.search, out_of_a);
    const MapField distance(map, query.margin + core.radius, query.beside);
    const Transform X_BA = relative(X_WB, X_WA);
    visit_core_points(core, [&](const Vec3& x_A, std::uint32_t number) {
      const Vec3 x = X_BA * x_A;
      out_of_b.add(x, distance(x), core.radius, make_feature(FeatureKind::kVertexOfA, number, 0x7fffu));
    });
  }
}

void collide_distance_map(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                          const CollideOptions& options, std::vector<ContactPoint>& points) {
  const std::size_t begin = points.size();
  append_map_contacts(a, X_WA, b, X_WB, {options.margin, SampleSearch::kTree, options.margin}, points);
  // How far the map can turn before contacts are looked for again.
  const double slope = std::max(kLeastSlope, options.margin / b.radius);
  finish_surface_points(begin, b.radius, {options.all_points, kSameFace, true, slope}, points);
}

ContactPoint find_least_map_gap(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                std::vector<ContactPoint>& points) {
  const double size = b.radius + (std::isfinite(a.radius) ? a.radius : 0);
  const double farthest = size + (X_WA.p - X_WB.p).norm();
  // The margin grows until something is in it; with all of the surface in it something is.
  for (double margin = 0;; margin = margin == 0 ? 0.01 * size : 2 * margin) {
    points.clear();
    append_map_contacts(a, X_WA, b, X_WB, {margin, SampleSearch::kTree}, points);
    if (!points.empty() || margin > 1e3 * farthest) break;
  }
  if (points.empty()) return {X_WB.p, Vec3::UnitZ(), std::numeric_limits<double>::infinity(), 0};
  return *std::min_element(points.begin(), points.end(),
                           [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
}

}  // namespace achilles
