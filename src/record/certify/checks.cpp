#include "record/certify/checks.hpp"

#include "constraint/friction_ellipse.hpp"
#include "constraint/joint_pose.hpp"
#include "world/colliders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kRounding = 1e-9;  // relative, of sums over many bodies
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

}  // namespace

void BookCheck::see(const Instant& instant, const World& world, double depth, std::size_t index) {
  const auto compare = [&](const char* name, double recorded, double computed, double size) {
    // Two numbers that are no numbers agree.
    const double difference =
        recorded == computed || (std::isnan(recorded) && std::isnan(computed)) ? 0 : std::abs(recorded - computed);
    worst_.see(difference / std::max(size, std::numeric_limits<double>::min()), kRounding, index, instant.time,
               [&] { return fmt::format("{}: {:g} recorded, {:g} computed", name, recorded, computed); });
  };
  if (index > 0) {
    worst_.see(instant.time >= time_ ? 0 : kUnlimited, kRounding, index, instant.time,
               [&] { return fmt::format("the clock goes from {:g} s to {:g} s", time_, instant.time); });
  }
  time_ = instant.time;
  const Scalars& s = instant.scalars;
  double mass_speed = 0, mass_reach = 0, weight = 0;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (!world.bodies.is_movable(k)) continue;
    const double momentum = world.bodies.mass[k] * world.bodies.velocity[k].linear.norm();
    mass_speed += momentum;
    mass_reach += world.bodies.position[k].norm() * momentum +
                  world.bodies.inertia_B[k].norm() * world.bodies.velocity[k].angular.norm();
    weight += world.bodies.mass[k] * world.gravity.norm() * world.bodies.position[k].norm();
  }
  const double kinetic = world.kinetic_energy();
  compare("kinetic energy", s.energy_kinetic, kinetic, kinetic);
  const double potential = world.potential_energy();
  if (world.joints.empty()) compare("potential energy", s.energy_potential, potential, weight + std::abs(potential));
  compare("momentum", (s.momentum - world.linear_momentum()).norm(), 0, mass_speed);
  compare("angular momentum", (s.angular_momentum - world.angular_momentum()).norm(), 0, mass_reach);
  compare("penetration", s.penetration, depth, 1 + depth);
}

Verdict BookCheck::verdict() const { return worst_.verdict("bookkeeping", "relative", true); }

ImpulseCheck::ImpulseCheck(const World& world)
    : checked_(world.bodies.size()), given_(world.bodies.size()), size_(world.bodies.size()) {
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    checked_[k] =
        world.bodies.is_movable(k) && world.bodies.locks[k].bits == 0 && world.bodies.constant_force[k].isZero(0);
  }
  for (const WorldJoint& joint : world.joints) checked_[joint.body_a] = checked_[joint.body_b] = 0;
}

void ImpulseCheck::see(const Instant& instant, const World& before, const World& after, const PromisedBounds& promises,
                       const Scale& scale, std::size_t index) {
  const double dt = after.time - before.time;
  // Contacts are those of the last step: with several steps between two instants the others are not known.
  if (instant.scalars.steps != 1 || std::abs(dt - scale.step) > 1e-6 * scale.step) return;
  std::fill(given_.begin(), given_.end(), Vec3::Zero());
  std::fill(size_.begin(), size_.end(), 0.0);
  for (std::size_t k = 0; k < instant.contact_count(); ++k) {
    const ContactRecord contact = instant.contact(k);
    given_[contact.body_a] -= contact.impulse;
    given_[contact.body_b] += contact.impulse;
    size_[contact.body_a] += contact.impulse.norm();
    size_[contact.body_b] += contact.impulse.norm();
  }
  double whole = 0;  // [N s] of all bodies: what is solved for together is rounded together
  for (std::size_t k = 0; k < given_.size(); ++k) {
    if (!before.bodies.is_movable(k)) continue;
    size_[k] += before.bodies.mass[k] *
                (before.bodies.velocity[k].linear.norm() + after.bodies.velocity[k].linear.norm() + dt * scale.gravity);
    whole += size_[k];
  }
  for (std::size_t k = 0; k < given_.size(); ++k) {
    if (checked_[k] == 0 || before.bodies.asleep[k] != 0 || after.bodies.asleep[k] != 0) continue;
    const double mass = before.bodies.mass[k];
    const Vec3& u0 = before.bodies.velocity[k].linear;
    const Vec3& u1 = after.bodies.velocity[k].linear;
    const double left = (mass * (u1 - u0 - dt * before.gravity) - given_[k]).norm();
    if (!(whole > 0)) continue;
    worst_.see(left, promises.rounding * (size_[k] + whole), index, instant.time,
               [&] { return fmt::format("'{}': {:.3g} N s are not explained", after.names[k], left); });
  }
}

Verdict ImpulseCheck::verdict(const PromisedBounds& promises) const {
  return worst_.verdict("impulses", "N s", promises.impulses);
}

ContactCheck::ContactCheck(const World& world) : materials_(world.bodies.size()) {
  for (const WorldPiece& piece : world.pieces) {
    std::vector<std::uint32_t>& list = materials_[piece.body];
    if (std::find(list.begin(), list.end(), piece.material) == list.end()) list.push_back(piece.material);
  }
}

