#include "methods/penalty/penalty.hpp"

#include "constraint/point_row.hpp"
#include "math/refill.hpp"
#include "motion/integrate.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/contact_stage.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace achilles {
namespace {

/// Restitution of a damped spring that ends when its force does, [Schwager07, eqs. 20-22], over the damping ratio.
double restitution_of(double zeta) {
  if (zeta < 1) {
    const double root = std::sqrt(1 - zeta * zeta);
    return std::exp(-zeta / root * (std::numbers::pi - std::atan2(2 * zeta * root, 1 - 2 * zeta * zeta)));
  }
  if (zeta == 1) return std::exp(-2.0);
  const double root = std::sqrt(zeta * zeta - 1);
  return std::exp(-zeta / root * std::log((zeta + root) / (zeta - root)));
}

struct SpringDamper {
  double stiffness = 0;  // [N/m]
  double damping = 0;    // [N s/m]
};

class PenaltyStep {
 public:
  PenaltyStep(World& world, const PenaltyOptions& options, PenaltyScratch& scratch, double h)
      : world_(world), bodies_(world.bodies), options_(options), scratch_(scratch), h_(h) {}

  StepReport run() {
    prepare_bodies(world_, {world_.time, h_}, scratch_);
    copy_to(bodies_.applied_force, scratch_.penalty.force);
    copy_to(bodies_.applied_torque, scratch_.penalty.torque);
    double left = h_;
    int substeps = 0;
    while (left > 0) {
      find_contacts(world_, 0, left, scratch_);
      report_.contacts = std::max(report_.contacts, static_cast<int>(scratch_.contacts.points.size()));
      const double stable = options_.accuracy * find_stable_step();
      const double count = std::ceil(left / stable);
      if (!(substeps + count <= options_.max_substeps)) {
        stop(substeps + count);
        break;
      }
      const double dt = count <= 1 ? left : left / count;
      push(dt);
      scratch_.mark("forces");
      move(dt);
      scratch_.mark("positions");
      left = count <= 1 ? 0 : left - dt;
      ++substeps;
    }
    report_.iterations = substeps;
    report_.islands = static_cast<int>(scratch_.islands.size());
    note_touching();
    if (report_.stopped) report_.stopped->time = world_.time + h_ - left;
    return report_;
  }

 private:
  /// √(g / s) [rad/s]: with it the weight of a body presses it in by s, a share of the radius of the smaller shape.
  [[nodiscard]] double find_least_rate(const Contact& contact) const {
    constexpr double kShareOfRadius = 0.005;
    const double radius = std::min(scratch_.colliders[contact.collider_a].geometry->radius,
                                   scratch_.colliders[contact.collider_b].geometry->radius);
    return radius > 0 ? std::sqrt(world_.gravity.norm() / (kShareOfRadius * radius)) : 0;
  }

  [[nodiscard]] SpringDamper spring_of(const Contact& contact) {
    const ContactLaw& law = world_.materials.law(scratch_.colliders[contact.collider_a].material,
                                                 scratch_.colliders[contact.collider_b].material);
    if (law.stiffness > 0) return {law.stiffness, law.damping};
    const auto inverse = [&](std::uint32_t i) { return bodies_.is_movable(i) ? 1 / bodies_.mass[i] : 0.0; };
    const double mass = 1 / (inverse(contact.body_a) + inverse(contact.body_b));
    const double omega = std::max(std::numbers::pi / options_.contact_time, find_least_rate(contact));
    if (law.restitution != restitution_) {  // most contacts share one, and the search for its ratio takes long
      restitution_ = law.restitution;
      damping_ratio_ = find_damping_ratio(restitution_);
    }
    return {mass * omega * omega / contact.count, 2 * damping_ratio_ * mass * omega / contact.count};
  }

  [[nodiscard]] Arms arms_of(const Contact& contact, const ContactPoint& point) const {
    return {contact.body_a, contact.body_b, point.position - bodies_.position[contact.body_a],
            point.position - bodies_.position[contact.body_b]};
  }

  /// J M⁻¹ Jᵀ of a point along a direction.
  [[nodiscard]] double mobility(const Arms& arms, const Vec3& direction) const {
    Row row = make_point_row(direction, arms);
    place_row(row, arms, bodies_, scratch_.inverse_mass);
    return row.diagonal;
  }

  [[nodiscard]] double find_stable_step() {
    std::vector<std::pair<double, double>>& sums = scratch_.penalty.stiffness;
    refill(sums, bodies_.size(), std::pair(0.0, 0.0));
    double omega_squared = 0, rate = 0;
    for (const Contact& contact : scratch_.contacts.contacts) {
      const SpringDamper spring = spring_of(contact);
      for (const ContactPoint& point : scratch_.contacts.points_of(contact)) {
        const double a = mobility(arms_of(contact, point), point.normal);
        for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
          if (scratch_.movable[body] == 0) continue;
          sums[body].first += spring.stiffness * a;
          sums[body].second += spring.damping * a;
        }
      }
    }
    for (const Contact& contact : scratch_.contacts.contacts) {
      omega_squared = std::max(omega_squared, sums[contact.body_a].first + sums[contact.body_b].first);
      rate = std::max(rate, sums[contact.body_a].second + sums[contact.body_b].second);
    }
    if (!(omega_squared > 0)) return std::numeric_limits<double>::infinity();
    // t² ω² + 2 t R = 4
    return 4 / (rate + std::sqrt(rate * rate + 4 * omega_squared));
  }

