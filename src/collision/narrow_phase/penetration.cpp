#include "collision/narrow_phase/penetration.hpp"

#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/epa.hpp"
#include "collision/narrow_phase/polytope_axes.hpp"

#include <algorithm>
#include <array>

namespace achilles {

namespace {

using Kind = ConvexCore::Kind;

constexpr double kAttained = 1e-7;        // of the size: what GJK's distance may miss
constexpr double kClearance = 1e-3;       // of the size: points miss by what GJK's direction errs over this distance
constexpr double kLastClearance = 1e-5;   // of the size
constexpr double kNear = 1e-3;            // of the size: GJK's direction is better than 1e-12 beyond
constexpr double kVague = 1e-12;          // of the size: GJK's distance is its points', and its normal may be worse
constexpr double kSameDirection = 1e-12;  // [rad]

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

// A unit vector square to both; to n alone if they are parallel.
Vec3 across(const Vec3& n, const Vec3& axis) {
  const Vec3 cross = n.cross(axis);
  return cross.squaredNorm() > 1e-16 ? Vec3(cross.normalized()) : n.unitOrthogonal();
}

// Compass search for the direction of least overlap near the one given. Where round shapes are nearly coaxial the depth
// hardly depends on the direction, and the expanding polytope spends its vertices all around the rim; its best
// direction lies in the right valley. Turns about the axes of the shapes follow the valleys, which run along circles
// about these, turns towards them cross the valleys.
void search_direction(const CorePair& pair, CoreDistance& result) {
  constexpr double kFirstStep = 0.5, kLastStep = 1e-7;  // [rad]
  constexpr int kMaxMoves = 200;
  const std::array<Vec3, 2> axes{Vec3::UnitZ(), pair.X_AB.R.col(2)};
  double depth = -result.distance;
  int moves = 0;
  for (double step = kFirstStep; step > kLastStep && moves < kMaxMoves;) {
    Vec3 best = result.normal;
    double best_depth = depth - 1e-15 * pair.size();
    const Vec3 n = result.normal;
    const std::array<Vec3, 4> about{axes[0], axes[1], across(n, axes[0]), across(n, axes[1])};
    for (const Vec3& axis : about) {
      for (const double sign : {1.0, -1.0}) {
        const Vec3 turned = Eigen::AngleAxisd(sign * step, axis) * n;
        const double overlap = overlap_along(pair, turned);
        if (overlap < best_depth) {
          best_depth = overlap;
          best = turned;
        }
      }
    }
    if (best == n) {
      step *= 0.5;
    } else {
      result.normal = best;
      depth = best_depth;
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
    search_direction(pair, result);
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
  return gjk.distance <= clearance + kAttained * pair.size();
}

namespace {

// With s(n) the separation along n, the shift by c along n makes the distance the maximum over m of s(m) + c m·n. It is
// at least s(n) + c, so that s(m) ≥ s(n) + c (1 - m·n): each step of this proximal ascent betters the normal, and it
// ends where the nearest points lie along it. Of cores that nearly touch GJK knows the distance but not the direction;
// moved apart it knows both.
void polish(const CorePair& pair, CoreDistance& result) {
  constexpr int kMaxSteps = 12;
  GjkOptions exact;
  exact.relative_tolerance = 1e-16;  // to the end of its precision: the direction errs by the root of this
  const auto move_apart = [&](double clearance, const Vec3& n, double along) {
    const Vec3 shift = (clearance * pair.size() - along) * n;
    GjkResult gjk = compute_gjk({pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}}, exact, n);
    gjk.point_b -= shift;
    result.iterations += gjk.iterations;
    return gjk;
  };
  Vec3 n = result.normal;
  double along = -overlap_along(pair, n);
  result.distance = along;
  for (int step = 0; step < kMaxSteps; ++step) {
    const GjkResult gjk = move_apart(step == 0 ? kClearance : kLastClearance, n, along);
    const double turned = (gjk.normal - n).norm();
    // GJK sees the direction through the square of its error; what a step loses by that the next one regains, from
    // here.
    n = gjk.normal;
    along = -overlap_along(pair, n);
    if (along >= result.distance) {
      result.normal = n;
      result.distance = along;
    }
    if (turned < kSameDirection) {
      break;
    }
  }
  // The less clearance, the less the points miss the normal by; what they miss is shared between the two shapes.
  const GjkResult gjk = move_apart(kLastClearance, result.normal, result.distance);
  const Vec3 middle = 0.5 * (gjk.point_a + gjk.point_b);
  result.point_a = middle - 0.5 * result.distance * result.normal;
  result.point_b = middle + 0.5 * result.distance * result.normal;
}

}  // namespace

CoreDistance compute_core_distance(const CorePair& pair, const CoreDistanceOptions& options) {
  GjkOptions gjk_options;
  gjk_options.contact_tolerance = options.contact_tolerance;
  gjk_options.beyond = options.beyond;
  const GjkResult gjk = compute_gjk(pair, gjk_options, pair.X_AB.p);
  CoreDistance result{
      gjk.distance, gjk.error, gjk.normal, gjk.point_a, gjk.point_b, gjk.iterations, gjk.status == GjkStatus::kBeyond};
  if (gjk.status == GjkStatus::kTouching) {
    set_depth(pair, gjk.simplex, result);
  }
  const auto is_vague = [&] {
    return result.distance < kNear * pair.size() ||
           result.distance + overlap_along(pair, result.normal) > kVague * pair.size();
  };
  if (options.polish && !result.beyond && is_vague()) {
    polish(pair, result);
  } else if (gjk.status == GjkStatus::kTouching && options.witnesses) {
    find_witnesses(pair, result);
  }
  return result;
}

}  // namespace achilles
