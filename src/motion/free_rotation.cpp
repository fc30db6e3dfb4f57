#include "motion/free_rotation.hpp"

#include <Eigen/LU>

#include <cmath>

namespace achilles {
namespace {

Mat3 cross_matrix(const Vec3& x) {
  Mat3 m;
  m << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
  return m;
}

/// q + ½ h [0, w] q: the first-order update.
Quat infinitesimal_rotation(const Quat& q, const Vec3& w_W, double h) {
  const Vec3 half = 0.5 * h * w_W;
  const Quat rate = Quat(0, half.x(), half.y(), half.z()) * q;
  return Quat(q.coeffs() + rate.coeffs());
}

}  // namespace

FreeRotation advance_free_rotation(const Mat3& inertia_B, const Vec3& spin_B, const Vec3& torque_B, double h) {
  // Newton on the midpoint rule. The step is a smooth perturbation of the identity of size h|ω|, so a handful of
  // iterations reach round-off; the cap only matters for steps of many turns, where the last iterate is kept.
  constexpr int kMaxIterations = 20;
  constexpr double kRelativeTolerance = 4e-16;
  const Vec3 momentum = inertia_B * spin_B;
  Vec3 end = spin_B;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 mean = 0.5 * (spin_B + end);
    const Vec3 mean_momentum = inertia_B * mean;
    const Vec3 residual = inertia_B * end - momentum + h * mean.cross(mean_momentum) - h * torque_B;
    const Mat3 jacobian = inertia_B + 0.5 * h * (cross_matrix(mean) * inertia_B - cross_matrix(mean_momentum));
    const Vec3 change = jacobian.inverse() * residual;
    end -= change;
    if (change.norm() <= kRelativeTolerance * end.norm()) break;
  }
  return {end, 0.5 * (spin_B + end)};
}

Quat cayley_rotation(const Vec3& theta) {
  const Vec3 half = 0.5 * theta;
  return Quat(1, half.x(), half.y(), half.z()).normalized();
}

Quat finite_rotation(const Vec3& theta) {
  constexpr double kSmall = 1e-4;
  const double half_angle = 0.5 * theta.norm();
  const double sinc = half_angle < kSmall ? 1 - half_angle * half_angle / 6 : std::sin(half_angle) / half_angle;
  const Vec3 v = 0.5 * sinc * theta;
  return {std::cos(half_angle), v.x(), v.y(), v.z()};
}

Quat update_orientation(const Quat& q_WB, const Vec3& w_W, double h, RotationUpdate rule, const Vec3& axis_B) {
  switch (rule) {
    case RotationUpdate::kInfinitesimal:
      return infinitesimal_rotation(q_WB, w_W, h).normalized();
    case RotationUpdate::kPartial: {
      const Vec3 axis_W = q_WB * axis_B;
      const Vec3 finite = axis_W.dot(w_W) * axis_W;  // [Erleben04, eq. 4.231]
      const Quat turned = finite_rotation(h * finite) * q_WB;
      return infinitesimal_rotation(turned, w_W - finite, h).normalized();
    }
    case RotationUpdate::kFinite:
      break;
  }
  return (finite_rotation(h * w_W) * q_WB).normalized();
}

}  // namespace achilles
