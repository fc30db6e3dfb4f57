// Penetration depth by expanding a polytope inside the Minkowski difference, [Bergen01], with two-sided bounds.
#pragma once

#include "collision/narrow_phase/gjk.hpp"

#include <array>

namespace achilles {

enum class EpaStatus {
  kConverged,  // upper - lower is within the tolerance
  kFlat,       // the Minkowski difference has no volume: depth along its thin direction
  kStalled,    // out of room or of precision: `depth` is still an upper bound, `lower` a lower one
};

inline constexpr int kMaxEpaLeads = 24;

struct EpaOptions {
  double tolerance = 1e-11;  // of the size
  int max_iterations = 160;
};

struct EpaResult {
  EpaStatus status = EpaStatus::kConverged;
  double depth = 0;             // [m] along `normal`: moving B by depth · normal separates the cores
  double lower = 0;             // [m] no shorter translation separates them
  Vec3 normal = Vec3::UnitZ();  // unit, in A's frame, from A to B
  /// Where it converged to a face that the origin projects into: the point of B that realizes the depth, in A's frame;
  /// exact for polyhedra, on a chord for round shapes.
  Vec3 point_b = Vec3::Zero();
  bool has_point = false;
  int iterations = 0;
  /// After a stall, directions in which a smaller depth may still hide: normals of faces nearer than `depth`, nearest
  /// first, well apart from each other and from `normal`.
  std::array<Vec3, kMaxEpaLeads> leads;
  int lead_count = 0;
};

/// Depth of two cores that overlap or touch; negative when they are in truth apart by less than GJK resolves. Every
/// direction bounds the depth from above by the support distance along it; the nearest face of the inner polytope
/// bounds it from below. `simplex` is GJK's last.
[[nodiscard]] EpaResult compute_epa(const CorePair& pair, const Simplex& simplex, const EpaOptions& options);

}  // namespace achilles
