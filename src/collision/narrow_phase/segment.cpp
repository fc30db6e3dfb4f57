#include "collision/narrow_phase/segment.hpp"

#include <array>

namespace achilles {

namespace {

double squared_distance(const Segment& first, const Segment& second, const SegmentPair& pair) {
  return (first.at(pair.s) - second.at(pair.t)).squaredNorm();
}

// Middle of the part of `first` that lies beside `second`, and its partner.
SegmentPair middle_of_overlap(const Segment& first, const Segment& second) {
  const double s0 = nearest_parameter(first, second.start);
  const double s1 = nearest_parameter(first, second.end);
  const double s = 0.5 * (s0 + s1);
  return {s, nearest_parameter(second, first.at(s))};
}

}  // namespace

// The minimum of the convex quadratic |first(s) - second(t)|² over the unit square is either its stationary point or
// lies on one of the four sides, where one end is fixed. Comparing the candidates keeps full precision for nearly
// parallel segments, where the stationary point is ill-conditioned.
SegmentPair nearest_parameters(const Segment& first, const Segment& second) {
  const Vec3 d1 = first.end - first.start;
  const Vec3 d2 = second.end - second.start;
  const Vec3 r = first.start - second.start;
  const double a = d1.squaredNorm();
  const double e = d2.squaredNorm();
  const double b = d1.dot(d2);
  const double determinant = d1.cross(d2).squaredNorm();  // a e - b², without its cancellation

  if (determinant > 1e-24 * a * e) {
    const double c = d1.dot(r);
    const double f = d2.dot(r);
    const SegmentPair inner{(b * f - c * e) / determinant, (a * f - b * c) / determinant};
    if (inner.s >= 0 && inner.s <= 1 && inner.t >= 0 && inner.t <= 1) {
      // One Newton half-step each way removes the error of the division by a small determinant.
      const double t = nearest_parameter(second, first.at(inner.s));
      return {nearest_parameter(first, second.at(t)), t};
    }
  }
  const std::array<SegmentPair, 4> sides{{{0, nearest_parameter(second, first.start)},
                                          {1, nearest_parameter(second, first.end)},
                                          {nearest_parameter(first, second.start), 0},
                                          {nearest_parameter(first, second.end), 1}}};
  SegmentPair best = sides[0];
  double best_distance2 = squared_distance(first, second, best);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const double distance2 = squared_distance(first, second, sides[i]);
    if (distance2 < best_distance2) {
      best_distance2 = distance2;
      best = sides[i];
    }
  }
  const SegmentPair middle = middle_of_overlap(first, second);
  return squared_distance(first, second, middle) <= best_distance2 ? middle : best;
}

}  // namespace achilles
