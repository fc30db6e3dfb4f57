#include "collision/narrow_phase/penetration.hpp"

#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/epa.hpp"
#include "collision/narrow_phase/polish.hpp"
#include "collision/narrow_phase/polytope_axes.hpp"
#include "collision/narrow_phase/search_depth.hpp"

#include <algorithm>

namespace achilles {

namespace {

using Kind = ConvexCore::Kind;

constexpr double kAttained = 1e-7;  // of the size: what GJK's distance may miss
constexpr double kNear = 1e-3;      // of the size: GJK's direction is better than 1e-12 beyond
constexpr double kVague = 1e-12;    // of the size: GJK's distance is its points', and its normal may be worse

bool is_boxlike(const ConvexCore& core) {
  return core.kind == Kind::kPoint || core.kind == Kind::kSegment || core.kind == Kind::kBox;
}
bool is_polytope(const ConvexCore& core) { return core.kind == Kind::kPolytope || is_boxlike(core); }

void set_box_depth(const CorePair& pair, CoreDistance& result) {
  const BoxAxes axes = find_box_axes(pair.a.half, pair.b.half, pair.X_AB, std::numeric_limits<double>::infinity());
  const BoxAxis& face = axes.face_a.separation >= axes.face_b.separation ? axes.face_a : axes.face_b;
  const bool by_edges = axes.edges.separation > face.separation;
  result.distance = by_edges ? axes.edges.separation : face.separation;
  result.normal = by_edges ? box_edge_normal(axes.edges, pair.X_AB) : face.normal;
}

void set_polytope_depth(const CorePair& pair, CoreDistance& result) {
  const BoxPolytope box_a(pair.a.half), box_b(pair.b.half);
  const PolytopeView a = pair.a.kind == Kind::kPolytope ? pair.a.polytope : box_a.view();
  const PolytopeView b = pair.b.kind == Kind::kPolytope ? pair.b.polytope : box_b.view();
  const PolytopeAxis axis = find_polytope_axis(a, b, pair.X_AB);
  result.distance = axis.separation;
  result.normal = axis.normal;
  result.error = 0;
}

void set_depth(const CorePair& pair, const Simplex& simplex, CoreDistance& result) {
  if (is_boxlike(pair.a) && is_boxlike(pair.b)) {
    set_box_depth(pair, result);
    return;
  }
  const EpaResult epa = compute_epa(pair, simplex, {});
  result.distance = -epa.depth;
  result.normal = epa.normal;
  result.error = std::max(0.0, epa.depth - epa.lower);
  result.iterations += epa.iterations;
  if (epa.has_point && is_polytope(pair.a) && is_polytope(pair.b)) {
    result.point_b = epa.point_b;
    result.point_a = epa.point_b + epa.depth * epa.normal;
    result.has_points = true;
  }
  if (epa.status != EpaStatus::kStalled) {
    return;
  }
  if (is_polytope(pair.a) && is_polytope(pair.b)) {
    set_polytope_depth(pair, result);
  } else {
    search_depth(pair, epa, result);
  }
}

}  // namespace

// Moved apart along the normal the cores have nearest points, and moved back these are the deepest ones.
bool find_witnesses(const CorePair& pair, CoreDistance& result) {
  const double clearance = kClearance * pair.size();
  const Vec3 shift = (clearance - result.distance) * result.normal;
  const GjkResult gjk = compute_gjk({pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}}, {}, result.normal);
  result.point_b = gjk.point_b - shift;
  result.point_a = result.point_b - result.distance * result.normal;
  result.iterations += gjk.iterations;
  result.has_points = true;
  return gjk.distance <= clearance + kAttained * pair.size();
}

// Conservative advancement along a line: from beyond the overlap of the extents A comes back by what the distance of
// the cores and its direction allow. The distance is convex along the line, so this is Newton's iteration from outside:
// it never passes the touch, and ends at it after finitely many steps for polyhedra.
Exit find_exit(const CorePair& pair, const Vec3& direction) {
  constexpr int kMaxIterations = 64;
  const double tolerance = kAttained * pair.size();
  const double low_a = direction.dot(support(pair.a, -direction));
  const Vec3 d_B = pair.X_AB.R.transpose() * direction;
  const double high_b = direction.dot(pair.X_AB.p) + d_B.dot(support(pair.b, d_B));
  Exit exit;
  exit.distance = high_b - low_a + pair.radius();
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vec3 shift = -exit.distance * direction;
    const GjkResult gjk = compute_gjk({pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}}, {}, -direction);
    exit.point_b = gjk.point_b - shift;
    const double clearance = gjk.distance - pair.radius();
    if (gjk.status == GjkStatus::kTouching || clearance <= tolerance) {
      exit.found = true;
      return exit;
    }
    const double closing = -gjk.normal.dot(direction);  // of the distance per metre of coming back
    if (closing * pair.size() <= clearance * kAttained) return exit;
    exit.distance -= clearance / closing;
  }
  exit.found = true;
  return exit;
}

CoreDistance compute_core_distance(const CorePair& pair, const CoreDistanceOptions& options) {
  GjkOptions gjk_options;
  gjk_options.contact_tolerance = options.contact_tolerance;
  gjk_options.beyond = options.beyond;
  const GjkResult gjk = compute_gjk(pair, gjk_options, pair.X_AB.p);
  CoreDistance result{
      gjk.distance, gjk.error, gjk.normal, gjk.point_a, gjk.point_b, gjk.iterations, gjk.status == GjkStatus::kBeyond};
  if (gjk.status == GjkStatus::kTouching) {
    result.has_points = false;
    set_depth(pair, gjk.simplex, result);
  }
  const auto is_vague = [&] {
    return result.distance < kNear * pair.size() ||
           result.distance + result.normal.dot(minkowski_support(pair, result.normal).w) > kVague * pair.size();
  };
  if (options.polish && !result.beyond && is_vague()) {
    polish(pair, result);
  } else if (!result.has_points && options.witnesses) {
    find_witnesses(pair, result);
  }
  return result;
}

}  // namespace achilles
