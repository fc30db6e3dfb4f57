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
#include <type_traits>

namespace achilles {

namespace {

// Cosine. Samples of a round surface have a normal each; those within a third of a radian of the deepest stand for one
// place of contact.
constexpr double kSameFace = 0.94;
constexpr double kLeastAgreement = 0.5;  // cosine between a gradient and the nearest direction of touch
constexpr double kLeastSlope = 1e-3;     // [rad]
constexpr int kEdgeParts = 4;            // edges of convex shapes are looked up at so many points

// What gives the signed distance of a point: the other side of a pair. Points and normals are in the field's
// own frame; may_reach allows balls of samples to be skipped.
struct PointDistance {
  double distance = 0;  // [m]
  Vec3 n_out = Vec3::UnitZ();
};

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

// A point counted as near may truly be farther by the error of the map, and so may the centre of a ball: that decides
// of large balls, the steepness of the map of small ones.
struct GridField {
  GridField(const DistanceGrid& map, double look_ahead)
      : grid(map), margin(look_ahead), reach(look_ahead + map.error_up_to(look_ahead)) {}
  const DistanceGrid& grid;
  double margin;
  double reach;
  [[nodiscard]] PointDistance operator()(const Vec3& x) const {
    const DistanceGrid::Value value = grid.look_up(x);
    const double length = value.gradient.norm();
    return {value.distance, length > 1e-9 ? Vec3(value.gradient / length) : Vec3::UnitZ()};
  }
  [[nodiscard]] bool may_reach(const Vec3& x, double radius) const {
    return grid.bound_below(x) <= radius + reach && grid.bound_look_up(x, radius) <= margin;
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

// The gradient of a map is rounded at edges, where it would push two boxes that lie edge over edge sideways. Of the
// directions in which the surface of a sample can be touched the nearest to the gradient is taken. Where none is near,
// a sample within a cell of the surface has the gradient of a face that it does not touch, and no contact; one that is
// deeper keeps the gradient, which is all that is known. False for no contact.
bool correct_normal(std::span<const Vec3> cone, const Mat3& R_FM, double cell, PointDistance& at) {
  if (cone.empty()) return true;
  const Vec3 into = project_onto_cone(cone, -(R_FM.transpose() * at.n_out));
  const double length = into.norm();
  if (length < kLeastAgreement) return at.distance < -cell;
  at.n_out = -(R_FM * into) / length;
  return true;
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
    const Vec3 x = X_FM * map.samples[i];
    PointDistance at = field(x);
    if (at.distance > sink.margin) return;
    if constexpr (std::is_same_v<Field, GridField>) {
      if (!correct_normal(map.cones.of(i), X_FM.R, field.grid.cell, at)) return;
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
    look_up_samples(map, X_WB, GridField((*other)->grid, query.margin), query.search, out_of_a);
    look_up_samples(**other, X_WA, GridField(map.grid, query.margin), query.search, out_of_b);
  } else {
    const ConvexCore core = make_core(a);
    look_up_samples(map, X_WB, CoreField{core, query.margin}, query.search, out_of_a);
    const GridField grid(map.grid, query.margin);
    const Transform X_BA = relative(X_WB, X_WA);
    visit_core_points(core, [&](const Vec3& x_A, std::uint32_t number) {
      const Vec3 x = X_BA * x_A;
      out_of_b.add(x, grid(x), core.radius, make_feature(FeatureKind::kVertexOfA, number, 0x7fffu));
    });
  }
}

void collide_distance_map(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                          const CollideOptions& options, std::vector<ContactPoint>& points) {
  const std::size_t begin = points.size();
  append_map_contacts(a, X_WA, b, X_WB, {options.margin, SampleSearch::kTree}, points);
  // How far the map can turn before contacts are looked for again.
  const double slope = std::max(kLeastSlope, options.margin / b.radius);
  finish_surface_points(begin, b.radius, {options.all_points, kSameFace, true, slope}, points);
}

ContactPoint find_least_map_gap(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                std::vector<ContactPoint>& points) {
  const double size = b.radius + (std::isfinite(a.radius) ? a.radius : 0);
  const double farthest = size + (X_WA.p - X_WB.p).norm();
  // The margin grows until something is in it; with all of the surface in it something is.
  for (double margin = 0;; margin = margin == 0 ? 0.01 * size : 8 * margin) {
    points.clear();
    append_map_contacts(a, X_WA, b, X_WB, {margin, SampleSearch::kTree}, points);
    if (!points.empty() || margin > 1e3 * farthest) break;
  }
  if (points.empty()) return {X_WB.p, Vec3::UnitZ(), std::numeric_limits<double>::infinity(), 0};
  return *std::min_element(points.begin(), points.end(),
                           [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
}

}  // namespace achilles
