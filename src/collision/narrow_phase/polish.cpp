#include "collision/narrow_phase/polish.hpp"

#include "collision/narrow_phase/small_vector.hpp"

#include <cmath>

namespace achilles {

namespace {

using Kind = ConvexCore::Kind;

constexpr double kLastClearance = 1e-5;   // of the size
constexpr double kExactPoints = 1e-11;    // of the size: points that miss by less are left as they are
constexpr double kSameDirection = 1e-12;  // [rad]
constexpr double kNearlySquare = 1e-4;    // sine: a line this square to the normal may be meant to be square to it

double separation_along(const CorePair& pair, const Vec3& n) { return -n.dot(minkowski_support(pair, n).w); }

using Lines = SmallVector<Vec3, 32>;

// Directions of the straight lines on the core's surface at its point furthest along n (in the core's frame) that are
// nearly square to n. R turns them into the common frame.
void add_lines(const ConvexCore& core, const Vec3& n, const Mat3& R, Lines& lines) {
  const auto add = [&](const Vec3& along) {
    const double length = along.norm();
    if (length > 0 && std::abs(along.dot(n)) <= kNearlySquare * length) lines.push_back(R * (along / length));
  };
  if (core.kind == Kind::kPolytope) {
    const std::uint32_t tip = support_vertex(core.polytope, n);
    for (const std::uint32_t other : core.polytope.neighbors_of(tip)) {
      add(core.polytope.vertices[other] - core.polytope.vertices[tip]);
    }
    return;
  }
  if (core.kind == Kind::kPoint) return;
  add(Vec3::UnitZ());
  if (core.kind == Kind::kSegment) return;
  add(Vec3::UnitX());
  add(Vec3::UnitY());
  const double lateral = std::hypot(n.x(), n.y());
  if (core.kind == Kind::kCone && lateral > 0) {
    add(Vec3(core.half.x() * n.x() / lateral, core.half.x() * n.y() / lateral, -2 * core.half.z()));
  }
}

// Faces and edges that touch leave the normal no freedom: it is square to their lines exactly, or the separation along
// it falls short by the angle and not by its square.
void snap(const CorePair& pair, CoreDistance& result) {
  Lines lines;
  add_lines(pair.a, result.normal, Mat3::Identity(), lines);
  add_lines(pair.b, -(pair.X_AB.R.transpose() * result.normal), pair.X_AB.R, lines);
  const Vec3 n = result.normal;
  const auto offer = [&](const Vec3& candidate) {
    const double length = candidate.norm();
    if (!(length > 0)) return;
    const Vec3 unit = candidate / (candidate.dot(n) < 0 ? -length : length);
    const double separation = separation_along(pair, unit);
    if (separation > result.distance) {
      result.distance = separation;
      result.normal = unit;
    }
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    offer(n - n.dot(lines[i]) * lines[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 cross = lines[i].cross(lines[j]);
      if (cross.squaredNorm() > 1e-12) offer(cross);
    }
  }
}

}  // namespace

// With s(n) the separation along n, the shift by c along n makes the distance the maximum over m of s(m) + c m·n. It is
// at least s(n) + c, so that s(m) ≥ s(n) + c (1 - m·n): each step of this proximal ascent betters the normal, and it
// ends where the nearest points lie along it. Of cores that nearly touch GJK finds the distance but not the direction;
// of cores moved apart it finds both.
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
  double along = separation_along(pair, n);
  result.distance = along;
  for (int step = 0; step < kMaxSteps; ++step) {
    const GjkResult gjk = move_apart(step == 0 ? kClearance : kLastClearance, n, along);
    const double turned = (gjk.normal - n).norm();
    // GJK sees the direction through the square of its error; what a step loses by that the next one regains, from
    // here.
    n = gjk.normal;
    along = separation_along(pair, n);
    if (along >= result.distance) {
      result.normal = n;
      result.distance = along;
    }
    if (turned < kSameDirection) {
      break;
    }
  }
  snap(pair, result);
  // What the points miss the normal by is shared between the two shapes. The less clearance, the less that is, unless
  // round sides come so near that GJK cannot separate their chords from their arcs.
  GjkResult points;
  double least = std::numeric_limits<double>::infinity();
  for (double clearance = kLastClearance; clearance < 2 * kClearance && least > kExactPoints * pair.size();
       clearance *= 10) {
    const GjkResult gjk = move_apart(clearance, result.normal, result.distance);
    const Vec3 between = gjk.point_b - gjk.point_a;
    const double missed = (between - between.dot(result.normal) * result.normal).norm() + gjk.error;
    if (missed < least) {
      least = missed;
      points = gjk;
    }
  }
  const Vec3 middle = 0.5 * (points.point_a + points.point_b);
  result.point_a = middle - 0.5 * result.distance * result.normal;
  result.point_b = middle + 0.5 * result.distance * result.normal;
}

}  // namespace achilles
