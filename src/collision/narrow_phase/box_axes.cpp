#include "collision/narrow_phase/box_axes.hpp"

#include "collision/narrow_phase/box_separations.hpp"

#include <algorithm>
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

void keep_best(const double* separation, int BoxAxis::*axis, BoxAxis& best) {
  for (int i = 0; i < 3; ++i) {
    if (separation[i] > best.separation) {
      best.separation = separation[i];
      best.*axis = i;
    }
  }
}

// Only those that separate by more than the faces do. Dividing an overlap by the sine makes it larger, so that most
// pairs need no root.
void keep_best_edges(const BoxSeparations& all, double faces, BoxAxis& best) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (all.edges[i][j] <= std::min(0.0, std::max(faces, best.separation))) continue;
      const double sine2 = all.sine2[i][j];
      if (sine2 < kParallelSine * kParallelSine) continue;
      const double separation = all.edges[i][j] / std::sqrt(sine2);
      if (separation > std::max(faces, best.separation)) {
        best.separation = separation;
        best.axis_a = i;
        best.axis_b = j;
      }
    }
  }
}

}  // namespace

BoxAxes find_box_axes(const Vec3& half_a, const Vec3& half_b, const Transform& X_AB, double limit) {
  BoxAxes axes;
  axes.beyond = true;
  BoxSeparations all;
  if (!measure_box_separations(half_a.data(), half_b.data(), X_AB.R.data(), X_AB.p.data(), limit, all)) return axes;
  keep_best(all.faces_a, &BoxAxis::axis_a, axes.face_a);
  keep_best(all.faces_b, &BoxAxis::axis_b, axes.face_b);
  keep_best_edges(all, std::max(axes.face_a.separation, axes.face_b.separation), axes.edges);
  if (axes.edges.separation > limit) return axes;
  axes.beyond = false;
  axes.face_a.normal = std::copysign(1.0, X_AB.p[axes.face_a.axis_a]) * Vec3::Unit(axes.face_a.axis_a);
  axes.face_b.normal = std::copysign(1.0, all.center_b[axes.face_b.axis_b]) * X_AB.R.col(axes.face_b.axis_b);
  return axes;
}

Vec3 box_edge_normal(const BoxAxis& edges, const Transform& X_AB) {
  const Vec3 axis = cross_axis(X_AB.R, edges.axis_a, edges.axis_b).normalized();
  return axis.dot(X_AB.p) < 0 ? Vec3(-axis) : axis;
}

}  // namespace achilles
