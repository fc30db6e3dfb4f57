#include "time_control/impulse/impulse_step.hpp"

#include "math/refill.hpp"
#include "motion/free_rotation.hpp"
#include "solver/solver.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/impulse/two_lcps.hpp"
#include "time_control/touch_stage.hpp"
#include "world/colliders.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace achilles {
namespace {

/// Where a contact of the interval asks for something.
struct NextImpact {
  double time = 0;  // [s] from now
  std::uint32_t body_a = 0, body_b = 0;
};

class ImpulseStep {
 public:
  ImpulseStep(World& world, const ImpulseOptions& options, StepWorkspace& scratch, double h)
      : world_(world), bodies_(world.bodies), options_(options), scratch_(scratch), local_(scratch.impulse), h_(h) {
    // A bounce lower than the tolerance cannot be told from rest.
    touch_ = {options.approach, std::max(options.rest_speed, std::sqrt(2 * world.gravity.norm() * options.tolerance))};
  }

  StepReport run() {
    prepare();
    double left = h_;
    int events = 0;
    int stalls = 0;
    while (!report_.stopped) {
      treat_instant(left);
      if (report_.stopped) break;
      const std::optional<NextImpact> next = find_next_impact(left);
      const double dt = next ? next->time : left;
      move(dt);
      left -= dt;
      if (!next) break;
      // Algorithm 1 comes back to a resting contact without end; what treats all of a set at once needs at most a few
      // rounds at one time.
      constexpr double kNoTime = 1e-12;
      stalls = dt > kNoTime * h_ ? 0 : stalls + 1;
      if (options_.skip_resting) relax_approach(stalls);
      constexpr int kMaxStalls = 50;
      if (++events > options_.max_events || stalls > kMaxStalls) stop_at_zeno_point(*next, left, events);
    }
    world_.time += h_ - left;
    ++world_.step_index;
    report_.groups = static_cast<int>(scratch_.groups.size());
    return report_;
  }

 private:
  /// Rounds at one time: what the solver cannot bring below the threshold, in a heap with friction, is let go on more
  /// and more slowly closing contacts. They meet again as soon as they are deeper by the tolerance.
  void relax_approach(int stalls) {
    touch_.approach = std::min(options_.approach * std::pow(10.0, stalls / 5), 0.1 * touch_.rest_speed);
  }

  void prepare() {
    prepare_bodies(world_, h_, scratch_);
    const std::size_t n = bodies_.size();
    refill(local_.acceleration, n, Vec3(Vec3::Zero()));
    refill(local_.flight_spin, n, Vec3(Vec3::Zero()));
    refill<std::uint8_t>(local_.carried, n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (scratch_.movable[i] == 0) continue;
      const Vec3 force = bodies_.constant_force[i] + bodies_.applied_force[i] + bodies_.mass[i] * world_.gravity;
      local_.acceleration[i] = scratch_.inverse_mass[i].linear.cwiseProduct(force);
    }
  }

  [[nodiscard]] Vec3 torque_on(std::size_t i) const { return bodies_.constant_torque[i] + bodies_.applied_torque[i]; }

  /// Torque-free rotation over t, torques of the scene included.
  [[nodiscard]] FreeRotation free_rotation(std::size_t i, double t) const {
    const Quat to_body = bodies_.orientation[i].conjugate();
    return advance_free_rotation(bodies_.inertia_B[i], to_body * bodies_.velocity[i].angular, to_body * torque_on(i),
                                 t);
  }

  [[nodiscard]] bool turns_freely(std::size_t i) const {
    constexpr std::uint8_t kRotations = Locks::kRx | Locks::kRy | Locks::kRz;
    return (bodies_.locks[i].bits & kRotations) == 0;
  }

  // ---- One instant
  // ----------------------------------------------------------------------------------------------------

