#include "record/certify/body_arms.hpp"
#include "record/certify/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace achilles {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

std::uint32_t root_of(std::vector<std::uint32_t>& family, std::uint32_t body) {
  while (family[body] != body) body = family[body] = family[family[body]];
  return body;
}

Mat3 inertia_of(const World& world, std::size_t body) {
  const Mat3 R = world.bodies.orientation[body].toRotationMatrix();
  return R * world.bodies.inertia_B[body] * R.transpose();
}

}  // namespace

MotionCheck::MotionCheck(const PromisedBounds& promises, int threads) : promises_(promises) {
  scratch_.runner.set_threads(threads);
}

double MotionCheck::allowed_depth(std::uint32_t body_a, std::uint32_t body_b) const {
  const auto begun = begun_.find(std::minmax(body_a, body_b));
  return promises_.depth.value_or(kUnbounded) + (begun == begun_.end() ? 0 : begun->second);
}

void MotionCheck::see_instant(const World& world, const PenetrationMeter& meter, std::size_t index) {
  if (index == 0) {
    meter.for_each_overlap([&](std::uint32_t body_a, std::uint32_t body_b, double depth) {
      double& begun = begun_[std::minmax(body_a, body_b)];
      begun = std::max(begun, depth);
    });
  }
  depth_.see(0, promises_.depth.value_or(kUnbounded), index, world.time, [] { return "nothing overlaps"; });
  meter.for_each_overlap([&](std::uint32_t body_a, std::uint32_t body_b, double depth) {
    if (!begun_.contains(std::minmax(body_a, body_b))) deepest_ = std::max(deepest_, depth);
    depth_.see(depth, allowed_depth(body_a, body_b), index, world.time,
               [&] { return fmt::format("'{}' and '{}'", world.names[body_a], world.names[body_b]); });
  });
}

void MotionCheck::see_lost_instant(const World& world, std::size_t index) {
  depth_.see(std::numeric_limits<double>::quiet_NaN(), promises_.depth.value_or(kUnbounded), index, world.time,
             [] { return "a body is at no place"; });
}

void MotionCheck::see(const World& before, const World& after, double deepest, const Scale& scale, std::size_t index) {
  const double dt = after.time - before.time;
  if (!(dt > 0) || before.first_not_finite() || after.first_not_finite()) return;
  const double known = std::max(deepest_, promises_.depth.value_or(0));
  follow_interval(before, after, dt, known, scale.step, scratch_);
  see_depths(before, index);
  find_families(before, after);
  add_up(before, after, dt, scale);
  find_flying(before);
  add_slack(before, after, dt, deepest, scale);
  for (std::size_t k = 0; k < before.bodies.size(); ++k) {
    if (family_[k] == k && bound_[k] == 0 && sums_[k].bodies > 0) see_family(before, after, k, dt, scale, index);
    if (flying_[k] != 0) see_flight(before, after, k, promises_.rounding * std::max(1.0, dt / scale.step), index);
  }
  see_ways(before, after, dt, deepest, scale, index);
}

void MotionCheck::see_depths(const World& before, std::size_t index) {
  for (const IntervalWorkspace::Met& met : scratch_.met) {
    unresolved_ += met.unresolved ? 1 : 0;
    if (!(met.depth > 0)) continue;
    // Judged without what the uncertainty of the paths explains.
    const double depth = met.depth - met.allowance;
    if (!begun_.contains(std::minmax(met.body_a, met.body_b))) deepest_ = std::max(deepest_, depth);
    depth_.see(depth, allowed_depth(met.body_a, met.body_b), index, before.time + met.time, [&] {
      return fmt::format("'{}' and '{}' between two instants", before.names[met.body_a], before.names[met.body_b]);
    });
  }
}

/// Bodies that touch, or hang on each other, belong together; what touches something that cannot move, or is pushed by
/// something that the recording does not hold, is bound.
void MotionCheck::find_families(const World& before, const World& after) {
  const std::size_t count = before.bodies.size();
  family_.resize(count);
  std::iota(family_.begin(), family_.end(), 0U);
  bound_.assign(count, 0);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& [body, other] : {std::pair{a, b}, std::pair{b, a}}) {
      if (!before.bodies.is_movable(other)) bound_[body] = 1;
    }
    if (before.bodies.is_movable(a) && before.bodies.is_movable(b)) family_[root_of(family_, a)] = root_of(family_, b);
  };
  for (const IntervalWorkspace::Met& met : scratch_.met) join(met.body_a, met.body_b);
  for (const WorldJoint& joint : before.joints) join(joint.body_a, joint.body_b);
  for (std::size_t k = 0; k < count; ++k) {
    const bool forced = !before.bodies.constant_force[k].isZero(0) || !before.bodies.constant_torque[k].isZero(0);
    const bool slept = before.bodies.asleep[k] != 0 || after.bodies.asleep[k] != 0;
    if (forced || slept || !before.bodies.is_movable(k)) bound_[k] = 1;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    family_[k] = root_of(family_, k);
    if (bound_[k] != 0) bound_[family_[k]] = 1;
  }
}

