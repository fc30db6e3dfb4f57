#include "methods/impulse/impulse_instant.hpp"

#include "constraint/touch_rows.hpp"
#include "math/refill.hpp"
#include "methods/impulse/two_lcps.hpp"
#include "motion/free_rotation.hpp"
#include "motion/free_turn.hpp"
#include "solver/solver.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/contact_stage.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

namespace {

class InstantTreatment {
 public:
  explicit InstantTreatment(const ImpulseInstant& instant)
      : world_(instant.world),
        bodies_(instant.world.bodies),
        options_(instant.options),
        touch_(instant.touch),
        scratch_(instant.scratch),
        local_(instant.scratch.impulse),
        report_(instant.report),
        h_(instant.h),
        left_(instant.left) {}

  void run() {
    report_.costs.energy_removed += build_touch_rows(world_, touch_, scratch_);
    stop_carried_bounces();
    const bool impact = resolve_approaching();
    if (report_.stopped || !options_.skip_resting) return;
    const bool carried = carry_resting();
    if (impact || carried) settle_resting();
    if (!report_.stopped) lift_sunken();
  }

 private:
  void keep_records() {
    for (const ContactRecord& record : scratch_.records) {
      if (!record.impulse.isZero(0)) keep(record);
    }
  }

  /// Scripts do work with the velocity that they have now.
  void keep(const ContactRecord& record) {
    report_.external_work += measure_script_work(bodies_, record, record.impulse);
    local_.records.push_back(record);
  }

  /// A body that rests on something has the forces of the whole step at once, and lands on its next point with a speed
  /// that they would not have given it by then. What they can give, twice over, does not bounce.
  void stop_carried_bounces() {
    std::size_t p = 0;
    for (const Contact& contact : scratch_.contacts.contacts) {
      const bool carried = local_.carried[contact.body_a] != 0 || local_.carried[contact.body_b] != 0;
      const double slow = carried_speed(contact);
      for (std::uint32_t k = 0; k < contact.count; ++k, ++p) {
        const std::uint32_t row = scratch_.rows_of_point[p];
        const double approach = approach_of(scratch_.rows[row], bodies_.velocity);
        double& restitution = scratch_.touch.restitution[row];
        if (!carried || restitution == 0 || approach <= touch_.approach || approach > slow) continue;
        report_.costs.energy_removed +=
            0.5 * restitution * restitution * approach * approach / scratch_.rows[row].diagonal;
        restitution = 0;
      }
    }
  }

  /// Treats what approaches. True when something did.
  bool resolve_approaching() {
    if (!has_approach(world_, touch_, false, scratch_)) return false;
    ++report_.costs.events;
    // Where nothing bounces the impact is plastic, and settling all contacts together is its exact solution; a law that
    // goes from contact to contact would leave spin behind that depends on their order.
    if (options_.skip_resting && !has_approach(world_, touch_, true, scratch_)) {
      ++report_.impacts;
      return true;
    }
    if (options_.lcp) {
      resolve_by_two_lcps(world_, *options_.lcp, local_.two_lcps, scratch_, report_);
    } else {
      resolve_touch_impact(world_, options_.impact, scratch_, report_);
    }
    keep_records();
    return true;
  }

