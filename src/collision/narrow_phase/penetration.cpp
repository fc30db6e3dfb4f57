#include "collision/narrow_phase/penetration.hpp"

#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/epa.hpp"
#include "collision/narrow_phase/polytope_axes.hpp"

#include <algorithm>
#include <array>

namespace achilles {

namespace {

using Kind = ConvexCore::Kind;

constexpr double kAttained = 1e-7;  // of the size: what GJK's distance may miss

bool is_boxlike(const ConvexCore& core) {
  return core.kind == Kind::kPoint || core.kind == Kind::kSegment || core.kind == Kind::kBox;
}
bool is_polytope(const ConvexCore& core) { return core.kind == Kind::kPolytope || is_boxlike(core); }

void set_box_depth(const CorePair& pair, CoreDistance& result) {
  const BoxAxes axes = find_box_axes(pair.a.half, pair.b.half, pair.X_AB, std::numeric_limits<double>::infinity());
  const BoxAxis& face = axes.face_a.separation >= axes.face_b.separation ? axes.face_a : axes.face_b;
  const BoxAxis& best = axes.edges.separation > face.separation ? axes.edges : face;
  result.distance = best.separation;
  result.normal = best.normal;
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

double overlap_along(const CorePair& pair, const Vec3& n) { return n.dot(minkowski_support(pair, n).w); }

// Compass search for the direction of least overlap near the one given. Where round shapes are nearly coaxial the depth
// hardly depends on the direction, and the expanding polytope spends its vertices all around the rim; its best
// direction lies in the right valley, and the overlap, flat at its minimum, is found to its square precision by halving
// steps. Directions along and across the axes of both shapes follow the kinks of their supports.
void refine_depth(const CorePair& pair, CoreDistance& result) {
  constexpr double kFirstStep = 0.25, kLastStep = 1e-7;  // [rad]
  constexpr int kMaxMoves = 1000;
  const std::array<Vec3, 2> axes{Vec3::UnitZ(), pair.X_AB.R.col(2)};
  double depth = -result.distance;
  int moves = 0;
  for (double step = kFirstStep; step > kLastStep && moves < kMaxMoves;) {
    Vec3 best = result.normal;
    for (const Vec3& axis : axes) {
      const Vec3 across = result.normal.cross(axis);
      const Vec3 u = across.squaredNorm() > 1e-16 ? across.normalized() : result.normal.unitOrthogonal();
      const Vec3 v = result.normal.cross(u);
      for (const Vec3& way : {u, v, Vec3(u + v), Vec3(u - v)}) {
        for (const double sign : {1.0, -1.0}) {
          const Vec3 n = (result.normal + sign * step * way).normalized();
          const double overlap = overlap_along(pair, n);
          if (overlap < depth) {
            depth = overlap;
            best = n;
          }
        }
      }
    }
    if (best == result.normal) {
      step *= 0.5;
    } else {
      result.normal = best;
      ++moves;
    }
  }
  result.iterations += moves;
  result.error = std::max(0.0, result.error + depth + result.distance);
  result.distance = -depth;
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
  if (epa.status != EpaStatus::kStalled) {
    return;
  }
  if (is_polytope(pair.a) && is_polytope(pair.b)) {
    set_polytope_depth(pair, result);
  } else {
    refine_depth(pair, result);
  }
}

}  // namespace

// Moved apart along the normal the cores have nearest points, and moved back these are the deepest ones.
bool find_witnesses(const CorePair& pair, CoreDistance& result) {
  const double clearance = 0.25 * pair.size();
  const Vec3 shift = (clearance - result.distance) * result.normal;
  const CorePair apart{pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}};
  const GjkResult gjk = compute_gjk(apart, {}, result.normal);
  result.point_b = gjk.point_b - shift;
  result.point_a = result.point_b - result.distance * result.normal;
  result.iterations += gjk.iterations;
  return gjk.distance <= clearance + kAttained * pair.size();
}

CoreDistance compute_core_distance(const CorePair& pair, const CoreDistanceOptions& options) {
  GjkOptions gjk_options;
  gjk_options.contact_tolerance = options.contact_tolerance;
  gjk_options.beyond = options.beyond;
  const GjkResult gjk = compute_gjk(pair, gjk_options, pair.X_AB.p);
  CoreDistance result{
      gjk.distance, gjk.error, gjk.normal, gjk.point_a, gjk.point_b, gjk.iterations, gjk.status == GjkStatus::kBeyond};
  if (gjk.status == GjkStatus::kTouching) {
    set_depth(pair, gjk.simplex, result);
    if (options.witnesses) {
      find_witnesses(pair, result);
    }
  }
  return result;
}

}  // namespace achilles