void MotionCheck::add_up(const World& before, const World& after, double dt, const Scale& scale) {
  const std::size_t count = before.bodies.size();
  sums_.assign(count, Sum{});
  for (Sum& sum : sums_) {
    for (auto* side : {&sum.moment, &sum.momentum, &sum.spin}) side->fill(Vec3::Zero());
  }
  if (arms_.size() != count) arms_ = measure_arms(before);
  whole_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (!before.bodies.is_movable(k)) continue;
    Sum& sum = sums_[family_[k]];
    const double mass = before.bodies.mass[k];
    sum.mass += mass;
    sum.bodies += 1;
    sum.locks |= before.bodies.locks[k].bits;
    whole_ += mass * dt * scale.gravity;
    for (std::size_t side = 0; side < 2; ++side) {
      const World& world = side == 0 ? before : after;
      const BodyVelocity& u = world.bodies.velocity[k];
      const Vec3& x = world.bodies.position[k];
      const Vec3 own = inertia_of(world, k) * u.angular;
      sum.moment[side] += mass * x;
      sum.momentum[side] += mass * u.linear;
      sum.spin[side] += x.cross(mass * u.linear) + own;
      sum.size += mass * u.linear.norm();
      sum.far += x.norm() * mass * u.linear.norm() + own.norm();
      whole_ += mass * (u.linear.norm() + arms_[k] * u.angular.norm());
      if (side == 0) sum.kinetic += 0.5 * mass * u.linear.squaredNorm() + 0.5 * u.angular.dot(own);
    }
  }
}

/// What a step of first order, or stabilization, may make of the angular momentum about the common centre. An impulse J
/// acts up to h v from where it is taken to act, v being the speed of a point about the centre, |v| + |ω| r: h J v.
/// Between two parts of a family it is no larger than half of what all bodies were given, ½ Σ m |Δu − Δt g|, which is
/// what either part got at most. A body turns with its velocity after the impulse, h |Δω| |I ω|; the gyroscopic torque
/// is that of the start of the step, (h |ω|)² |I ω| per step; what is moved by d keeps its velocity, d (m v + J).
void MotionCheck::add_slack(const World& before, const World& after, double dt, double deepest, const Scale& scale) {
  const double h = scale.step;
  for (std::size_t k = 0; k < before.bodies.size(); ++k) {
    if (!before.bodies.is_movable(k)) continue;
    Sum& sum = sums_[family_[k]];
    const double mass = before.bodies.mass[k];
    const BodyVelocity& u0 = before.bodies.velocity[k];
    const BodyVelocity& u1 = after.bodies.velocity[k];
    const double arm = (before.bodies.position[k] - sum.moment[0] / sum.mass).norm();
    const double speed =
        std::max((u0.linear - sum.momentum[0] / sum.mass).norm(), (u1.linear - sum.momentum[1] / sum.mass).norm());
    const double spin = std::max(u0.angular.norm(), u1.angular.norm());
    const double own =
        std::max((inertia_of(before, k) * u0.angular).norm(), (inertia_of(after, k) * u1.angular).norm());
    sum.extent = std::max(sum.extent, arm + arms_[k]);
    sum.turn += own + mass * speed * arm;
    if (flying_[k] != 0) continue;
    const double given = sum.bodies > 1 ? mass * (u1.linear - u0.linear - dt * before.gravity).norm() : 0;
    sum.given += given;
    sum.reach += speed + spin * arms_[k];
    sum.slack += h * (u1.angular - u0.angular).norm() * own + 2 * dt * h * spin * spin * own;
    if (promises_.stabilization != Stabilization::kNone) sum.slack += deepest * (mass * speed + given);
  }
}

/// Newton's laws for what nothing outside acts on: momentum changes by gravity alone, angular momentum about the common
/// centre of mass not at all. Rounding is a share of the family's own in every step, and of what all bodies have: those
/// that were solved for together may be more than those of the family.
void MotionCheck::see_family(const World& before, const World& after, std::size_t family, double dt, const Scale& scale,
                             std::size_t index) {
  const Sum& sum = sums_[family];
  const double share = promises_.rounding * std::max(1.0, dt / scale.step);
  const auto describe_bodies = [&] {
    return sum.bodies == 1 ? fmt::format("'{}'", before.names[family])
                           : fmt::format("{} bodies with '{}'", sum.bodies, before.names[family]);
  };
  Vec3 gain = sum.momentum[1] - sum.momentum[0] - sum.mass * dt * before.gravity;
  for (int axis = 0; axis < 3; ++axis) {
    if ((sum.locks >> static_cast<unsigned>(axis) & 1U) != 0) gain[axis] = 0;
  }
  const double size = share * (sum.size + sum.mass * dt * scale.gravity) + promises_.rounding * whole_;
  if (size > 0) momentum_.see(gain.norm(), size, index, after.time, describe_bodies);
  if (sum.locks != 0) return;
  const auto about_center = [&](std::size_t side) -> Vec3 {
    return sum.spin[side] - sum.moment[side].cross(sum.momentum[side]) / sum.mass;
  };
  const double turn = share * (sum.turn + sum.far) + promises_.rounding * whole_ * sum.extent;
  const double slack = sum.slack + 0.5 * scale.step * sum.given * sum.reach;
  if (turn > 0) {
    angular_.see((about_center(1) - about_center(0)).norm(), promises_.angular ? turn + slack : kUnbounded, index,
                 after.time, describe_bodies);
  }
}

