// Contacts kept from step to step while two bodies hardly move against each other.
#pragma once

#include <cstdint>
#include <vector>

namespace achilles {

/// A contact point fixed to the two geometries it belongs to.
struct KeptPoint {
  double on_a[3] = {};    // [m] on the surface of a, in a's frame
  double on_b[3] = {};    // [m] on the surface of b, in b's frame
  double normal[3] = {};  // unit, from a to b, in the frame of the reference
  std::uint32_t feature = 0;
  std::uint32_t reference_is_b = 0;  // the geometry that the normal turns with
};

/// The points of one pair of colliders and where the two stood when these were found.
struct KeptManifold {
  std::uint32_t collider_a = 0, collider_b = 0;
  std::uint32_t first = 0, count = 0;  // points[first .. first + count)
  double p[3] = {};                    // [m] of the other geometry in the frame of the reference
  double reach = 0;                    // [m] how far ahead the two looked, beyond the common margin
  float R[9] = {};                     // orientation of the other geometry in the frame of the reference
  std::uint32_t unused = 0;
};

/// Sorted by (collider_a, collider_b): state, because what is kept shapes the next bits.
struct ManifoldMemory {
  std::vector<KeptManifold> manifolds;
  std::vector<KeptPoint> points;

  void clear() {
    manifolds.clear();
    points.clear();
  }
};

}  // namespace achilles
