// Signed distance of convex cores: distance apart, depth when they overlap.
#pragma once

#include "collision/narrow_phase/gjk.hpp"

namespace achilles {

struct CoreDistance {
  double distance = 0;          // [m] of the cores; negative: the least translation that separates them
  Vec3 normal = Vec3::UnitZ();  // unit, in A's frame, from A to B
  Vec3 point_a = Vec3::Zero();  // [m] in A's frame: point_b - point_a = distance · normal
  Vec3 point_b = Vec3::Zero();
  int iterations = 0;
};

/// Signed distance of two cores and the points that realize it.
[[nodiscard]] CoreDistance compute_core_distance(const CorePair& pair);

}  // namespace achilles
