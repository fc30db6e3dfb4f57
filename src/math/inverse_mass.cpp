#include "math/inverse_mass.hpp"

#include <Eigen/LU>

#include <array>

namespace achilles {

Mat3 invert_inertia_with_locks(const Mat3& inertia_W, std::uint8_t locked_axes) {
  std::array<int, 3> free_axes{};
  int count = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if ((locked_axes & (1U << axis)) == 0) free_axes[static_cast<std::size_t>(count++)] = axis;
  }
  Mat3 inverse = Mat3::Zero();
  if (count == 3) {
    inverse = inertia_W.inverse();
  } else if (count == 2) {
    const int i = free_axes[0];
    const int j = free_axes[1];
    const double determinant = inertia_W(i, i) * inertia_W(j, j) - inertia_W(i, j) * inertia_W(j, i);
    inverse(i, i) = inertia_W(j, j) / determinant;
    inverse(j, j) = inertia_W(i, i) / determinant;
    inverse(i, j) = -inertia_W(i, j) / determinant;
    inverse(j, i) = inverse(i, j);
  } else if (count == 1) {
    inverse(free_axes[0], free_axes[0]) = 1.0 / inertia_W(free_axes[0], free_axes[0]);
  }
  return inverse;
}

}  // namespace achilles