  /// Gives bodies that rest on something their forces up to the end of the step. True when there was one. A contact
  /// that rests carries where the accelerations of the two would close it; bodies that fall together fly on.
  bool carry_resting() {
    bool any = false;
    // Which contacts rest is decided before any body has its forces.
    std::vector<double>& parting = local_.parting;
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
          const bool carried_a = carry(contact.body_a), carried_b = carry(contact.body_b);
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
  bool carry(std::uint32_t i) {
    if (scratch_.movable[i] == 0 || local_.carried[i] != 0) return false;
    local_.carried[i] = 1;
    bodies_.velocity[i].linear += left_ * local_.acceleration[i];
    if (turns_freely(bodies_, i)) {
      bodies_.velocity[i].angular = rotate_freely(bodies_, i, left_).spin;
    } else {
      bodies_.velocity[i].angular += left_ * (scratch_.inverse_mass[i].angular * external_torque(bodies_, i));
    }
    return true;
  }

  /// Impulses of the contacts that carry weight: the complementarity problem at zero gap, without restitution.
  void settle_resting() {
    const std::size_t near_rows = scratch_.rows.size();
    append_near_rows();
    refill(scratch_.impulses, scratch_.rows.size(), 0.0);
    local_.speeds.clear();
    for (const Row& row : scratch_.rows) local_.speeds.push_back(-approach_of(row, bodies_.velocity));
    const double tolerance = 0.1 * options_.approach;
    const RowProblem problem{scratch_.rows, bodies_.velocity};
    SolverWorkspace& workspace = scratch_.solving.front();
    const auto retry = [&](const SolverOptions& solver) {
      for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
        apply_impulse(scratch_.rows[i], -scratch_.impulses[i], bodies_.velocity);
      }
      return solve(problem, solver, workspace, scratch_.impulses);
    };
    const NonsmoothCgOptions sweeps{.iterations = options_.iterations, .tolerance = tolerance};
    SolveReport solve_report = solve(problem, options_.lcp.value_or(sweeps), workspace, scratch_.impulses);
    // What is left over closes gaps by less than a hundredth of the tolerance in what is left of the step.
    const double enough = left_ > 0 ? std::max(tolerance, 0.01 * options_.tolerance / left_) : tolerance;
    if (!options_.lcp && solve_report.residual > enough) {
      // Both seek the same solution, the cheaper is taken: about ten factorizations of n³/3 operations, or a thousand
      // sweeps of about 60 n. They cost the same near n = √(3 · 60 · 1000 / 10) = 134.
      constexpr std::size_t kFewRows = 150;
      const NonsmoothCgOptions more{.iterations = 5 * options_.iterations, .tolerance = tolerance};
      solve_report = scratch_.rows.size() > kFewRows ? retry(more) : retry(NewtonOptions{.tolerance = tolerance});
    }
    if (leaves_no_room()) return stop_crushed();
    if (solve_report.residual > enough) push_apart(enough);
    report_.iterations = std::max(report_.iterations, solve_report.iterations);
    report_.residual = std::max(report_.residual, solve_report.residual);
    record_touch_impulses(scratch_);
    keep_records();
    record_near(near_rows);
  }

  /// Where friction kept the solver from its goal, points may still close. The projection onto the velocities at which
  /// none does, by normal impulses alone, takes energy out and lets time go on. Where bodies have room it exists.
  void push_apart(double enough) {
    local_.normal_rows.clear();
    for (const Row& row : scratch_.rows) {
      if (row.normal_row >= 0) continue;
      local_.normal_rows.push_back(row);
    }
    refill(local_.normal_impulses, local_.normal_rows.size(), 0.0);
    const NonsmoothCgOptions sweeps{.iterations = 5 * options_.iterations, .tolerance = 0.1 * enough};
    const RowProblem problem{local_.normal_rows, bodies_.velocity};
    SolverWorkspace& workspace = scratch_.solving.front();
    if (solve(problem, sweeps, workspace, local_.normal_impulses).residual > enough) {
      for (std::size_t i = 0; i < local_.normal_rows.size(); ++i) {
        apply_impulse(local_.normal_rows[i], -local_.normal_impulses[i], bodies_.velocity);
      }
      const NewtonOptions newton{.tolerance = 0.1 * enough};
      (void)solve(problem, newton, workspace, local_.normal_impulses);
    }
    std::size_t normal = 0;
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      if (scratch_.rows[i].normal_row < 0) scratch_.impulses[i] += local_.normal_impulses[normal++];
    }
  }

