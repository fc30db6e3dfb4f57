// The inverse of one body's mass matrix in world axes, with locked degrees of freedom taken out.
#pragma once

#include <achilles/math.hpp>

#include <cstdint>

namespace achilles {

/// What the mass matrix needs of one body, in world axes. Locked degrees of freedom have zero inverse.
struct BodyInverseMass {
  Vec3 linear = Vec3::Zero();   // [1/kg] per axis
  Mat3 angular = Mat3::Zero();  // [1/(kg m²)]
};

/// Inverse of a symmetric positive definite inertia restricted to the axes not locked (bit i locks axis i): the
/// constraint torques of the locked axes are eliminated, so that free axes keep their coupling. Zero on the locked
/// axes.
[[nodiscard]] Mat3 invert_inertia_with_locks(const Mat3& inertia_W, std::uint8_t locked_axes);

}  // namespace achilles
