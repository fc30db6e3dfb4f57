#include "collision/narrow_phase/box_axes.hpp"

#include <cmath>

namespace achilles {

namespace {

// Below this sine two edges count as parallel: the sliver of the Minkowski difference that is ignored with their cross
// product is that fraction of an edge wide, and so is the error of the depth.
constexpr double kParallelSine = 1e-11;

bool try_axis(double center_distance, double reach, double limit, BoxAxis& best, int axis_a, int axis_b) {
  const double separation = std::abs(center_distance) - reach;
  if (separation > best.separation) {
    best.separation = separation;
    best.axis_a = axis_a;
    best.axis_b = axis_b;
  }
  return separation <= limit;
}

// a_i × b_j in A's frame. a_i is a unit axis, so component i is exactly zero and the other two carry no cancellation.
Vec3 cross_axis(const Mat3& R, int i, int j) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  Vec3 axis = Vec3::Zero();
  axis[i1] = -R(i2, j);
  axis[i2] = R(i1, j);
  return axis;
}

bool try_edges(const Vec3& half_a, const Vec3& half_b, const Transform& X_AB, const Mat3& absolute, double limit,
               BoxAxis& best) {
  const Mat3& R = X_AB.R;
  const Vec3& t = X_AB.p;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double length2 = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      if (length2 < kParallelSine * kParallelSine) {
        continue;
      }
      const double reach = half_a[i1] * absolute(i2, j) + half_a[i2] * absolute(i1, j) + half_b[j1] * absolute(i, j2) +
                           half_b[j2] * absolute(i, j1);
      const double center_distance = t[i2] * R(i1, j) - t[i1] * R(i2, j);
      const double scale = 1 / std::sqrt(length2);
      if (!try_axis(center_distance * scale, reach * scale, limit, best, i, j)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

BoxAxes find_box_axes(const Vec3& half_a, const Vec3& half_b, const Transform& X_AB, double limit) {
  const Mat3& R = X_AB.R;
  const Vec3& t = X_AB.p;
  const Mat3 absolute = R.cwiseAbs();
  const Vec3 reach_a = half_a + absolute * half_b;
  const Vec3 reach_b = half_b + absolute.transpose() * half_a;
  const Vec3 t_b = R.transpose() * t;

  BoxAxes axes;
  for (int i = 0; i < 3; ++i) {
    axes.beyond = axes.beyond || !try_axis(t[i], reach_a[i], limit, axes.face_a, i, 0);
    axes.beyond = axes.beyond || !try_axis(t_b[i], reach_b[i], limit, axes.face_b, 0, i);
  }
  if (!axes.beyond) {
    axes.beyond = !try_edges(half_a, half_b, X_AB, absolute, limit, axes.edges);
  }
  axes.face_a.normal = std::copysign(1.0, t[axes.face_a.axis_a]) * Vec3::Unit(axes.face_a.axis_a);
  axes.face_b.normal = std::copysign(1.0, t_b[axes.face_b.axis_b]) * R.col(axes.face_b.axis_b);
  if (std::isfinite(axes.edges.separation)) {
    const Vec3 axis = cross_axis(R, axes.edges.axis_a, axes.edges.axis_b).normalized();
    axes.edges.normal = axis.dot(t) < 0 ? Vec3(-axis) : axis;
  }
  return axes;
}

}  // namespace achilles
