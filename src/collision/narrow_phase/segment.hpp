// Nearest points of points and segments.
#pragma once

#include <achilles/math.hpp>

#include <algorithm>

namespace achilles {

struct Segment {
  Vec3 start = Vec3::Zero();
  Vec3 end = Vec3::Zero();

  [[nodiscard]] Vec3 at(double t) const { return start + t * (end - start); }
};

/// Parameter in [0, 1] of the point of `segment` nearest to x; 0 for a segment without length.
[[nodiscard]] inline double nearest_parameter(const Segment& segment, const Vec3& x) {
  const Vec3 direction = segment.end - segment.start;
  const double length2 = direction.squaredNorm();
  return length2 > 0 ? std::clamp(direction.dot(x - segment.start) / length2, 0.0, 1.0) : 0.0;
}

/// Parameters in [0, 1] of a nearest pair of points of two segments; for parallel segments the middle of their overlap.
struct SegmentPair {
  double s = 0;  // on the first
  double t = 0;  // on the second
};
[[nodiscard]] SegmentPair nearest_parameters(const Segment& first, const Segment& second);

}  // namespace achilles
