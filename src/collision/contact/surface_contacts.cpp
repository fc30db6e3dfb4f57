// Contacts of convex shapes with triangle meshes and height fields.
//
// Each triangle near the shape is a convex core of its own. What makes their union a surface and not a heap of
// triangles:
// - a normal found at an edge or a vertex counts only if the surface around allows it (is_possible_normal); else the
//   triangle's own normal is used over the triangle's own area, so that internal edges of a floor are not felt;
// - the depth is local: it is the way back to where the shape entered. A triangle that the shape does not cross has no
//   point nearer than the triangle. Where the least way out of a crossed triangle is along an impossible normal, the
//   shape leaves along the triangle's own normal or along one of its convex edges, whichever is shorter; and where a
//   shorter way out of another triangle frees this one as well, this one adds nothing (drop_redundant);
// - corners of a region that lie on flat edges are no corners of the region of the whole surface and are left out;
// - triangles whose back is turned to the middle of the shape are the far side of something thin and are left out.
#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/region.hpp"
#include "collision/contact/ridge.hpp"
#include "collision/contact/surface.hpp"
#include "collision/contact/surface_points.hpp"
#include "collision/narrow_phase/penetration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {

namespace {

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

// A contact that does not lead the shortest way out of its triangle, because the surface does not have that normal.
struct Detour {
  std::uint32_t triangle;
  std::size_t first;  // points [first, first + count)
  std::size_t count;
  double depth;  // [m] of its way out
  double least;  // [m] of the least way out of the triangle alone
  bool is_dropped = false;
};

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
    drop_redundant();
    if (points_.size() == begin_ && (turned_away_ || !visited_)) add_swallowed(find_closest_point(surface_, center_S_));
  }

  // What a ball touches is near its middle: triangles are visited from there outward, and the nearest decides as well
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
    const double tolerance = kAttained * core_.size + 1e-3 * std::abs(gap);
    if (is_level && (make_face_region(triangle, pair) <= gap + tolerance || !is_own)) {
      append(triangle.id, true, gap > 0 ? gap - tolerance : -std::numeric_limits<double>::infinity());
    } else if (is_own) {
      make_nearest_manifold(pair, {found.normal, found.distance, found.point_a, found.point_b}, options_.margin,
                            manifold_);
      append(triangle.id, false);
    } else if (pair.b.polytope.face_count() > 0 && gap > 0) {
      make_face_region(triangle, pair);
      append(triangle.id, true, gap - tolerance);
    } else if (pair.b.polytope.face_count() > 0) {
      add_detour(triangle, pair, -gap);
    }
  }

  // The part of the shape's facing support face that lies over the triangle. Returns the smallest gap.
  double make_face_region(const SurfaceTriangle& triangle, const CorePair& pair) {
    SupportFace front, facing;
    find_support_face(pair.b, triangle.normal, front);
    find_support_face(pair.a, -(X_CS_.R * triangle.normal), facing);
    return make_face_manifold(pair, front, facing, false, options_.margin, manifold_);
  }

  // The shape crosses the triangle, and the least way out, `least` [m], is along a normal that the surface does not
  // have: by the triangle's own normal, or over one of its convex edges.
  void add_detour(const SurfaceTriangle& triangle, const CorePair& pair, double least) {
    Detour detour{triangle.id, points_.size(), 0, 0, least};
    const double face_gap = make_face_region(triangle, pair);
    const double face_depth =
        manifold_.points.empty() ? find_exit(pair, X_CS_.R * triangle.normal).distance : -face_gap;
    const WayOut edge = find_way_over_edges(triangle);
    const bool over_edge = edge.depth < face_depth - kFaceTie * core_.size;
    detour.depth = over_edge ? edge.depth : face_depth;
    if (over_edge) make_edge_region(edge);
    append(triangle.id, !over_edge);
    detour.count = points_.size() - detour.first;
    if (detour.count > 0 && detour.depth > least + kFaceTie * core_.size) detours_.push_back(detour);
  }

  struct WayOut {
    double depth = std::numeric_limits<double>::infinity();  // [m]
    Vec3 n_out;                                              // in the shape's frame
    Vec3 point;                                              // [m] of the surface, where it is left last
    Segment edge;
  };

  // Where the shape overlaps a convex edge of the triangle, the normals between those of its two sides are possible:
  // of these the one along which the shape has least to go. The least overlap with the edge is either along a normal
  // inside this range, where it is the least overlap with the edge's line, or along one of its ends. Both sides of the
  // edge are left behind.
  [[nodiscard]] WayOut find_way_over_edges(const SurfaceTriangle& triangle) const {
    const Vec3 n_face = X_CS_.R * triangle.normal;
    WayOut best;
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (edge_kind(surface_, triangle.id, k) != MeshEdgeKind::kConvex) continue;
      const Ridge ridge{{X_CS_ * triangle.corners[k], X_CS_ * triangle.corners[(k + 1) % 3]},
                        n_face,
                        X_CS_.R * normal_across(surface_, triangle.id, k)};
      for (const Vec3& n_out : {find_ridge_normal(core_, ridge).n_out, ridge.normal_second}) {
        if (n_out.dot(n_face) >= kFaceCosine) continue;
        const Exit own = find_exit_of(triangle, n_out);
        const Exit beyond = find_exit_of(surface_.triangle(triangle_across(surface_, triangle.id, k)), n_out);
        const Exit& exit = beyond.found && beyond.distance > own.distance ? beyond : own;
        if (own.found && exit.distance > 0 && exit.distance < best.depth) {
          best = {exit.distance, n_out, exit.point_b, ridge.edge};
        }
      }
    }
    return best;
  }

  [[nodiscard]] Exit find_exit_of(const SurfaceTriangle& triangle, const Vec3& n_out) const {
    const TrianglePolytope polytope(triangle.corners, triangle.normal);
    const ConvexCore triangle_core = make_core(polytope.view());
    return find_exit({core_, triangle_core, {X_CS_.R, X_CS_ * polytope.middle()}}, n_out);
  }

  // All of the edge's stretch in the shape where the shape's furthest part is there, else the deepest point alone.
  void make_edge_region(const WayOut& way) {
    const ConvexCore edge_core = make_edge_core(way.edge);
    const CorePair pair{core_, edge_core, place_edge(way.edge)};
    const double extent = way.n_out.dot(way.point - support(core_, -way.n_out)) + core_.radius;
    const Vec3 deepest = way.point - way.depth * way.n_out;
    if (extent <= way.depth + kAttained * core_.size) {
      make_nearest_manifold(pair, {-way.n_out, core_.radius - way.depth, deepest + core_.radius * way.n_out, way.point},
                            options_.margin, manifold_);
      return;
    }
    manifold_.points.clear();
    manifold_.normal = -way.n_out;
    manifold_.points.push_back({0.5 * (deepest + way.point), -way.depth, make_feature(FeatureKind::kWitness, 0, 0)});
  }

  // Detours are taken from the shortest on: one is dropped when the shape, moved out by another contact by
  // less, is free of its triangle. No contact that moves it by less than the least way out of the triangle can do that.
  void drop_redundant() {
    if (detours_.empty()) return;
    std::sort(detours_.begin(), detours_.end(), [](const Detour& p, const Detour& q) {
      return p.depth != q.depth ? p.depth < q.depth : p.first < q.first;
    });
    for (std::size_t k = 0; k < detours_.size(); ++k) detours_[k].is_dropped = is_freed(k);
    std::sort(detours_.begin(), detours_.end(), [](const Detour& p, const Detour& q) { return p.first > q.first; });
    for (const Detour& detour : detours_) {
      if (!detour.is_dropped) continue;
      const auto first = points_.begin() + static_cast<std::ptrdiff_t>(detour.first);
      points_.erase(first, first + static_cast<std::ptrdiff_t>(detour.count));
    }
  }

  // Whether a kept contact with a shorter way out frees the triangle of detour k, the later detours being undecided.
  [[nodiscard]] bool is_freed(std::size_t k) const {
    const Detour& detour = detours_[k];
    const double tie = kFaceTie * core_.size;
    const SurfaceTriangle triangle = surface_.triangle(detour.triangle);
    const TrianglePolytope polytope(triangle.corners, triangle.normal);
    const ConvexCore triangle_core = make_core(polytope.view());
    const Vec3 middle = X_CS_ * polytope.middle();
    const auto is_kept = [&](std::size_t point) {
      return std::none_of(detours_.begin(), detours_.end(), [&](const Detour& other) {
        const bool is_decided = other.depth < detour.depth || (other.depth == detour.depth && &other < &detour);
        return point >= other.first && point < other.first + other.count && (other.is_dropped || !is_decided);
      });
    };
    for (std::size_t i = begin_; i < points_.size(); ++i) {
      const double depth = -points_[i].gap;
      if (depth < detour.least - tie || depth >= detour.depth - tie || !is_kept(i)) continue;
      const Vec3 move = -(depth + tie) * (X_WC_.R.transpose() * points_[i].normal);
      const GjkResult moved = compute_gjk({core_, triangle_core, {X_CS_.R, middle - move}}, {}, -move);
      if (moved.status != GjkStatus::kTouching && moved.distance >= core_.radius) return true;
    }
    return false;
  }

  // Corners that only the cutting of a flat surface into triangles makes.
  [[nodiscard]] bool is_internal(std::uint32_t triangle, std::uint32_t feature) const {
    const auto is_flat = [&](std::uint32_t k) { return edge_kind(surface_, triangle, k % 3) == MeshEdgeKind::kFlat; };
    const std::uint32_t of_b = feature & 0x7fffu;
    if (kind_of(feature) == FeatureKind::kEdges) return is_flat(of_b);
    if (kind_of(feature) == FeatureKind::kVertexOfB) return is_flat(of_b) && is_flat(of_b + 2);
    return false;
  }

  void append(std::uint32_t triangle, bool of_face, double least_gap = -std::numeric_limits<double>::infinity()) {
    const Vec3 normal = X_WC_.R * manifold_.normal;
    for (const ManifoldPoint& point : manifold_.points) {
      if (point.gap < least_gap || (of_face && is_internal(triangle, point.feature))) continue;
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
  SmallVector<Detour, 16> detours_;
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
