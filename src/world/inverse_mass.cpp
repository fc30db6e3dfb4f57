#include "world/inverse_mass.hpp"

namespace achilles {

BodyInverseMass compute_inverse_mass(const BodyArrays& bodies, std::size_t body) {
  BodyInverseMass inverse;
  if (!bodies.is_movable(body)) return inverse;
  const std::uint8_t locks = bodies.locks[body].bits;
  inverse.linear.setConstant(1.0 / bodies.mass[body]);
  for (int axis = 0; axis < 3; ++axis) {
    if ((locks & (1U << axis)) != 0) inverse.linear[axis] = 0;
  }
  const Mat3 R = bodies.orientation[body].toRotationMatrix();
  const auto locked_rotations = static_cast<std::uint8_t>(locks >> 3U);
  if (locked_rotations == 0) {
    inverse.angular = R * bodies.inverse_inertia_B[body] * R.transpose();
  } else {
    inverse.angular = invert_inertia_with_locks(R * bodies.inertia_B[body] * R.transpose(), locked_rotations);
  }
  return inverse;
}

}  // namespace achilles
