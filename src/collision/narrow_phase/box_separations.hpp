// The separating-axis test of two boxes, four numbers at a time.
#pragma once

namespace achilles {

/// Separations along the fifteen axes [m]. Index 3 of every row is unused.
struct alignas(32) BoxSeparations {
  double faces_a[4];    // along A's axes
  double faces_b[4];    // along B's axes
  double center_b[4];   // B's centre minus A's, in B's axes
  double edges[3][4];   // along a_i × b_j, times the sine of their angle
  double sine2[3][4];   // of that angle, squared
  double square[3][4];  // of the separation along a_i × b_j, with its sign; −∞ for edges that count as parallel
  double largest[4];    // of the three rows of `square`
};

/// Below this sine two edges count as parallel: the sliver of the Minkowski difference that is ignored with their cross
/// product is that fraction of an edge wide, and so is the error of the depth.
inline constexpr double kParallelSine = 1e-11;

/// Boxes with half edges `half_a` and `half_b`; R (three columns) and t place B in A's frame. False when an axis shows
/// that they are more than `limit` apart: `out` is then not written. The same bits on every machine.
[[nodiscard]] bool measure_box_separations(const double* half_a, const double* half_b, const double* R, const double* t,
                                           double limit, BoxSeparations& out);

}  // namespace achilles
