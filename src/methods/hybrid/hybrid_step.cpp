#include "methods/hybrid/hybrid_step.hpp"

#include "collision/continuous/motion_between.hpp"
#include "collision/continuous/time_of_contact.hpp"
#include "constraint/point_row.hpp"
#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"
#include "motion/integrate.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/joint_stiffness.hpp"
#include "stepping/motion_stage.hpp"
#include "stepping/solve_stage.hpp"
#include "world/colliders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace achilles {
namespace {

constexpr int kMostIterations = 400;  // distance evaluations of a pair

class HybridStep {
 public:
  HybridStep(World& world, const HybridOptions& options, HybridScratch& scratch, double h)
      : world_(world), bodies_(world.bodies), options_(options), scratch_(scratch), local_(scratch.hybrid), h_(h) {}

  StepReport run() {
    remember_start();
    choose_methods();
    scratch_.mark("groups");
    bool any_flies = false;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      any_flies = any_flies || (bodies_.is_movable(i) && local_.constraint[i] == 0);
    }
    const bool any_rests =
        std::any_of(local_.constraint.begin(), local_.constraint.end(), [](auto c) { return c != 0; });
    local_.records.clear();
    if (any_rests) {
      advance_resting();
      if (any_flies) return_scripted();
    } else {
      report_.lost_contacts = static_cast<int>(world_.memory().contact_cache.contacts.size());
      scratch_.next_cache.contacts.clear();
      scratch_.next_cache.points.clear();
      exchange_caches(world_, scratch_);
    }
    if (any_flies || !any_rests) advance_flying();
    scratch_.records.insert(scratch_.records.end(), local_.records.begin(), local_.records.end());
    copy_to(local_.asleep, bodies_.asleep);
    clear_applied_forces(bodies_);
    return report_;
  }

 private:
  // ---- Which body goes where
  // -------------------------------------------------------------------------------------------------