  /// Velocities u at which no point closes satisfy J (u − u₀) + w₀ ≥ 0 for the speeds w₀ that the points had before.
  /// Multiplied by normal impulses λ ≥ 0 that bounds how far they are: ‖u − u₀‖ ≥ −λ·w₀/√(λᵀ J M⁻¹ Jᵀ λ) in the metric
  /// of the masses. Between scripts and what cannot give way the solver's impulses grow without end, and the bound with
  /// them; its residual does not show it, as rounding swallows the speeds beside such impulses.
  [[nodiscard]] bool leaves_no_room() {
    // The speed at which points close, for all masses together: no lever needs that.
    constexpr double kManyTimes = 1000;
    std::vector<BodyVelocity>& change = scratch_.corrections;
    change.resize(bodies_.size());
    for (const std::uint32_t i : local_.island) change[i] = BodyVelocity{};
    double below = 0, fastest = 0, square = 0, mass = 0;
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      if (scratch_.rows[i].normal_row >= 0) continue;
      apply_impulse(scratch_.rows[i], scratch_.impulses[i], change);
      below -= scratch_.impulses[i] * local_.speeds[i];
      fastest = std::max(fastest, -local_.speeds[i]);
    }
    if (!(below > 0)) return false;
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      if (scratch_.rows[i].normal_row < 0) square += scratch_.impulses[i] * row_velocity(scratch_.rows[i], change);
    }
    for (const std::uint32_t i : local_.island) mass += bodies_.mass[i];
    return below * below > kManyTimes * kManyTimes * mass * fastest * fastest * std::max(square, 0.0);
  }

  /// The body whose point closed fastest before. Impulses that lead nowhere are taken back.
  void stop_crushed() {
    std::size_t worst = 0;
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      apply_impulse(scratch_.rows[i], -scratch_.impulses[i], bodies_.velocity);
      if (scratch_.rows[i].normal_row < 0 && local_.speeds[i] < local_.speeds[worst]) worst = i;
    }
    const Row& row = scratch_.rows[worst];
    const std::uint32_t body = row.body_a == kImmovable ? row.body_b : row.body_a;
    report_.stopped =
        Stop{"crushed", world_.time + h_ - left_,
             "no velocity keeps '" + world_.names[body] + "' apart from all that it touches: scripts close in on it"};
  }

  /// Bodies that rest and move at constant velocity must not close what is near them before the end of the step: they
  /// would land there with the forces of the whole step, n·v ≥ −(gap − 1.25 ε)/left, as fixed steps have it. What comes
  /// faster than that is an impact of its own time.
  void append_near_rows() {
    local_.near_rows.clear();
    if (!(left_ > 0)) return;
    for (const Contact& contact : local_.near.contacts) {
      const ContactLaw& law = world_.materials.law(scratch_.colliders[contact.collider_a].material,
                                                   scratch_.colliders[contact.collider_b].material);
      const auto waits = [&](std::uint32_t i) { return scratch_.movable[i] != 0 && local_.carried[i] == 0; };
      if (waits(contact.body_a) || waits(contact.body_b)) continue;
      for (const ContactPoint& point : local_.near.points_of(contact)) {
        const Arms arms{contact.body_a, contact.body_b, point.position - bodies_.position[contact.body_a],
                        point.position - bodies_.position[contact.body_b]};
        const std::size_t row = append_touch_rows(arms, point.normal, {law.friction, make_tangents(point.normal)},
                                                  bodies_, scratch_.inverse_mass, 0, scratch_.rows);
        if (approach_of(scratch_.rows[row], bodies_.velocity) > carried_speed(contact)) {
          scratch_.rows.resize(row);
          continue;
        }
        // As far as it touches, not closer: continuous detection calls a gap of the tolerance a contact.
        scratch_.rows[row].target -= std::max(0.0, point.gap - 1.25 * options_.tolerance) / left_;
        local_.near_rows.push_back({&contact, &point, row});
      }
    }
  }

  void record_near(std::size_t first) {
    for (const ImpulseWorkspace::NearRow& near : local_.near_rows) {
      const Vec3 impulse = sum_impulse_of_point(scratch_.rows, scratch_.impulses, near.row, near.point->normal);
      if (impulse.isZero(0)) continue;
      keep(make_contact_record(near.contact->body_a, near.contact->body_b, *near.point, impulse));
    }
    scratch_.rows.resize(first);
    scratch_.impulses.resize(first);
  }

  /// [m/s] that the forces of a step give to two bodies, twice over.
  [[nodiscard]] double carried_speed(const Contact& contact) const {
    return 2 * h_ * (local_.acceleration[contact.body_a].norm() + local_.acceleration[contact.body_b].norm());
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
    for (const std::uint32_t i : local_.island) {
      bodies_.position[i] += scratch_.corrections[i].linear;
      bodies_.orientation[i] = (finite_rotation(scratch_.corrections[i].angular) * bodies_.orientation[i]).normalized();
    }
  }

  World& world_;
  BodyArrays& bodies_;
  const ImpulseOptions& options_;
  const TouchOptions& touch_;
  ImpulseScratch& scratch_;
  ImpulseWorkspace& local_;
  StepReport& report_;
  double h_;
  double left_;
};

}  // namespace

void treat_instant(const ImpulseInstant& instant) { InstantTreatment(instant).run(); }

}  // namespace achilles
