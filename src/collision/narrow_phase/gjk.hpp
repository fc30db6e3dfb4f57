// Distance between convex cores, [Gilbert88], in double precision with a certified error.
#pragma once

#include "collision/narrow_phase/convex_core.hpp"

#include <array>

namespace achilles {

/// Two cores, the second placed in the frame of the first. All of the narrow phase works in that frame: rounding errors
/// then scale with the shapes and not with their distance from the world's origin.
struct CorePair {
  const ConvexCore& a;
  const ConvexCore& b;
  Transform X_AB;

  [[nodiscard]] double size() const { return a.size + b.size; }
  [[nodiscard]] double radius() const { return a.radius + b.radius; }
};

/// Placement of B in A's frame, both given in the world.
[[nodiscard]] inline Transform relative(const Transform& X_WA, const Transform& X_WB) {
  return {X_WA.R.transpose() * X_WB.R, X_WA.R.transpose() * (X_WB.p - X_WA.p)};
}

/// A vertex of the Minkowski difference A ⊖ B and the points it is the difference of, in A's frame.
struct SimplexVertex {
  Vec3 a;
  Vec3 b;
  Vec3 w;  // a - b
};

struct Simplex {
  std::array<SimplexVertex, 4> vertices;
  std::array<double, 4> weights;  // barycentric coordinates of the nearest point
  int count = 0;
};

enum class GjkStatus {
  kSeparated,  // distance is known to within the tolerance
  kTouching,   // the cores overlap, or are nearer than `contact_tolerance` of the size
  kBeyond,     // further apart than the caller's limit; distance is a lower bound
  kStalled,    // iteration cap reached: distance is the best upper bound, `error` its certified error
};

struct GjkOptions {
  double relative_tolerance = 1e-13;                        // of the distance
  double contact_tolerance = 1e-13;                         // of the size: nearer than that counts as touching
  double beyond = std::numeric_limits<double>::infinity();  // [m] give up once the distance is known to exceed this
  int max_iterations = 128;
};

struct GjkResult {
  GjkStatus status = GjkStatus::kSeparated;
  double distance = 0;          // [m] between the cores, 0 when touching
  double error = 0;             // [m] upper minus lower bound of the distance
  Vec3 point_a = Vec3::Zero();  // nearest points of the cores, in A's frame
  Vec3 point_b = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  // unit, from A to B; meaningless when touching
  Simplex simplex;              // spans the nearest point; encloses the origin when the cores overlap
  int iterations = 0;
};

/// Distance between two cores. With v the nearest point of the current simplex and w the support point against it,
/// v·w/|v| ≤ distance ≤ |v|; the iteration ends when the two bounds meet, when no new support point is found, or at the
/// cap. `start` is any direction, best the expected one from A to B.
[[nodiscard]] GjkResult compute_gjk(const CorePair& pair, const GjkOptions& options, const Vec3& start);

/// The support point of A ⊖ B along `direction`.
[[nodiscard]] SimplexVertex minkowski_support(const CorePair& pair, const Vec3& direction);

}  // namespace achilles
