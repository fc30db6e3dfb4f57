#include "collision/narrow_phase/box_axes.hpp"

#include "collision/narrow_phase/box_separations.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

namespace {

// a_i × b_j in A's frame. a_i is a unit axis, so component i is exactly zero and the other two carry no cancellation.
Vec3 cross_axis(const Mat3& R, int i, int j) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  Vec3 axis = Vec3::Zero();
  axis[i1] = -R(i2, j);
  axis[i2] = R(i1, j);
  return axis;
}

void keep_best(const double* separation, int BoxAxis::*axis, BoxAxis& best) {
  const int lower = separation[1] > separation[0] ? 1 : 0;
  const double of_lower = std::max(separation[0], separation[1]);
  best.*axis = separation[2] > of_lower ? 2 : lower;
  best.separation = std::max(of_lower, separation[2]);
}

// Only those that separate by more than the faces do, which most do not. Squares compare as the separations do.
void keep_best_edges(const BoxSeparations& all, double faces, BoxAxis& best) {
  const double largest = std::max({all.largest[0], all.largest[1], all.largest[2]});
  if (!(largest > faces * std::abs(faces))) return;
  const int j = all.largest[0] == largest ? 0 : (all.largest[1] == largest ? 1 : 2);
  const int i = all.square[0][j] == largest ? 0 : (all.square[1][j] == largest ? 1 : 2);
  const double separation = all.edges[i][j] / std::sqrt(all.sine2[i][j]);
  if (separation > faces) best = {separation, Vec3::UnitZ(), i, j};
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
