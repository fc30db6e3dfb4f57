#include <Eigen/Eigenvalues>
#include <cmath>

#include "impact/disc.hpp"
#include "impact/law/two_body.hpp"

namespace achilles {
namespace {

// p with u_z + (K p)_z = target: sticking if the cone allows, else sliding.
Vec3 impulse_to(const TwoBodyCollision& c, double target) {
  Vec3 p;
  if (c.friction > 0 && solve_contact_impulse(c.K, {-c.u.x(), -c.u.y(), target - c.u.z()}, p) &&
      is_within_cone(p, c.friction)) {
    return p;
  }
  const Eigen::Matrix2d K_tt = c.K.topLeftCorner<2, 2>();
  const Vec2 K_tz = c.K.topRightCorner<2, 1>();
  const double slip = c.u.head<2>().norm();
  // Impulse per unit of normal impulse: against the slip, or, without slip, what resists its onset most.
  Vec2 f = slip > 0 ? Vec2(-c.friction / slip * c.u.head<2>()) : minimize_on_disc(K_tt, K_tz, c.friction);
  double gain = c.K(2, 2) + K_tz.dot(f);
  if (!(gain > 1e-9 * c.K(2, 2))) {
    // Friction against the slip would pull the bodies together faster than the normal impulse parts them. With the most
    // dissipative direction this cannot be: there the gain is at least det K / det K_tt.
    f = minimize_on_disc(K_tt, K_tz, c.friction);
    gain = c.K(2, 2) + K_tz.dot(f);
  }
  const double normal = (target - c.u.z()) / gain;
  return {f.x() * normal, f.y() * normal, normal};
}

}  // namespace

bool solve_contact_impulse(const Mat3& K, const Vec3& change, Vec3& p) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(K);
  const double least = 1e-12 * solver.eigenvalues().maxCoeff();
  p.setZero();
  for (int k = 0; k < 3; ++k) {
    if (solver.eigenvalues()[k] <= least) continue;
    const Vec3 axis = solver.eigenvectors().col(k);
    p += axis * (axis.dot(change) / solver.eigenvalues()[k]);
  }
  return (K * p - change).norm() <= 1e-9 * change.norm();
}

Vec3 collide_newton(const TwoBodyCollision& c) {
  if (!(c.u.z() < 0) || !(c.K(2, 2) > 0)) return Vec3::Zero();
  return impulse_to(c, -c.restitution * c.u.z());
}

Vec3 collide_poisson(const TwoBodyCollision& c) {
  if (!(c.u.z() < 0) || !(c.K(2, 2) > 0)) return Vec3::Zero();
  const Vec3 compression = impulse_to(c, 0);
  const double normal = c.restitution * compression.z();
  const Vec3 u = c.u + c.K * compression;
  const Vec2 slip = u.head<2>() + c.K.topRightCorner<2, 1>() * normal;
  const Vec2 f = minimize_on_disc(c.K.topLeftCorner<2, 2>(), slip, c.friction * normal);
  return compression + Vec3(f.x(), f.y(), normal);
}

}  // namespace achilles
