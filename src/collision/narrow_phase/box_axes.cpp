#include "collision/narrow_phase/box_axes.hpp"

#include <cmath>

namespace achilles {

namespace {

// Below this sine two edges count as parallel: the sliver of the Minkowski difference that is ignored with their cross
// product is that fraction of an edge wide, and so is the error of the depth.
constexpr double kParallelSine = 1e-11;

// a_i × b_j in A's frame. a_i is a unit axis, so component i is exactly zero and the other two carry no cancellation.
Vec3 cross_axis(const Mat3& R, int i, int j) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  Vec3 axis = Vec3::Zero();
  axis[i1] = -R(i2, j);
  axis[i2] = R(i1, j);
  return axis;
}

struct BoxPair {
  Vec3 half_a;
  Vec3 half_b;
  Mat3 R;
  Vec3 t;
  Mat3 absolute;
  double limit;  // [m]
};

void keep_best(const Vec3& separation, int BoxAxis::*axis, BoxAxis& best) {
  for (int i = 0; i < 3; ++i) {
    if (separation[i] > best.separation) {
      best.separation = separation[i];
      best.*axis = i;
    }
  }
}

// Separations along the cross products of A's edge I with B's three, each times the sine of the angle between its
// edges. False when one shows that the boxes are beyond the limit: sines are at most one. Padded to an even number for
// the vector unit.
constexpr int kEdgePairs = 10;
using EdgeArray = Eigen::Array<double, kEdgePairs, 1>;

template <int I>
bool measure_row(const BoxPair& pair, EdgeArray& scaled, EdgeArray& sine2) {
  constexpr int i1 = (I + 1) % 3, i2 = (I + 2) % 3;
  const Mat3& R = pair.R;
  const Mat3& Q = pair.absolute;
  const Vec3& a = pair.half_a;
  const Vec3& b = pair.half_b;
  const double t1 = pair.t[i1], t2 = pair.t[i2];
  const Vec3 reach_b(b.y() * Q(I, 2) + b.z() * Q(I, 1), b.z() * Q(I, 0) + b.x() * Q(I, 2),
                     b.x() * Q(I, 1) + b.y() * Q(I, 0));
  const Vec3 reach = a[i1] * Q.row(i2).transpose() + a[i2] * Q.row(i1).transpose() + reach_b;
  const Vec3 separation = (t2 * R.row(i1) - t1 * R.row(i2)).transpose().cwiseAbs() - reach;
  scaled.segment<3>(3 * I) = separation;
  sine2.segment<3>(3 * I) = (R.row(i1).cwiseAbs2() + R.row(i2).cwiseAbs2()).transpose();
  return separation.maxCoeff() <= pair.limit;
}

bool try_edges(const BoxPair& pair, BoxAxis& best) {
  EdgeArray scaled, sine2;
  scaled[kEdgePairs - 1] = -1;
  sine2[kEdgePairs - 1] = 0;
  if (!measure_row<0>(pair, scaled, sine2) || !measure_row<1>(pair, scaled, sine2) ||
      !measure_row<2>(pair, scaled, sine2)) {
    return false;
  }
  const EdgeArray separation = scaled / sine2.sqrt();
  for (int k = 0; k < kEdgePairs - 1; ++k) {
    if (sine2[k] >= kParallelSine * kParallelSine && separation[k] > best.separation) {
      best.separation = separation[k];
      best.axis_a = k / 3;
      best.axis_b = k % 3;
    }
  }
  return best.separation <= pair.limit;
}

}  // namespace

BoxAxes find_box_axes(const Vec3& half_a, const Vec3& half_b, const Transform& X_AB, double limit) {
  const BoxPair pair{half_a, half_b, X_AB.R, X_AB.p, X_AB.R.cwiseAbs(), limit};
  BoxAxes axes;
  axes.beyond = true;
  const Vec3 separation_a = pair.t.cwiseAbs() - half_a - pair.absolute * half_b;
  if (separation_a.maxCoeff() > limit) return axes;
  const Vec3 t_b = pair.R.transpose() * pair.t;
  const Vec3 separation_b = t_b.cwiseAbs() - half_b - pair.absolute.transpose() * half_a;
  if (separation_b.maxCoeff() > limit) return axes;
  if (!try_edges(pair, axes.edges)) return axes;
  axes.beyond = false;
  keep_best(separation_a, &BoxAxis::axis_a, axes.face_a);
  keep_best(separation_b, &BoxAxis::axis_b, axes.face_b);
  axes.face_a.normal = std::copysign(1.0, pair.t[axes.face_a.axis_a]) * Vec3::Unit(axes.face_a.axis_a);
  axes.face_b.normal = std::copysign(1.0, t_b[axes.face_b.axis_b]) * pair.R.col(axes.face_b.axis_b);
  return axes;
}

Vec3 box_edge_normal(const BoxAxis& edges, const Transform& X_AB) {
  const Vec3 axis = cross_axis(X_AB.R, edges.axis_a, edges.axis_b).normalized();
  return axis.dot(X_AB.p) < 0 ? Vec3(-axis) : axis;
}

}  // namespace achilles
