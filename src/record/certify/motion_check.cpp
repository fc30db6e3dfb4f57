#include "record/certify/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace achilles {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

std::uint32_t root_of(std::vector<std::uint32_t>& family, std::uint32_t body) {
  while (family[body] != body) body = family[body] = family[family[body]];
  return body;
}

Mat3 inertia_of(const World& world, std::size_t body) {
  const Mat3 R = world.bodies.orientation[body].toRotationMatrix();
  return R * world.bodies.inertia_B[body] * R.transpose();
}

}  // namespace

MotionCheck::MotionCheck(const Promises& promises, int threads) : promises_(promises) {
  scratch_.runner.set_threads(threads);
}

void MotionCheck::see_instant(const World& world, const MeasuredPenetration& measured, std::size_t index) {
  depth_.see(measured.depth, promises_.depth.value_or(kUnlimited), index, world.time, [&] {
    return measured.depth > 0 ? fmt::format("'{}' and '{}'", world.names[measured.body_a], world.names[measured.body_b])
                              : std::string("nothing overlaps");
  });
  deepest_ = std::max(deepest_, measured.depth);
}

void MotionCheck::see(const World& before, const World& after, double deepest, const Scale& scale, std::size_t index) {
  const double dt = after.time - before.time;
  if (!(dt > 0) || before.first_not_finite() || after.first_not_finite()) return;
  const double known = std::max(deepest_, promises_.depth.value_or(0));
  follow_interval(before, after, dt, known, scale.step, scratch_);
  see_depths(before, index);
  find_families(before, after);
  see_families(before, after, dt, deepest, scale, index);
  see_ways(before, after, dt, deepest, scale, index);
}

void MotionCheck::see_depths(const World& before, std::size_t index) {
  for (const IntervalWorkspace::Met& met : scratch_.met) {
    unresolved_ += met.unresolved ? 1 : 0;
    if (!(met.depth > 0)) continue;
    // Judged without what the uncertainty of the paths explains.
    const double depth = met.depth - met.allowance;
    deepest_ = std::max(deepest_, depth);
    depth_.see(depth, promises_.depth.value_or(kUnlimited), index, before.time + met.time, [&] {
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

/// Newton's laws for what nothing outside acts on: momentum changes by gravity alone, angular momentum about the common
/// centre of mass not at all.
void MotionCheck::see_families(const World& before, const World& after, double dt, double deepest, const Scale& scale,
                               std::size_t index) {
  const std::size_t count = before.bodies.size();
  sums_.assign(count, Sum{});
  for (Sum& sum : sums_) {
    for (auto* side : {&sum.moment, &sum.momentum, &sum.spin}) side->fill(Vec3::Zero());
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (!before.bodies.is_movable(k)) continue;
    Sum& sum = sums_[family_[k]];
    const double mass = before.bodies.mass[k];
    sum.mass += mass;
    sum.bodies += 1;
    sum.locks |= before.bodies.locks[k].bits;
    for (std::size_t side = 0; side < 2; ++side) {
      const World& world = side == 0 ? before : after;
      const BodyVelocity& u = world.bodies.velocity[k];
      const Vec3& x = world.bodies.position[k];
      const Vec3 own = inertia_of(world, k) * u.angular;
      sum.moment[side] += mass * x;
      sum.momentum[side] += mass * u.linear;
      sum.spin[side] += x.cross(mass * u.linear) + own;
      sum.size += mass * u.linear.norm();
      sum.turn += own.norm();
      // An explicit step of a turning body errs by (h |ω|)² of its angular momentum.
      sum.slack += dt * scale.step * u.angular.squaredNorm() * own.norm();
      // What moves far from the origin, or fast, leaves rounding behind when its common motion is subtracted.
      sum.slack += promises_.rounding * (x.norm() * mass * u.linear.norm() + own.norm());
      if (side == 0) sum.kinetic += 0.5 * mass * u.linear.squaredNorm() + 0.5 * u.angular.dot(own);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (!before.bodies.is_movable(k)) continue;
    const Vec3 center = sums_[family_[k]].moment[0] / sums_[family_[k]].mass;
    const Vec3 drift = sums_[family_[k]].momentum[0] / sums_[family_[k]].mass;
    const double momentum = before.bodies.mass[k] * (before.bodies.velocity[k].linear - drift).norm();
    sums_[family_[k]].turn += momentum * (before.bodies.position[k] - center).norm();
    if (promises_.mending == Mending::kPositions) sums_[family_[k]].slack += momentum * deepest;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Sum& sum = sums_[k];
    if (family_[k] != k || bound_[k] != 0 || sum.bodies == 0) continue;
    const auto who = [&] {
      return sum.bodies == 1 ? fmt::format("'{}'", before.names[k])
                             : fmt::format("{} bodies with '{}'", sum.bodies, before.names[k]);
    };
    Vec3 gain = sum.momentum[1] - sum.momentum[0] - sum.mass * dt * before.gravity;
    for (int axis = 0; axis < 3; ++axis) {
      if ((sum.locks >> static_cast<unsigned>(axis) & 1U) != 0) gain[axis] = 0;
    }
    const double size = sum.size + sum.mass * dt * scale.gravity;
    if (size > 0) momentum_.see(gain.norm() / size, promises_.rounding, index, after.time, who);
    const auto about_center = [&](std::size_t side) -> Vec3 {
      return sum.spin[side] - sum.moment[side].cross(sum.momentum[side]) / sum.mass;
    };
    // Where nearly nothing turns, a share of nearly nothing says nothing.
    const double turn = sum.turn + 1e-9 * sum.size;
    if (turn > 0 && sum.locks == 0) {
      angular_.see((about_center(1) - about_center(0)).norm() / turn,
                   promises_.angular ? promises_.rounding + sum.slack / turn : kUnlimited, index, after.time, who);
    }
  }
}

/// A body's way is its velocity times the time. Between two instants nobody knows the velocity; what is known is how
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
  return {depth, momentum_.verdict("momentum", "relative", promises_.momentum),
          angular_.verdict("angular momentum", "relative", promises_.angular),
          way_.verdict("motion", "m", promises_.inertia)};
}

}  // namespace achilles