void ContactCheck::see(const Instant& instant, const World& world, const PromisedBounds& promises, const Scale& scale,
                       std::size_t index) {
  if (index == 0) return;  // before the first step there is nothing that the method has done
  const auto speed_at = [&world](std::uint32_t body, const Vec3& point) -> Vec3 {
    const BodyVelocity& u = world.bodies.velocity[body];
    return u.linear + u.angular.cross(point - world.bodies.position[body]);
  };
  if (promises.depth) see_touching(instant, world, promises, index);
  for (std::size_t k = 0; k < instant.contact_count(); ++k) {
    const ContactRecord contact = instant.contact(k);
    const std::uint32_t a = contact.body_a, b = contact.body_b;
    const double mass = std::min(world.bodies.mass[a], world.bodies.mass[b]);
    const auto between = [&] { return fmt::format("'{}' and '{}'", world.names[a], world.names[b]); };
    const double push = contact.impulse.dot(contact.normal);
    const double side = (contact.impulse - push * contact.normal).norm();
    // A body of several materials is judged by that which allows most.
    double friction = 0, excess = std::numeric_limits<double>::infinity();
    for (const std::uint32_t of_a : materials_[a]) {
      for (const std::uint32_t of_b : materials_[b]) {
        const DirectionalFriction* directional = world.materials.directional_friction(of_a, of_b);
        if (directional == nullptr) {
          friction = std::max(friction, world.materials.law(of_a, of_b).friction);
          excess = std::min(excess, side - friction * push);
          continue;
        }
        const FrictionEllipse ellipse = compute_friction_ellipse(*directional, world.bodies.orientation[a],
                                                                 world.bodies.orientation[b], contact.normal);
        // The impulse belongs to the poses at the beginning of the step; a turn by θ since then rotates it in the frame
        // of the ellipse, where the short axis is stretched by 1 / s.
        const double turn = scale.step * (world.bodies.velocity[b].angular - world.bodies.velocity[a].angular).norm();
        const double narrow = std::min(ellipse.scale(0), ellipse.scale(1));
        const double allowed = narrow > 0 ? turn / narrow * ellipse.largest() * push : kUnlimited;
        friction = std::max(friction, ellipse.largest());
        excess = std::min(
            excess, std::max(side - ellipse.largest() * push, ellipse.measure_excess(contact.impulse, push) - allowed));
      }
    }
    const double outside = push < 0 ? contact.impulse.norm() : std::max(0.0, excess);
    // In velocity units; an impulse that carries a whole pile is judged by its own size.
    cone_.see(outside / mass, 1e-6 + 1e-6 * contact.impulse.norm() / mass, index, instant.time, [&] {
      return fmt::format("{}: {:.4g} N s along the normal, {:.4g} N s across, friction {:g}", between(), push, side,
                         friction);
    });
    if (promises.depth) continue;
    const double closing = -(speed_at(b, contact.position) - speed_at(a, contact.position)).dot(contact.normal);
    const double left = closing - std::max(0.0, contact.gap) / scale.step;
    approach_.see(left, promises.approach.value_or(kUnlimited), index, instant.time,
                  [&] { return fmt::format("{}: {:.3g} m/s at a gap of {:.3g} m", between(), closing, contact.gap); });
  }
}

// Methods that stop at impacts record them at times of their own; what touches at the instant itself is found anew.
// They may leave alone what is still half their tolerance apart.
void ContactCheck::see_touching(const Instant& instant, const World& world, const PromisedBounds& promises,
                                std::size_t index) {
  place_colliders(world, 0, colliders_);
  list_ignored_pairs(world, ignored_);
  DetectOptions options;
  options.collide.margin = 0.4 * *promises.depth;
  options.collide.all_points = true;
  detect_contacts(colliders_, ignored_, options, detection_, touching_);
  const BodyArrays& bodies = world.bodies;
  for (const Contact& contact : touching_.contacts) {
    for (const ContactPoint& point : touching_.points_of(contact)) {
      const auto speed_of = [&](std::uint32_t i) -> Vec3 {
        return bodies.velocity[i].linear + bodies.velocity[i].angular.cross(point.position - bodies.position[i]);
      };
      const double closing = (speed_of(contact.body_a) - speed_of(contact.body_b)).dot(point.normal);
      approach_.see(closing, promises.approach.value_or(kUnlimited), index, instant.time, [&] {
        return fmt::format("'{}' and '{}': {:.3g} m/s at a gap of {:.3g} m", world.names[contact.body_a],
                           world.names[contact.body_b], closing, point.gap);
      });
    }
  }
}

std::vector<Verdict> ContactCheck::verdicts(const PromisedBounds& promises) const {
  return {cone_.verdict("Coulomb cone", "m/s", promises.cone),
          approach_.verdict("complementarity", "m/s", promises.approach.has_value())};
}

double JointCheck::see(const Instant& instant, const World& world, const PromisedBounds& promises, std::size_t index) {
  double largest = 0;
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    if (!is_rigid(joint)) continue;
    const double error = measure_joint_error(joint, place_joint(joint, world.bodies, {}));
    const double arm = measure_joint_arm(joint, world.bodies);
    largest = std::max(largest, error);
    worst_.see(error, promises.joint.value_or(kUnlimited) * arm + kRounding, index, instant.time,
               [&] { return fmt::format("joint '{}'", world.joint_names[k]); });
  }
  return largest;
}

Verdict JointCheck::verdict(const PromisedBounds& promises) const {
  return worst_.verdict("joints", "m", promises.joint.has_value());
}

}  // namespace achilles
