#include "collision/continuous/motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace achilles {
namespace {

Mat3 make_rotation(const Vec3& spin, double t) {
  const double speed = spin.norm();
  if (speed == 0) return Mat3::Identity();
  return Eigen::AngleAxisd(speed * t, spin / speed).toRotationMatrix();
}

/// How far apart the ends of an arc of the angle are on a circle of radius 1, at most; the angle need not be small.
double chord(double angle) { return 2 * std::sin(0.5 * std::min(angle, M_PI)); }

Aabb intersected(const Aabb& a, const Aabb& b) { return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)}; }

/// Box of the displacements v t + ½ a t² over [0, h]: the ends and, per axis, the apex of the parabola.
Aabb compute_way(const Vec3& v, const Vec3& a, double h) {
  Aabb way;
  way.include(Vec3::Zero());
  way.include(Vec3(h * v + 0.5 * h * h * a));
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double apex = a[k] != 0 ? -v[k] / a[k] : -1;
    if (apex <= 0 || apex >= h) continue;
    const double x = 0.5 * v[k] * apex;
    way.lower[k] = std::min(way.lower[k], x);
    way.upper[k] = std::max(way.upper[k], x);
  }
  return way;
}

Aabb sweep(const Geometry& geometry, const BallisticMotion& motion, double h) {
  const double reach = compute_reach(geometry, motion);
  const Aabb way = compute_way(motion.velocity, motion.acceleration, h);
  const Aabb ball = Aabb{motion.center + way.lower, motion.center + way.upper}.grown(reach);
  const Aabb start = compute_bounds(geometry, motion.X_WG);
  const double turned = motion.spin.norm() == 0 ? 0 : reach * chord(motion.spin.norm() * h);
  const Aabb moved = Aabb{start.lower + way.lower, start.upper + way.upper}.grown(turned);
  return intersected(ball, moved);
}

Aabb sweep(const Geometry& geometry, const GuidedMotion& motion, double h) {
  const Transform start = motion.path->pose(0);
  const double way = motion.max_speed * h;
  const double turned = motion.max_spin == 0 ? 0 : geometry.radius * chord(motion.max_spin * h);
  const Aabb ball = Aabb{start.p, start.p}.grown(way + geometry.radius);
  return intersected(ball, compute_bounds(geometry, start).grown(way + turned));
}

bool is_finite(const Motion& motion) {
  if (const auto* ballistic = std::get_if<BallisticMotion>(&motion)) {
    return ballistic->X_WG.R.allFinite() && ballistic->X_WG.p.allFinite() && ballistic->center.allFinite() &&
           ballistic->velocity.allFinite() && ballistic->spin.allFinite() && ballistic->acceleration.allFinite();
  }
  const auto& guided = std::get<GuidedMotion>(motion);
  return std::isfinite(guided.max_speed) && std::isfinite(guided.max_spin);
}

bool is_still(const Motion& motion) {
  if (const auto* ballistic = std::get_if<BallisticMotion>(&motion)) {
    return ballistic->velocity.isZero(0) && ballistic->spin.isZero(0) && ballistic->acceleration.isZero(0);
  }
  const auto& guided = std::get<GuidedMotion>(motion);
  return guided.max_speed == 0 && guided.max_spin == 0;
}

}  // namespace

Vec3 find_mean_spin(const Quat& from, const Quat& to, double t) {
  const Eigen::AngleAxisd turn((to * from.conjugate()).normalized());
  const double angle = turn.angle() > M_PI ? turn.angle() - 2 * M_PI : turn.angle();
  return angle / t * turn.axis();
}

MovingCollider make_resting(const Collider& collider) {
  BallisticMotion motion;
  motion.X_WG = collider.X_WG;
  motion.center = collider.X_WG.p;
  return {collider.geometry, motion, collider.body, collider.movable};
}

Transform compute_pose(const Motion& motion, double t) {
  if (const auto* guided = std::get_if<GuidedMotion>(&motion)) return guided->path->pose(t);
  const auto& ballistic = std::get<BallisticMotion>(motion);
  const Mat3 turn = make_rotation(ballistic.spin, t);
  const Vec3 center = ballistic.center + t * ballistic.velocity + 0.5 * t * t * ballistic.acceleration;
  return {turn * ballistic.X_WG.R, center + turn * (ballistic.X_WG.p - ballistic.center)};
}

double compute_reach(const Geometry& geometry, const Motion& motion) {
  const auto* ballistic = std::get_if<BallisticMotion>(&motion);
  return geometry.radius + (ballistic ? (ballistic->X_WG.p - ballistic->center).norm() : 0);
}

Aabb compute_swept_bounds(const Geometry& geometry, const Motion& motion, double h) {
  if (is_still(motion)) return compute_bounds(geometry, compute_pose(motion, 0));
  if (!std::isfinite(geometry.radius)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  }
  return std::visit([&](const auto& kind) { return sweep(geometry, kind, h); }, motion);
}

BroadPhaseProxy make_swept_proxy(const MovingCollider& collider, double h, double margin) {
  if (!is_finite(collider.motion)) {
    throw std::invalid_argument("continuous collision: the motion of body " + std::to_string(collider.body) +
                                " is not finite");
  }
  const Collider at_start{collider.geometry, compute_pose(collider.motion, 0), collider.body, 0, collider.movable};
  BroadPhaseProxy proxy = make_proxy(at_start, margin);
  if (is_still(collider.motion)) return proxy;
  proxy.half_space = false;  // where it will be is not one half-space: the infinite box stands for it
  // Rounding along the way is that of the largest coordinate that enters it.
  const Aabb swept = compute_swept_bounds(*collider.geometry, collider.motion, h);
  const double size = swept.lower.allFinite() && swept.upper.allFinite()
                          ? std::max(swept.lower.cwiseAbs().maxCoeff(), swept.upper.cwiseAbs().maxCoeff())
                          : 0;
  proxy.box = swept.grown(0.5 * margin + 32 * std::numeric_limits<double>::epsilon() * size);
  return proxy;
}

}  // namespace achilles
