// Contacts of convex shapes with triangle meshes and height fields.
//
// Each triangle near the shape is a convex core of its own. What makes their union a surface and not a heap of
// triangles:
// - a normal found at an edge or a vertex counts only if the surface around allows it (is_possible_normal); else the
//   triangle's own normal is used over the triangle's own area, so that internal edges of a floor are not felt;
// - corners of a region that lie on flat edges are no corners of the region of the whole surface and are left out;
// - triangles whose back is turned to the middle of the shape are the far side of something thin and are left out.
#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/region.hpp"
#include "collision/contact/ridge.hpp"
#include "collision/contact/surface.hpp"
#include "collision/contact/surface_points.hpp"
#include "collision/narrow_phase/penetration.hpp"

#include <cmath>

namespace achilles {

namespace {

constexpr double kTouching = 1e-10;   // of the size: nearer than that the direction between the cores is rounding
constexpr double kAttained = 1e-6;    // of the size: how far a flat region may miss the separation of the triangle
constexpr double kFaceTie = 1e-6;     // of the size: by so much an edge must overlap less than the face beside it
constexpr double kAbove = 1 + 1e-12;  // what rounding does to a squared distance
constexpr double kFirstLook = 3;      // how many times the square of a ball's reach is searched for what is nearest
constexpr double kSameHeight = 1e-6;  // sine: corners of a triangle this level count as one feature

Vec3 center_of(const ConvexCore& core) {
  return core.kind == ConvexCore::Kind::kPolytope ? core.polytope.center : Vec3::Zero();
}

// The part of a triangle that is furthest along a direction.
TriangleFeature support_feature(const std::array<Vec3, 3>& corners, const Vec3& direction) {
  std::array<double, 3> height;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    height[i] = direction.dot(corners[i]);
    highest = std::max(highest, height[i]);
  }
  std::array<bool, 3> top{};
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double reach =
        std::max((corners[(i + 1) % 3] - corners[i]).norm(), (corners[(i + 2) % 3] - corners[i]).norm());
    top[i] = height[i] >= highest - kSameHeight * reach;
    count += top[i] ? 1 : 0;
  }
  if (count == 3) return TriangleFeature::kFace;
  if (count == 2)
    return !top[2] ? TriangleFeature::kEdge0 : (!top[0] ? TriangleFeature::kEdge1 : TriangleFeature::kEdge2);
  return top[0] ? TriangleFeature::kVertex0 : (top[1] ? TriangleFeature::kVertex1 : TriangleFeature::kVertex2);
}

template <typename Surface>
class SurfaceCollider {
 public:
  SurfaceCollider(const Surface& surface, const Geometry& convex, const Transform& X_WC, const Transform& X_WS,
                  const CollideOptions& options, std::vector<ContactPoint>& points)
      : surface_(surface),
        core_(make_core(convex)),
        X_WC_(X_WC),
        X_CS_(relative(X_WC, X_WS)),
        center_S_(X_CS_.R.transpose() * (center_of(core_) - X_CS_.p)),
        bounds_S_(compute_bounds(convex, relative(X_WS, X_WC)).grown(options.margin)),
        options_(options),
        points_(points),
        begin_(points.size()) {}

  void run() {
    if (core_.kind == ConvexCore::Kind::kPoint) {
      visit_ball();
    } else {
      visit_shape();
    }
    finish_surface_points(begin_, core_.size, {options_.all_points}, points_);
  }

 private:
  void visit_shape() {
    visit_triangles(surface_, bounds_S_, [&](const SurfaceTriangle& triangle) { visit(triangle); });
    if (points_.size() == begin_ && (turned_away_ || !visited_)) add_swallowed(find_closest_point(surface_, center_S_));
  }

  // What a ball touches is near its middle: triangles are visited from there outward, and the nearest tells as well
  // whether the middle is inside.
  void visit_ball() {
    const double reach = core_.radius + options_.margin;
    const double reach2 = reach * reach * kAbove;
    SurfacePoint nearest;
    double nearest2 = kFirstLook * reach2;
    visit_near_triangles(surface_, center_S_, nearest2, [&](const SurfaceTriangle& triangle, double& limit2) {
      const auto& [a, b, c] = triangle.corners;
      const TrianglePoint at = closest_point_on_triangle(center_S_, a, b, c);
      const double distance2 = (center_S_ - at.point).squaredNorm();
      if (distance2 < nearest2) {
        nearest2 = distance2;
        nearest = {at.point, 0, triangle.id, at.feature};
        limit2 = std::min(limit2, std::max(distance2, reach2));
      }
      if (distance2 <= reach2) add_ball(triangle, at);
    });
    if (points_.size() > begin_) return;
    if (nearest.triangle == kNoTriangle) nearest = find_closest_point(surface_, center_S_);
    nearest.distance = (center_S_ - nearest.point).norm();
    add_swallowed(nearest);
  }