  /// treat-impacts(.) of the paper, then forces for those that rest, [Drumwright10, alg. 3, lines 8-9].
  void treat_instant(double left) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (scratch_.movable[i] != 0) scratch_.inverse_mass[i] = compute_inverse_mass(bodies_, i);
    }
    find_touching();
    if (scratch_.contacts.points.empty()) return;
    report_.costs.energy_removed += build_touch_rows(world_, touch_, scratch_);
    const bool impact = resolve_approaching();
    if (report_.stopped || !options_.skip_resting) return;
    const bool carried = carry_resting(left);
    if (impact || carried) settle_resting();
    lift_sunken();
  }

  void find_touching() {
    place_colliders(world_, 0, scratch_.colliders);
    list_ignored_pairs(world_, scratch_.ignored);
    DetectOptions options;
    options.collide.margin = 1.5 * options_.tolerance;
    // All points, as continuous detection sees them: four can rest while another still approaches.
    options.collide.all_points = true;
    options.threads = scratch_.runner.threads();
    detect_contacts(scratch_.colliders, scratch_.ignored, options, scratch_.detection, scratch_.contacts);
    report_.contacts = std::max(report_.contacts, static_cast<int>(scratch_.contacts.points.size()));
    scratch_.records.clear();
  }

  /// Treats what approaches. True when something did.
  bool resolve_approaching() {
    if (!has_approach(world_, touch_, false, scratch_)) return false;
    ++report_.costs.events;
    // Where nothing bounces the impact is plastic, and settling all contacts together is its exact solution; a law that
    // goes from contact to contact would leave spin behind that depends on their order.
    if (options_.skip_resting && !has_approach(world_, touch_, true, scratch_)) {
      ++report_.impacts;
    } else if (options_.lcp) {
      resolve_by_two_lcps(world_, *options_.lcp, scratch_, report_);
    } else {
      resolve_touch_impact(world_, options_.impact, scratch_, report_);
    }
    return true;
  }

  /// Gives bodies that rest on something their forces up to the end of the step. True when there was one. A contact
  /// that rests carries where the accelerations of the two would close it; bodies that fall together fly on.
  bool carry_resting(double left) {
    bool any = false;
    // Who rests is asked before anyone has its forces.
    std::vector<double>& parting = scratch_.correction_impulses;  // [m/s] per point
    parting.clear();
    for (const std::uint32_t row : scratch_.rows_of_point) {
      parting.push_back(-approach_of(scratch_.rows[row], bodies_.velocity));
    }
    for (bool found = true; found;) {
      found = false;
      std::size_t p = 0;
      for (const Contact& contact : scratch_.contacts.contacts) {
        for (std::uint32_t k = 0; k < contact.count; ++k, ++p) {
          if (parting[p] > touch_.rest_speed || !closes_by_acceleration(contact, p)) continue;
          const bool carried_a = carry(contact.body_a, left), carried_b = carry(contact.body_b, left);
          if (!carried_a && !carried_b) continue;
          found = true;
          // A bounce that is given up: at most half its square over the effective mass.
          const double speed = std::max(0.0, parting[p]);
          report_.costs.energy_removed += 0.5 * speed * speed / scratch_.rows[scratch_.rows_of_point[p]].diagonal;
        }
      }
      any = any || found;
    }
    return any;
  }

  [[nodiscard]] bool closes_by_acceleration(const Contact& contact, std::size_t point) const {
    const auto of = [&](std::uint32_t i) {
      return local_.carried[i] == 0 ? local_.acceleration[i] : Vec3(Vec3::Zero());
    };
    const bool waits = (scratch_.movable[contact.body_a] != 0 && local_.carried[contact.body_a] == 0) ||
                       (scratch_.movable[contact.body_b] != 0 && local_.carried[contact.body_b] == 0);
    const Vec3 a = of(contact.body_a), b = of(contact.body_b);
    return waits && scratch_.contacts.points[point].normal.dot(b - a) < -1e-9 * (a.norm() + b.norm());
  }

  /// False when the body has its forces already, or cannot move.
  bool carry(std::uint32_t i, double left) {
    if (scratch_.movable[i] == 0 || local_.carried[i] != 0) return false;
    local_.carried[i] = 1;
    bodies_.velocity[i].linear += left * local_.acceleration[i];
    if (turns_freely(i)) {
      const FreeRotation free = free_rotation(i, left);
      bodies_.velocity[i].angular =
          (bodies_.orientation[i] * cayley_rotation(left * free.spin_mean_B)) * free.spin_end_B;
    } else {
      bodies_.velocity[i].angular += left * (scratch_.inverse_mass[i].angular * torque_on(i));
    }
    return true;
  }

  /// Impulses of the contacts that carry weight: the complementarity problem at zero gap, without restitution.
  void settle_resting() {
    refill(scratch_.impulses, scratch_.rows.size(), 0.0);
    const double tolerance = 0.1 * options_.approach;
    const RowProblem problem{scratch_.rows, bodies_.velocity};
    SolverWorkspace& workspace = scratch_.solving.front();
    const SolverOptions sweeps = NonsmoothCgOptions{.iterations = options_.iterations, .tolerance = tolerance};
    SolveReport solve_report = solve(problem, options_.lcp.value_or(sweeps), workspace, scratch_.impulses);
    // What approaches after this would be an impact again, at the same time: contacts that oppose each other need the
    // exact solution.
    if (!options_.lcp && solve_report.residual > tolerance) {
      for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
        apply_impulse(scratch_.rows[i], -scratch_.impulses[i], bodies_.velocity);
      }
      solve_report = solve(problem, NewtonOptions{.tolerance = tolerance}, workspace, scratch_.impulses);
    }
    report_.iterations = std::max(report_.iterations, solve_report.iterations);
    report_.residual = std::max(report_.residual, solve_report.residual);
    record_touch_impulses(scratch_);
  }

  /// Rounding lets resting bodies sink; what is no longer apart is put back to half the tolerance.
  void lift_sunken() {
    scratch_.correction_rows.clear();
    bool any = false;
    for (std::size_t p = 0; p < scratch_.contacts.points.size(); ++p) {
      Row row = scratch_.rows[scratch_.rows_of_point[p]];
      const double gap = scratch_.contacts.points[p].gap;
      any = any || gap < 0;
      row.target = gap < 0 ? 0.5 * options_.tolerance - gap : std::min(0.0, 0.5 * options_.tolerance - gap);
      scratch_.correction_rows.push_back(row);
    }
    if (!any) return;
    refill(scratch_.corrections, bodies_.size(), BodyVelocity{});
    refill(scratch_.correction_impulses, scratch_.correction_rows.size(), 0.0);
    const GaussSeidelOptions sweeps{.iterations = 50, .tolerance = 0.01 * options_.tolerance};
    // What is left over is seen at the next instant.
    (void)solve_gauss_seidel({scratch_.correction_rows, scratch_.corrections}, sweeps,
                             scratch_.solving.front().iterative, scratch_.correction_impulses);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (scratch_.movable[i] == 0) continue;
      bodies_.position[i] += scratch_.corrections[i].linear;
      bodies_.orientation[i] = (finite_rotation(scratch_.corrections[i].angular) * bodies_.orientation[i]).normalized();
    }
  }

  // ---- The interval to the next one
  // -----------------------------------------------------------------------------------

  [[nodiscard]] Vec3 acceleration_of(std::size_t i) const {
    return options_.ballistic && local_.carried[i] == 0 ? local_.acceleration[i] : Vec3(Vec3::Zero());
  }

  void place_moving(double left) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      local_.flight_spin[i] = bodies_.velocity[i].angular;
      if (scratch_.movable[i] != 0 && local_.carried[i] == 0 && turns_freely(i)) {
        local_.flight_spin[i] = bodies_.orientation[i] * free_rotation(i, left).spin_mean_B;
      }
    }
    place_colliders(world_, 0, scratch_.colliders);
    local_.moving.resize(scratch_.colliders.size());
    for (std::size_t c = 0; c < scratch_.colliders.size(); ++c) {
      const Collider& collider = scratch_.colliders[c];
      BallisticMotion motion;
      motion.X_WG = collider.X_WG;
      motion.center = bodies_.position[collider.body];
      if (bodies_.kind[collider.body] != BodyKind::kFixed) {
        motion.velocity = bodies_.velocity[collider.body].linear;
        motion.spin = local_.flight_spin[collider.body];
        motion.acceleration = acceleration_of(collider.body);
      }
      local_.moving[c] = {collider.geometry, motion, collider.body, collider.movable};
    }
  }

  /// How fast body i moves at time t of the interval at a point.
  [[nodiscard]] Vec3 velocity_at(std::size_t i, double t, const Vec3& point) const {
    if (bodies_.kind[i] == BodyKind::kFixed) return Vec3::Zero();
    const Vec3 a = acceleration_of(i);
    const Vec3 center = bodies_.position[i] + t * bodies_.velocity[i].linear + 0.5 * t * t * a;
    // The flight turns by the mean spin; at its ends the spin is what it began with and as much beyond the mean.
    const Vec3& spin = bodies_.velocity[i].angular;
    const Vec3 spin_at = spin + 2 * t / interval_ * (local_.flight_spin[i] - spin);
    return bodies_.velocity[i].linear + t * a + spin_at.cross(point - center);
  }

  /// Does a point of the contact close? The naive method takes one that rests as well.
  [[nodiscard]] bool is_active(const ContactTime& contact) const {
    const auto closes = [&](const Vec3& at, const Vec3& normal) {
      const double rate =
          normal.dot(velocity_at(contact.body_b, contact.time, at) - velocity_at(contact.body_a, contact.time, at));
      return options_.skip_resting ? rate < -touch_.approach : rate <= options_.approach;
    };
    const std::span<const ContactPoint> points = local_.times.points_of(contact);
    if (points.empty()) {
      return closes(0.5 * (contact.gap.point_a + contact.gap.point_b), contact.gap.normal);
    }
    return std::any_of(points.begin(), points.end(),
                       [&](const ContactPoint& point) { return closes(point.position, point.normal); });
  }

  /// FIND-TOC, [Drumwright10, alg. 4]: the earliest time at which something impacts. Contacts at which nothing does are
  /// passed over, which is what lines 15 to 18 mean by removing them.
  std::optional<NextImpact> find_next_impact(double left) {
    if (!(left > 0)) return std::nullopt;
    interval_ = left;
    place_moving(left);
    ContactTimesOptions options;
    options.tolerance = options_.tolerance;
    options.collide.margin = 1.5 * options_.tolerance;
    options.threads = scratch_.runner.threads();
    detect_contact_times(local_.moving, scratch_.ignored, left, options, local_.continuous, local_.times);
    report_.costs.toi_calls += local_.times.searches;
    report_.costs.distance_calls += local_.times.distance_calls;
    for (const ContactTime& contact : local_.times.times) {
      // Where the search was capped nothing is known beyond: go there and look again.
      const bool unknown = contact.kind == ContactTimeKind::kUnknown && contact.time > 0;
      if (unknown || is_active(contact)) return NextImpact{contact.time, contact.body_a, contact.body_b};
      ++report_.costs.resting_skipped;
    }
    return std::nullopt;
  }

  void move(double dt) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_.kind[i] == BodyKind::kFixed || bodies_.asleep[i] != 0) continue;
      BodyVelocity& u = bodies_.velocity[i];
      Quat& q = bodies_.orientation[i];
      const Vec3 a = acceleration_of(i);
      bodies_.position[i] += dt * u.linear + 0.5 * dt * dt * a;
      const Quat turned = (finite_rotation(dt * local_.flight_spin[i]) * q).normalized();
      const bool flies = scratch_.movable[i] != 0 && local_.carried[i] == 0;
      if (flies) {
        u.linear += dt * local_.acceleration[i];
        if (turns_freely(i)) {
          // Angular momentum is what free flight keeps: the spin follows from it in the new pose.
          const Vec3 momentum = q * (bodies_.inertia_B[i] * (q.conjugate() * u.angular)) + dt * torque_on(i);
          u.angular = turned * (bodies_.inverse_inertia_B[i] * (turned.conjugate() * momentum));
        }
      }
      q = turned;
    }
  }

  void stop_at_zeno_point(const NextImpact& next, double left, int events) {
    const std::string pair = "'" + world_.names[next.body_a] + "' and '" + world_.names[next.body_b] + "'";
    report_.stopped = Stop{"zeno-point", world_.time + h_ - left,
                           "time does not advance: after " + std::to_string(events) + " impacts the contact between " +
                               pair + " is still there"};
  }

  World& world_;
  BodyArrays& bodies_;
  const ImpulseOptions& options_;
  StepWorkspace& scratch_;
  ImpulseWorkspace& local_;
  double h_;
  double interval_ = 0;  // [s] that place_moving looked ahead
  TouchOptions touch_;
  StepReport report_;
};

}  // namespace

StepReport advance_impulse(World& world, const ImpulseOptions& options, StepWorkspace& scratch, double h) {
  StepReport report = ImpulseStep(world, options, scratch, h).run();
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    world.bodies.applied_force[i].setZero();
    world.bodies.applied_torque[i].setZero();
  }
  return report;
}

}  // namespace achilles
