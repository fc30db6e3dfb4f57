#include "constraint/joint_pose.hpp"
#include "record/certify/body_arms.hpp"
#include "record/certify/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kEnergyRounding = 1e-9;  // relative, of sums over many bodies and steps
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double sum_gravity(const World& world) {
  double energy = 0;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (world.bodies.is_movable(k)) energy -= world.bodies.mass[k] * world.gravity.dot(world.bodies.position[k]);
  }
  return energy;
}

/// h (|Δω| + Δt |I⁻¹ τ|) |τ|, τ = ω × I ω [J]; less where the spin has more energy than is `available`.
double measure_turning(const World& before, const World& world, std::size_t body, double step, double available) {
  struct Gyro {
    Vec3 torque, rate;  // body axes
    double energy = 0;
  };
  const Mat3& inertia = world.bodies.inertia_B[body];
  const auto measure = [&](const World& at) {
    const Vec3 spin = at.bodies.orientation[body].conjugate() * at.bodies.velocity[body].angular;
    const Vec3 momentum = inertia * spin;
    const Vec3 torque = spin.cross(momentum);
    return Gyro{torque, world.bodies.inverse_inertia_B[body] * torque, 0.5 * spin.dot(momentum)};
  };
  const Gyro from = measure(before), to = measure(world);
  const double dt = std::max(0.0, world.time - before.time);
  const double change = (world.bodies.velocity[body].angular - before.bodies.velocity[body].angular).norm() +
                        dt * std::max(from.rate.norm(), to.rate.norm());
  const double energy = std::max(from.energy, to.energy);
  const double share = energy > 0 ? std::min(1.0, std::max(0.0, available) / energy) : 1;
  return share * step * change * std::max(from.torque.norm(), to.torque.norm());
}

}  // namespace

EnergyCheck::EnergyCheck(const World& world) : contact_(world) {
  const std::vector<double> arms = measure_arms(world);
  for (std::size_t k = 0; k < arms.size(); ++k) {
    if (!world.bodies.is_movable(k)) continue;
    size_ = std::max(size_, 2 * arms[k]);
    inertia_ += world.bodies.mass[k] * arms[k] * arms[k];
  }
  jointed_.resize(world.bodies.size());
  const auto materials = static_cast<std::uint32_t>(world.materials.names().size());
  for (std::uint32_t a = 0; a < materials; ++a) {
    for (std::uint32_t b = 0; b < materials; ++b) rebounds_ = rebounds_ || world.materials.law(a, b).restitution > 0;
  }
  for (const WorldJoint& joint : world.joints) {
    jointed_[joint.body_a] = jointed_[joint.body_b] = 1;
    arm_ = std::max(arm_, measure_joint_arm(joint, world.bodies));
  }
}

/// What the interval adds to what is allowed above the lowest.
void EnergyCheck::allow(const World& before, const World& world, const Findings& findings,
                        const PromisedBounds& promises, const Scale& scale, double available) {
  const double half = 0.5 * scale.step;
  double mass = 0;
  fall_ = 0;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (!world.bodies.is_movable(k) || (k < findings.flying.size() && findings.flying[k] != 0)) continue;
    const BodyVelocity& u0 = before.bodies.velocity[k];
    const BodyVelocity& u1 = world.bodies.velocity[k];
    mass += world.bodies.mass[k];
    fall_ += half * world.bodies.mass[k] * std::abs(world.gravity.dot(u1.linear));
    const Vec3 change = u1.linear - u0.linear;
    swing_ += half * world.bodies.mass[k] *
              (jointed_[k] != 0 ? scale.gravity * change.norm() : std::abs(world.gravity.dot(change)));
    turning_ += measure_turning(before, world, k, scale.step, available);
  }
  mass_ = std::max(mass_, mass);
  deepest_ = std::max({deepest_, std::min(findings.depth, std::max(begun_, promises.give * size_)),
                       std::min(findings.joint_error, std::max(begun_, promises.joint.value_or(0) * arm_))});
}

void EnergyCheck::see(const Instant& instant, const World& before, const World& world, const Findings& findings,
                      const PromisedBounds& promises, const Scale& scale, std::size_t index) {
  const double height = sum_gravity(world);
  const double spring = elastic_.measure(world).total() + contact_.measure(world);
  const double kinetic = world.kinetic_energy();
  if (index == 0) {
    start_ = kinetic + spring;
    height_ = height;
    begun_ = std::max(findings.depth, findings.joint_error);
    overlap_ = findings.overlap;
  } else {
    const double dt = world.time - before.time;
    // What would be kinetic now, had the energy not risen above its lowest.
    allow(before, world, findings, promises, scale, lowest_ + work_ - height - spring);
    rate_ = dt > 0 ? 0.5 * scale.step * std::abs(spring - spring_) / dt : 0;
    swing_ += rate_;
    work_ += instant.scalars.external_work;
    given_ += std::abs(instant.scalars.external_work);
  }
  spring_ = spring;
  fallen_ = std::max(fallen_, height_ - height);
  const double energy = kinetic + height + spring - work_;
  // What was lost does not come back: the lowest so far counts, not the start. Where velocities also place bodies, that
  // of a step that lands is the one that leads to the touch, and the speed of the approach returns a step later.
  const bool may_return = rebounds_ && promises.stabilization == Stabilization::kVelocities;
  if (index == 0 || (energy < lowest_ && !may_return)) {
    lowest_ = energy;
    lowest_time_ = instant.time;
    swing_ = fall_ + rate_;
    turning_ = mass_ = 0;
    deepest_ = std::min(std::max(findings.depth, findings.joint_error), deepest_);
  }
  const double weight = mass_ * scale.gravity;
  double allowed = swing_ + turning_ + 0.5 * weight * scale.gravity * scale.step * scale.step;
  allowed += weight * std::max(promises.stabilization == Stabilization::kNone ? 0 : deepest_, overlap_);
  if (promises.stabilization == Stabilization::kVelocities) allowed += 0.5 * mass_ * std::pow(deepest_ / scale.step, 2);
  const double in_play = start_ + given_ + fallen_ + std::abs(height);
  // Positions are rounded as the sizes are, and velocities to that in a step.
  const double rounding =
      kEnergyRounding * in_play + inertia_ * promises.rounding * promises.rounding / (scale.step * scale.step);
  worst_.see(energy - lowest_, promises.energy ? allowed + rounding : kNoLimit, index, instant.time, [&] {
    return fmt::format("{:.6g} J, {:.6g} J at {:g} s; {:.3g} J at the start, put in and fallen", energy, lowest_,
                       lowest_time_, start_ + given_ + fallen_);
  });
}

Verdict EnergyCheck::verdict(const PromisedBounds& promises) const {
  return worst_.verdict("energy", "J", promises.energy);
}

}  // namespace achilles