  void visit(const SurfaceTriangle& triangle) {
    visited_ = true;
    const bool has_area = !triangle.normal.isZero(0);
    if (has_area && triangle.normal.dot(center_S_ - triangle.corners[0]) <= 0) {
      turned_away_ = true;
      return;
    }
    const TrianglePolytope polytope(triangle.corners, triangle.normal);
    const ConvexCore triangle_core = make_core(polytope.view());
    const CorePair pair{core_, triangle_core, {X_CS_.R, X_CS_ * polytope.middle()}};
    if (has_area && is_above(pair, triangle.normal)) return;
    CoreDistanceOptions limits;
    limits.beyond = options_.margin + core_.radius;
    limits.contact_tolerance = kTouching;
    const CoreDistance found = compute_core_distance(pair, limits);
    if (found.beyond) return;
    add_region(triangle, pair, found);
  }

  // Whether the shape is above the triangle's plane by more than the margin.
  [[nodiscard]] bool is_above(const CorePair& pair, const Vec3& normal_S) const {
    const Vec3 n = X_CS_.R * normal_S;
    return n.dot(support(core_, -n) - pair.X_AB.p) - pair.b.polytope.face_offsets[0] > options_.margin + core_.radius;
  }

  [[nodiscard]] bool is_real(const SurfaceTriangle& triangle, const Vec3& n_out, const Vec3& at_S,
                             TriangleFeature feature) const {
    return n_out.dot(center_S_ - at_S) > 0 && is_possible_normal(surface_, triangle.id, feature, n_out);
  }

  void add_region(const SurfaceTriangle& triangle, const CorePair& pair, const CoreDistance& found) {
    const Vec3 n_out = -(X_CS_.R.transpose() * found.normal);
    const TriangleFeature feature = support_feature(triangle.corners, n_out);
    const bool is_level = n_out.dot(triangle.normal) >= kFaceCosine;
    const bool is_own = feature == TriangleFeature::kFace
                            ? is_level
                            : is_real(triangle, n_out, X_CS_.R.transpose() * (found.point_b - X_CS_.p), feature);
    // A shape that touches with its round side or beyond the triangle's edge is missed by the flat region.
    const double gap = found.distance - core_.radius;
    const double attained = gap + kAttained * core_.size + 1e-3 * std::abs(gap);
    if (is_level && (make_face_region(triangle, pair) <= attained || !is_own)) {
      append(triangle.id, true);
    } else if (is_own) {
      make_nearest_manifold(pair, {found.normal, found.distance, found.point_a, found.point_b}, options_.margin,
                            manifold_);
      append(triangle.id, false);
    } else if (pair.b.polytope.face_count() > 0 && !add_ridge(triangle)) {
      make_face_region(triangle, pair);
      append(triangle.id, true);
    }
  }

  // The part of the shape's facing patch that lies over the triangle. Returns the smallest gap.
  double make_face_region(const SurfaceTriangle& triangle, const CorePair& pair) {
    Patch front, facing;
    find_patch(pair.b, triangle.normal, front);
    find_patch(pair.a, -(X_CS_.R * triangle.normal), facing);
    return make_face_manifold(pair, front, facing, false, options_.margin, manifold_);
  }

