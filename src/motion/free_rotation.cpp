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

/// One midpoint step by Newton's method; false when it did not converge, as happens from about h|ω| = 3 on.
bool solve_midpoint(const Mat3& inertia_B, const Vec3& torque_B, double h, FreeRotation& free) {
  constexpr int kMaxIterations = 15;
  constexpr double kRelativeChange = 1e-9;  // convergence is quadratic: what is left is below rounding
  const Vec3 start = free.spin_end_B;
  const Vec3 momentum = inertia_B * start;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 mean = 0.5 * (start + free.spin_end_B);
    const Vec3 mean_momentum = inertia_B * mean;
    const Vec3 residual = inertia_B * free.spin_end_B - momentum + h * mean.cross(mean_momentum) - h * torque_B;
    const Mat3 jacobian = inertia_B + 0.5 * h * (cross_matrix(mean) * inertia_B - cross_matrix(mean_momentum));
    const Vec3 change = jacobian.inverse() * residual;
    free.spin_end_B -= change;
    free.spin_mean_B = 0.5 * (start + free.spin_end_B);
    if (change.norm() <= kRelativeChange * free.spin_end_B.norm()) return true;
  }
  return false;
}

/// The vector whose Cayley rotation is q.
Vec3 cayley_vector(const Quat& q) {
  constexpr double kHalfTurn = 1e-100;  // half a turn has no finite vector; this one is as near as rounding allows
  return 2 * q.vec() / (std::abs(q.w()) > kHalfTurn ? q.w() : kHalfTurn);
}

/// `parts` midpoint steps in place of one; false when one of them did not converge.
bool solve_in_parts(const Mat3& inertia_B, const Vec3& torque_B, double h, int parts, FreeRotation& free) {
  const double part = h / parts;
  Quat turned = Quat::Identity();
  for (int k = 0; k < parts; ++k) {
    if (!solve_midpoint(inertia_B, torque_B, part, free)) return false;
    turned = (turned * cayley_rotation(part * free.spin_mean_B)).normalized();
  }
  free.spin_mean_B = cayley_vector(turned) / h;
  return true;
}

}  // namespace

FreeRotation advance_free_rotation(const Mat3& inertia_B, const Vec3& spin_B, const Vec3& torque_B, double h) {
  constexpr int kMaxParts = 1 << 14;
  FreeRotation free{spin_B, spin_B};
  if (solve_midpoint(inertia_B, torque_B, h, free)) return free;
  for (int parts = 2; parts <= kMaxParts; parts *= 2) {
    free = {spin_B, spin_B};
    if (solve_in_parts(inertia_B, torque_B, h, parts, free)) return free;
  }
  return {spin_B, spin_B};  // thousands of turns in one step: the spin stays as it is rather than explode
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