/// In flight a body turns by the full rule, alone, and nothing holds any of its axes.
void MotionCheck::find_flying(const World& before) {
  flying_.assign(before.bodies.size(), 0);
  for (std::size_t k = 0; k < before.bodies.size(); ++k) {
    flying_[k] = promises_.free_flight && before.bodies.is_movable(k) && sums_[family_[k]].bodies == 1 &&
                 bound_[family_[k]] == 0 && before.bodies.locks[k].bits == 0 &&
                 before.bodies.rotation[k] == RotationUpdate::kFinite;
  }
}

void MotionCheck::see_flight(const World& before, const World& after, std::size_t body, double share,
                             std::size_t index) {
  const auto energy_of = [body](const World& world) {
    const BodyVelocity& u = world.bodies.velocity[body];
    const double mass = world.bodies.mass[body];
    const double kinetic =
        0.5 * mass * u.linear.squaredNorm() + 0.5 * u.angular.dot(inertia_of(world, body) * u.angular);
    return std::pair{kinetic, -mass * world.gravity.dot(world.bodies.position[body])};
  };
  const std::pair<double, double> first = energy_of(before), last = energy_of(after);
  const double energy = first.first + first.second, energy_after = last.first + last.second;
  // An impulse of rounding, as of an island that is larger than what is seen to touch, gives it that energy too.
  const double stray = promises_.rounding * whole_;  // [N s]
  const double speed = std::max(before.bodies.velocity[body].linear.norm(), after.bodies.velocity[body].linear.norm());
  const double given = stray * (speed + stray / before.bodies.mass[body]);
  const double size = first.first + last.first + std::abs(first.second) + std::abs(last.second);
  if (!(size > 0)) return;
  flight_.see(std::abs(energy_after - energy), share * size + given, index, after.time, [&] {
    return fmt::format("'{}' has {:.9g} J, {:.9g} J the instant before", before.names[body], energy_after, energy);
  });
}

/// A body's way is its velocity times the time. Between two instants the velocity is unknown; what is known is how
/// fast the energy of all that it met, and gravity, can have made it.
void MotionCheck::see_ways(const World& before, const World& after, double dt, double deepest, const Scale& scale,
                           std::size_t index) {
  for (std::size_t k = 0; k < before.bodies.size(); ++k) {
    const bool still = before.bodies.kind[k] == BodyKind::kFixed;
    if (!before.bodies.is_movable(k) && !still) continue;
    const Vec3 moved = after.bodies.position[k] - before.bodies.position[k];
    const BodyVelocity& u0 = before.bodies.velocity[k];
    const BodyVelocity& u1 = after.bodies.velocity[k];
    double allowed = 0;
    double off = moved.norm();
    if (!still) {
      const double fall = scale.gravity * dt;
      const Sum& sum = sums_[family_[k]];
      const bool alone = sum.bodies == 1 && bound_[family_[k]] == 0;
      off = (moved - 0.5 * dt * (u0.linear + u1.linear)).norm();
      const double speed = std::sqrt(2 * sum.kinetic / before.bodies.mass[k]);
      allowed = alone ? dt * fall : dt * (2 * speed + 2 * fall + (u1.linear - u0.linear).norm()) + 2 * deepest;
    }
    const double rounding = 1e-9 * (1 + after.bodies.position[k].norm());
    way_.see(off, allowed + rounding, index, after.time, [&] {
      return fmt::format("'{}': {:.3g} m from where its velocities lead, {:.3g} m explained", before.names[k], off,
                         allowed);
    });
  }
}

std::vector<Verdict> MotionCheck::verdicts() const {
  Verdict depth = depth_.verdict("interpenetration", "m", promises_.depth.has_value());
  if (unresolved_ > 0) {
    depth.detail += fmt::format("; {} pairs looked at in places only: no bound is known for them", unresolved_);
  }
  return {depth, momentum_.verdict("momentum", "N s", promises_.momentum),
          angular_.verdict("angular momentum", "N m s", promises_.angular),
          flight_.verdict("free flight", "J", promises_.free_flight), way_.verdict("motion", "m", promises_.inertia)};
}

}  // namespace achilles