  // Where the shape overlaps a convex edge of the triangle, the normals between those of its two sides are possible as
  // well as the triangle's own; the contact is along the one of least overlap. False when that is the triangle's own.
  bool add_ridge(const SurfaceTriangle& triangle) {
    const Vec3 n_face = X_CS_.R * triangle.normal;
    RidgeNormal best{n_face, n_face.dot(support(core_, -n_face) - X_CS_ * triangle.corners[0])};
    const double tie = kFaceTie * core_.size;
    Segment edge;
    bool found = false;
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (edge_kind(surface_, triangle.id, k) != EdgeKind::kConvex) continue;
      const Ridge ridge{{X_CS_ * triangle.corners[k], X_CS_ * triangle.corners[(k + 1) % 3]},
                        n_face,
                        X_CS_.R * normal_across(surface_, triangle.id, k)};
      const RidgeNormal normal = find_ridge_normal(core_, ridge);
      if (normal.separation > best.separation + tie && normal.n_out.dot(n_face) < kFaceCosine) {
        best = normal;
        edge = ridge.edge;
        found = true;
      }
    }
    if (!found) return false;
    const ConvexCore edge_core = make_edge_core(edge);
    const CorePair pair{core_, edge_core, place_edge(edge)};
    CoreDistance overlap;
    overlap.distance = best.separation;
    overlap.normal = -best.n_out;
    if (!find_witnesses(pair, overlap)) return false;
    make_nearest_manifold(pair, {overlap.normal, overlap.distance, overlap.point_a, overlap.point_b}, options_.margin,
                          manifold_);
    append(triangle.id, false);
    return true;
  }

  // Corners that only the cutting of a flat surface into triangles makes.
  [[nodiscard]] bool is_internal(std::uint32_t triangle, std::uint32_t feature) const {
    const auto is_flat = [&](std::uint32_t k) { return edge_kind(surface_, triangle, k % 3) == EdgeKind::kFlat; };
    const std::uint32_t of_b = feature & 0x7fffu;
    if (kind_of(feature) == FeatureKind::kEdges) return is_flat(of_b);
    if (kind_of(feature) == FeatureKind::kVertexOfB) return is_flat(of_b) && is_flat(of_b + 2);
    return false;
  }

  void append(std::uint32_t triangle, bool of_face) {
    const Vec3 normal = X_WC_.R * manifold_.normal;
    for (const ManifoldPoint& point : manifold_.points) {
      if (of_face && is_internal(triangle, point.feature)) continue;
      points_.push_back({X_WC_ * point.position, normal, point.gap, surface_feature(point.feature, triangle)});
    }
  }

  void add_ball(const SurfaceTriangle& triangle, const TrianglePoint& nearest) {
    const bool has_area = !triangle.normal.isZero(0);
    if (has_area && triangle.normal.dot(center_S_ - triangle.corners[0]) <= 0) return;
    const Vec3 away = center_S_ - nearest.point;
    const double distance = away.norm();
    if (distance > core_.radius + options_.margin) return;
    const bool has_direction = distance > kTouching * core_.size;
    Vec3 n_out = has_direction ? Vec3(away / distance) : triangle.normal;
    if (nearest.feature == TriangleFeature::kFace || n_out.dot(triangle.normal) > 1 - kFlatAngle * kFlatAngle) {
      n_out = triangle.normal;
    } else if (has_direction && !is_possible_normal(surface_, triangle.id, nearest.feature, n_out)) {
      return;
    }
    add_point(nearest.point, n_out, distance - core_.radius,
              surface_feature(make_feature(FeatureKind::kVertexOfA, 0, 0), triangle.id));
  }

  void add_point(const Vec3& at_S, const Vec3& n_out, double gap, std::uint32_t feature) {
    const Vec3 midway = X_WC_ * (X_CS_ * Vec3(at_S + 0.5 * gap * n_out));
    points_.push_back({midway, -(X_WC_.R * (X_CS_.R * n_out)), gap, feature});
  }

  // A shape whose middle is inside the solid leaves by the way that is shortest for its middle.
  void add_swallowed(const SurfacePoint& nearest) {
    if (!is_inside(surface_, center_S_, nearest)) return;
    const Vec3 out = nearest.point - center_S_;
    const Vec3 n_out = nearest.distance > kTouching * core_.size ? Vec3(out / nearest.distance)
                                                                 : surface_.triangle(nearest.triangle).normal;
    const Vec3 n_C = X_CS_.R * n_out;
    const double gap = n_C.dot(support(core_, -n_C) - center_of(core_)) - core_.radius - nearest.distance;
    add_point(nearest.point, n_out, gap, surface_feature(make_feature(FeatureKind::kWitness, 0, 0), nearest.triangle));
  }

  const Surface& surface_;
  const ConvexCore core_;
  const Transform& X_WC_;
  const Transform X_CS_;
  const Vec3 center_S_;
  const Aabb bounds_S_;
  const CollideOptions& options_;
  std::vector<ContactPoint>& points_;
  const std::size_t begin_;
  Manifold manifold_;
  bool visited_ = false;
  bool turned_away_ = false;
};

template <typename Surface>
void collide_surface(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                     const CollideOptions& options, std::vector<ContactPoint>& points) {
  const Surface& surface = *std::get<std::shared_ptr<const Surface>>(b.kind);
  SurfaceCollider<Surface>(surface, a, X_WA, X_WB, options, points).run();
}

}  // namespace

void collide_convex_mesh(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                         const CollideOptions& options, std::vector<ContactPoint>& points) {
  collide_surface<MeshGeometry>(a, X_WA, b, X_WB, options, points);
}

void collide_convex_heightfield(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                const CollideOptions& options, std::vector<ContactPoint>& points) {
  collide_surface<HeightfieldGeometry>(a, X_WA, b, X_WB, options, points);
}

}  // namespace achilles