  /// Forces of all points, from the velocities before any of them acts, as impulses over dt.
  void push(double dt) {
    refill<std::uint8_t>(scratch_.constrained, bodies_.size(), 0);
    copy_to(bodies_.velocity, scratch_.penalty.velocity);
    scratch_.records.clear();
    for (const Contact& contact : scratch_.contacts.contacts) {
      const SpringDamper spring = spring_of(contact);
      const double friction =
          world_.materials
              .law(scratch_.colliders[contact.collider_a].material, scratch_.colliders[contact.collider_b].material)
              .friction;
      for (const ContactPoint& point : scratch_.contacts.points_of(contact)) {
        const Vec3 force = force_at(contact, point, spring, friction, dt);
        scratch_.records.push_back(make_contact_record(contact.body_a, contact.body_b, point, h_ * force));
        if (force.isZero(0)) continue;
        report_.external_work += measure_script_work(bodies_, scratch_.records.back(), dt * force);
        const Arms arms = arms_of(contact, point);
        Row row = make_point_row(force.normalized(), arms);
        place_row(row, arms, bodies_, scratch_.inverse_mass);
        apply_impulse(row, dt * force.norm(), bodies_.velocity);
        scratch_.constrained[contact.body_a] = scratch_.constrained[contact.body_b] = 1;
      }
    }
  }

  /// Force on the second body.
  [[nodiscard]] Vec3 force_at(const Contact& contact, const ContactPoint& point, const SpringDamper& spring,
                              double friction, double dt) const {
    if (point.gap >= 0) return Vec3::Zero();
    const Arms arms = arms_of(contact, point);
    const Vec3 velocity = arms.point_velocity(scratch_.penalty.velocity);
    const double rate = point.normal.dot(velocity);
    const double normal = std::max(0.0, -spring.stiffness * point.gap - spring.damping * rate);
    const Vec3 slip = velocity - rate * point.normal;
    const double speed = slip.norm();
    if (!(friction > 0 && normal > 0 && speed > 0)) return normal * point.normal;
    // Half of what would stop this slip within the substep, shared by the points of the contact.
    const double drag = 0.5 / (dt * mobility(arms, slip / speed) * contact.count);
    return normal * point.normal - std::min(friction * normal, drag * speed) / speed * slip;
  }

  void move(double dt) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      bodies_.applied_force[i] = scratch_.penalty.force[i];
      bodies_.applied_torque[i] = scratch_.penalty.torque[i];
    }
    integrate_velocities(world_, scratch_.inverse_mass, dt, scratch_.motion);
    integrate_positions(world_, dt, Integrator::kConserving, scratch_.motion, scratch_.constrained);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (scratch_.movable[i] != 0) scratch_.inverse_mass[i] = compute_inverse_mass(bodies_, i);
    }
  }

  /// Pairs that touch go into the World's memory, by which those that begin and cease to touch are counted.
  void note_touching() {
    scratch_.next_cache.contacts.clear();
    scratch_.next_cache.points.clear();
    int kept = 0;
    for (std::size_t k = 0; k < scratch_.contacts.contacts.size(); ++k) {
      const Contact& contact = scratch_.contacts.contacts[k];
      const std::span<const ContactPoint> points = scratch_.contacts.points_of(contact);
      if (std::none_of(points.begin(), points.end(), [](const ContactPoint& p) { return p.gap < 0; })) continue;
      scratch_.next_cache.contacts.push_back({contact.collider_a, contact.collider_b, 0, 0});  // no points
      if (scratch_.matches[k] >= 0) {
        ++kept;
      } else {
        ++report_.new_contacts;
      }
    }
    report_.lost_contacts = static_cast<int>(world_.memory().contact_cache.contacts.size()) - kept;
    exchange_caches(world_, scratch_);
  }

  void stop(double needed) {
    report_.stopped = Stop{"step-too-long", world_.time,
                           "the contacts are so stiff that a step of " + std::to_string(h_) + " s needs " +
                               std::to_string(static_cast<long long>(std::min(needed, 1e15))) +
                               " substeps to be stable, and max_substeps is " + std::to_string(options_.max_substeps)};
  }

  World& world_;
  BodyArrays& bodies_;
  const PenaltyOptions& options_;
  PenaltyScratch& scratch_;
  double h_;
  double restitution_ = -1;   // of the contact that was looked at last
  double damping_ratio_ = 0;  // that gives it
  StepReport report_;
};

}  // namespace

double find_damping_ratio(double restitution) {
  constexpr double kLeast = 0.02;
  const double wanted = std::clamp(restitution, kLeast, 1.0);
  double low = 0, high = 4;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (restitution_of(middle) > wanted ? low : high) = middle;
  }
  return restitution >= 1 ? 0 : 0.5 * (low + high);
}

StepReport advance_penalty(World& world, const PenaltyOptions& options, PenaltyScratch& scratch, double h) {
  return PenaltyStep(world, options, scratch, h).run();
}

}  // namespace achilles