  void remember_start() {
    copy_to(bodies_.asleep, local_.asleep);
    copy_to(bodies_.applied_force, local_.applied_force);
    copy_to(bodies_.applied_torque, local_.applied_torque);
    local_.scripted_start.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      local_.scripted_start[i] = {bodies_.position[i], bodies_.orientation[i]};
    }
  }

  void join(std::uint32_t a, std::uint32_t b) {
    if (!bodies_.is_movable(a) || !bodies_.is_movable(b)) return;
    join_sets(local_.parent, a, b);
  }

  void choose_methods() {
    world_.aim_scripts(h_);
    local_.parent.resize(bodies_.size());
    std::iota(local_.parent.begin(), local_.parent.end(), 0U);
    join_what_can_meet();
    refill<std::uint8_t>(local_.rests, bodies_.size(), 0);
    for (const WorldJoint& joint : world_.joints) mark_resting(joint.body_a, joint.body_b);
    mark_resting_contacts();
    local_.constraint.resize(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
      local_.constraint[i] = bodies_.is_movable(i) && local_.rests[find_root(local_.parent, i)] != 0 ? 1 : 0;
    }
  }

  /// Two bodies may meet if they do so at twice their speeds: a collision can make one faster.
  void join_what_can_meet() {
    place_colliders(world_, 2 * h_, scratch_.colliders);
    list_ignored_pairs(world_, scratch_.ignored);
    const double fall = 2 * world_.gravity.norm() * h_ * h_;
    local_.proxies.resize(scratch_.colliders.size());
    for (std::size_t c = 0; c < scratch_.colliders.size(); ++c) {
      local_.proxies[c] = make_proxy(scratch_.colliders[c], options_.constraint.speculative_distance + fall);
    }
    find_pairs(local_.proxies, scratch_.ignored, TreeOptions{}, scratch_.runner, local_.broad_phase, local_.pairs);
    for (const ColliderPair& pair : local_.pairs) {
      join(scratch_.colliders[pair.a].body, scratch_.colliders[pair.b].body);
    }
    for (const WorldJoint& joint : world_.joints) join(joint.body_a, joint.body_b);
  }

  void mark_resting(std::uint32_t a, std::uint32_t b) {
    if (bodies_.is_movable(a)) local_.rests[find_root(local_.parent, a)] = 1;
    if (bodies_.is_movable(b)) local_.rests[find_root(local_.parent, b)] = 1;
  }

  void mark_resting_contacts() {
    const double slow = std::max(options_.rest_speed, 2 * world_.gravity.norm() * h_);
    for (Collider& collider : scratch_.colliders) collider.reach = 0;
    DetectOptions options;
    options.collide.margin = 2 * options_.tolerance;
    options.threads = scratch_.runner.threads();
    detect_contacts(scratch_.colliders, scratch_.ignored, options, local_.detection, local_.touching);
    for (const Contact& contact : local_.touching.contacts) {
      for (const ContactPoint& point : local_.touching.points_of(contact)) {
        const Arms arms{contact.body_a, contact.body_b, point.position - bodies_.position[contact.body_a],
                        point.position - bodies_.position[contact.body_b]};
        if (std::abs(point.normal.dot(arms.point_velocity(bodies_.velocity))) > slow) continue;
        mark_resting(contact.body_a, contact.body_b);
        break;
      }
    }
  }

  // ---- Islands that rest
  // -----------------------------------------------------------------------------------------------

  /// Lets only the bodies of one kind move.
  void wake(bool constraint) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const bool other = bodies_.is_movable(i) && (local_.constraint[i] != 0) != constraint;
      bodies_.asleep[i] = other ? 1 : local_.asleep[i];
    }
  }

  void remember_state() {
    copy_to(bodies_.position, local_.position);
    copy_to(bodies_.orientation, local_.orientation);
    copy_to(bodies_.velocity, local_.velocity);
    copy_to(world_.memory().contact_cache.contacts, local_.cache.contacts);
    copy_to(world_.memory().contact_cache.points, local_.cache.points);
    copy_to(world_.joint_states, local_.joints);
  }

  void return_to_state() {
    copy_to(local_.position, bodies_.position);
    copy_to(local_.orientation, bodies_.orientation);
    copy_to(local_.velocity, bodies_.velocity);
    copy_to(local_.cache.contacts, world_.memory().contact_cache.contacts);
    copy_to(local_.cache.points, world_.memory().contact_cache.points);
    copy_to(local_.joints, world_.joint_states);
  }

  /// From the remembered state to the present one.
  MovingCollider make_moving(const WorldPiece& piece, double dt) {
    const std::size_t i = piece.body;
    const BallisticMotion motion = make_motion_between({local_.position[i], local_.orientation[i]},
                                                       {bodies_.position[i], bodies_.orientation[i]}, piece.X_CG, dt);
    return {piece.geometry.get(), motion, piece.body, bodies_.is_movable(i)};
  }

  /// Whether a pair gets too deep on the way from the remembered state: a corner that passes another is deepest in
  /// between.
  bool gets_too_deep(double dt) {
    local_.moving.resize(world_.pieces.size());
    local_.proxies.resize(world_.pieces.size());
    for (std::size_t c = 0; c < world_.pieces.size(); ++c) {
      local_.moving[c] = make_moving(world_.pieces[c], dt);
      local_.proxies[c] = make_swept_proxy(local_.moving[c], dt, 0);
    }
    find_pairs(local_.proxies, scratch_.ignored, TreeOptions{}, scratch_.runner, local_.broad_phase, local_.pairs);
    const bool any = std::any_of(local_.pairs.begin(), local_.pairs.end(), [&](const ColliderPair& pair) {
      const MovingCollider &a = local_.moving[pair.a], &b = local_.moving[pair.b];
      const MovingPair moving(*a.geometry, a.motion, *b.geometry, b.motion);
      // What is too deep already must not get deeper.
      const double deep = -moving.compute_gap(0, 0).distance;
      const double upper = -std::max(0.95 * options_.tolerance, deep + 0.01 * options_.tolerance);
      const GapLevels levels{upper - 0.05 * options_.tolerance, upper};
      return find_first_descent(moving, 0, dt, levels, kMostIterations).status != ContactSearchStatus::kApart;
    });
    scratch_.mark("way between");
    return any;
  }

  void advance_resting() {
    wake(true);
    const double shortest = h_ / std::pow(2.0, options_.halvings);
    double now = world_.time, dt = h_;
    const double end = now + h_;
    while (end - now > 1e-9 * h_) {
      dt = std::min(dt, end - now);
      remember_state();
      const StepReport part = advance_constraints({now, dt});
      if (dt > 1.001 * shortest && gets_too_deep(dt)) {
        return_to_state();
        dt *= 0.5;
      } else {
        take(part);
        now += dt;
      }
    }
  }

  void take(const StepReport& part) {
    report_.contacts = std::max(report_.contacts, part.contacts);
    report_.islands = std::max(report_.islands, part.islands);
    report_.iterations = std::max(report_.iterations, part.iterations);
    report_.residual = std::max(report_.residual, part.residual);
    report_.impacts += part.impacts;
    report_.impact_iterations = std::max(report_.impact_iterations, part.impact_iterations);
    report_.lineality += part.lineality;
    report_.new_contacts += part.new_contacts;
    report_.lost_contacts += part.lost_contacts;
    report_.joint_error = std::max(report_.joint_error, part.joint_error);
    report_.external_work += part.external_work;
    report_.costs += part.costs;
    if (part.stopped) report_.stopped = part.stopped;
    local_.records.insert(local_.records.end(), scratch_.records.begin(), scratch_.records.end());
    scratch_.records.clear();
  }

  /// The stages of `lcp-fixed` for the bodies that are awake.
  StepReport advance_constraints(StepSpan step) {
    const double dt = step.h;
    const LcpFixedOptions& fixed = options_.constraint;
    copy_to(local_.applied_force, bodies_.applied_force);
    copy_to(local_.applied_torque, bodies_.applied_torque);
    StepReport report;
    prepare_bodies(world_, step, scratch_);
    integrate_velocities(world_, scratch_.inverse_mass, dt, scratch_.motion);
    limit_geometric_stiffness(world_, dt, scratch_);
    remember_free_motion(world_, scratch_);
    find_contacts(world_, fixed.speculative_distance, dt, scratch_);
    drop_sleeping_contacts();
    build_rows(world_, step.start, {dt, fixed.restitution_threshold, fixed.slop, fixed.speculative_distance},
               fixed.warm_start, scratch_);
    solve_islands(world_, {fixed.solver, fixed.eliminate_joints}, scratch_);
    conclude_contacts(world_, fixed.slop, scratch_, report);
    conclude_joints(world_, step, scratch_, report);
    const CorrectionOptions correction{fixed.correction, fixed.slop, fixed.correction_iterations};
    move_bodies(world_, {fixed.integrator, correction, fixed.slop}, fixed.solver, step, scratch_, report);
    return report;
  }

  /// Contacts of the islands that fly are not seen here.
  void drop_sleeping_contacts() {
    ContactSet& set = scratch_.contacts;
    std::uint32_t kept = 0, points = 0;
    for (const Contact& contact : set.contacts) {
      if (scratch_.movable[contact.body_a] == 0 && scratch_.movable[contact.body_b] == 0) continue;
      std::copy_n(set.points.begin() + contact.first, contact.count, set.points.begin() + points);
      set.contacts[kept] = contact;
      set.contacts[kept++].first = points;
      points += contact.count;
    }
    set.contacts.resize(kept);
    set.points.resize(points);
    island_contacts(world_, scratch_);
  }

  // ---- Islands that fly
  // ------------------------------------------------------------------------------------------------

  /// Scripted bodies went along with the islands that rest; those that fly meet them on the same way.
  void return_scripted() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_.kind[i] != BodyKind::kScripted) continue;
      bodies_.position[i] = local_.scripted_start[i].p;
      bodies_.orientation[i] = local_.scripted_start[i].q;
    }
  }

  void advance_flying() {
    wake(false);
    copy_to(local_.applied_force, bodies_.applied_force);
    copy_to(local_.applied_torque, bodies_.applied_torque);
    take(advance_conservative(world_, options_.impulse, scratch_, h_));
  }

  World& world_;
  BodyArrays& bodies_;
  const HybridOptions& options_;
  HybridScratch& scratch_;
  HybridWorkspace& local_;
  double h_;
  StepReport report_;
};

}  // namespace

StepReport advance_hybrid(World& world, const HybridOptions& options, HybridScratch& scratch, double h) {
  return HybridStep(world, options, scratch, h).run();
}

}  // namespace achilles
