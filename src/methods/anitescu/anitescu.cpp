#include "methods/anitescu/anitescu.hpp"

#include "constraint/point_row.hpp"
#include "math/refill.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/correction.hpp"
#include "stepping/joint_check.hpp"
#include "stepping/joint_stiffness.hpp"
#include "world/colliders.hpp"
#include "world/contact_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace achilles {
namespace {

constexpr double kJointTolerance = 1e-7;  // [m], [rad]

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Calls act(where, row, impulse index) for the normal row of every contact point.
template <class Act>
void for_each_normal(StepWorkspace& scratch, const Act& act) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    for (std::uint32_t k = scratch.point_rows_start[island]; k < scratch.point_rows_start[island + 1]; ++k) {
      ContactPointRows& where = scratch.point_rows[k];
      const std::size_t index = scratch.row_start[island] + static_cast<std::size_t>(where.normal);
      act(where, scratch.rows[index], index);
    }
  }
}

const ContactLaw& law_of(const World& world, const Contact& contact, const StepWorkspace& scratch) {
  return world.materials.law(scratch.colliders[contact.collider_a].material,
                             scratch.colliders[contact.collider_b].material);
}

/// Arms of a point of a contact.
Arms arms_of(const BodyArrays& bodies, const Contact& contact, const ContactPoint& point) {
  return {contact.body_a, contact.body_b, point.position - bodies.position[contact.body_a],
          point.position - bodies.position[contact.body_b]};
}

/// Approach of two surfaces: its speed before the step, and what external forces add to it within the step.
struct Approach {
  double speed = 0, gain = 0;  // [m/s]
};

Approach measure_approach(const Arms& arms, const Vec3& normal, const AnitescuScratch& scratch) {
  const double before = -normal.dot(arms.point_velocity(scratch.velocity_before));
  return {before, -normal.dot(arms.point_velocity(scratch.anitescu.free)) - before};
}

/// Speed at the touch of surfaces that approach across a gap under the acceleration gain/h: v² = v₀² + 2 Φ gain/h.
double speed_at_touch(const Approach& approach, double gap, double h) {
  return std::sqrt(
      std::max(0.0, approach.speed * std::abs(approach.speed) + 2 * std::max(0.0, gap) * approach.gain / h));
}

/// Speed v at the end of a step that leads away from a touch at the speed w, h v far, against the acceleration gain/h:
/// ½ v² + gain v = ½ w².
double slow_down(double w, double gain) { return std::max(0.0, std::sqrt(gain * gain + w * w) - gain); }

/// Λ of the contacts that collided in the last step, and γ for those that penetrate.
void set_contact_targets(const World& world, const AnitescuOptions& options, double h, AnitescuScratch& scratch) {
  for_each_normal(scratch, [&](ContactPointRows& where, Row& row, std::size_t) {
    if (row.softness > 0) return;
    const Contact& contact = scratch.contacts.contacts[where.contact];
    const ContactPoint& point = scratch.contacts.points[where.point];
    if (point.gap < 0) row.target += (1 - options.stabilization) * point.gap / h;
    const CachedPoint* cached =
        find_cached_point(world.memory().contact_cache, scratch.matches[where.contact], point.feature,
                          contact_place(world.bodies, contact, point.position), options.speculative_distance);
    if (cached == nullptr || !(cached->approach > options.tolerance)) return;
    const double speed = law_of(world, contact, scratch).restitution * cached->approach;
    const double gain = measure_approach(arms_of(world.bodies, contact, point), point.normal, scratch).gain;
    row.target += options.restitution_before ? slow_down(speed, gain) : speed;
    where.bounces = true;
  });
}

void stabilize_joints(const World& world, double share, double h, StepWorkspace& scratch) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::span<Row> rows = std::span(scratch.rows).subspan(scratch.row_start[island]);
    for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
      stabilize_joint_rows(world, scratch.joint_rows[k], share / h, rows);
    }
    for (std::uint32_t k = scratch.coupling_rows_start[island]; k < scratch.coupling_rows_start[island + 1]; ++k) {
      stabilize_coupling_rows(world, scratch.coupling_rows[k], share / h, rows);
    }
  }
}

/// Remembers the approach of every contact that took an impulse and was not bouncing yet, and counts those that were.
int remember_collisions(const World& world, const AnitescuOptions& options, double h, AnitescuScratch& scratch) {
  int bounces = 0;
  for_each_normal(scratch, [&](ContactPointRows& where, const Row& row, std::size_t index) {
    const Contact& contact = scratch.contacts.contacts[where.contact];
    const ContactPoint& point = scratch.contacts.points[where.point];
    where.approach = 0;
    if (where.bounces && scratch.impulses[index] > 0) ++bounces;
    // At any gap: a body that lands where a step ends touches at a gap of zero, or of a rounding below.
    if (row.softness > 0 || where.bounces || !(scratch.impulses[index] > 0)) return;
    const Arms arms = arms_of(world.bodies, contact, point);
    where.approach = options.restitution_before
                         ? speed_at_touch(measure_approach(arms, point.normal, scratch), point.gap, h)
                         : -point.normal.dot(arms.point_velocity(world.bodies.velocity));
  });
  return bounces;
}

/// Rows of the contacts in the workspace, solved on u*.
void solve_contacts(World& world, const AnitescuOptions& options, AnitescuScratch& scratch, double h) {
  // No gap counts as closed and nothing bounces by the rule of lcp-fixed: every target is −Φ/h.
  build_rows(world, world.time, {h, kInfinity, -kInfinity, options.speculative_distance}, options.warm_start, scratch);
  set_contact_targets(world, options, h, scratch);
  stabilize_joints(world, options.stabilization, h, scratch);
  solve_islands(world, options.solve, scratch);
}

/// Lets the colliders look as far as the velocities of the solve take them. False where they did already.
bool look_further(const World& world, double h, AnitescuScratch& scratch) {
  std::vector<Collider>& ahead = scratch.anitescu.ahead;
  place_colliders(world, h, ahead);
  bool further = false;
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    further = further || ahead[i].reach > scratch.colliders[i].reach;
    scratch.colliders[i].reach = std::max(scratch.colliders[i].reach, ahead[i].reach);
  }
  return further;
}

/// Does a point that was not among the contacts of the solve penetrate at its end?
bool misses_a_contact(const World& world, double h, const AnitescuScratch& scratch) {
  constexpr double kRounding = 1e-9;  // [m]
  const ContactSet& solved = scratch.contacts;
  auto known = solved.contacts.begin();
  for (const Contact& contact : scratch.anitescu.found.contacts) {
    const auto before = [&](const Contact& other) {
      return std::pair(other.collider_a, other.collider_b) < std::pair(contact.collider_a, contact.collider_b);
    };
    while (known != solved.contacts.end() && before(*known)) ++known;
    const bool is_known = known != solved.contacts.end() && known->collider_a == contact.collider_a &&
                          known->collider_b == contact.collider_b;
    const std::span<const ContactPoint> points = is_known ? solved.points_of(*known) : std::span<const ContactPoint>();
    for (const ContactPoint& point : scratch.anitescu.found.points_of(contact)) {
      const Arms arms = arms_of(world.bodies, contact, point);
      if (point.gap + h * point.normal.dot(arms.point_velocity(world.bodies.velocity)) >= -kRounding) continue;
      const bool was_there = std::any_of(points.begin(), points.end(),
                                         [&](const ContactPoint& other) { return other.feature == point.feature; });
      if (!was_there) return true;
    }
  }
  return false;
}

/// Adds what the solve brings together although u* did not, to the contacts. False where there is nothing to add.
bool add_missed_contacts(const World& world, const AnitescuOptions& options, AnitescuScratch& scratch, double h) {
  if (!look_further(world, h, scratch)) return false;
  DetectOptions detect;
  detect.collide.margin = options.speculative_distance;
  detect.threads = scratch.runner.threads();
  detect_contacts(scratch.colliders, scratch.ignored, detect, scratch.detection, scratch.anitescu.found);
  if (!misses_a_contact(world, h, scratch)) return false;
  std::swap(scratch.contacts, scratch.anitescu.found);
  island_contacts(world, scratch);
  return true;
}

}  // namespace

StepReport advance_anitescu(World& world, const AnitescuOptions& options, AnitescuScratch& scratch, double h) {
  StepReport report;
  prepare_bodies(world, {world.time, h}, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  limit_geometric_stiffness(world, h, scratch);
  copy_to(world.bodies.velocity, scratch.anitescu.free);
  find_contacts_with_reuse(world, options.speculative_distance, h, options.reuse_distance, scratch);
  solve_contacts(world, options, scratch, h);
  for (int attempt = 1; attempt < options.attempts && add_missed_contacts(world, options, scratch, h); ++attempt) {
    copy_to(scratch.anitescu.free, world.bodies.velocity);
    solve_contacts(world, options, scratch, h);
  }
  OverlapRelease& release = scratch.anitescu.release;
  release_overlaps(world, options.solve, options.stabilization, scratch.anitescu.free, h, scratch, release);
  report.impacts = remember_collisions(world, options, h, scratch);
  conclude_contacts(world, 0, scratch, report);
  conclude_joints(world, {world.time, h}, scratch, report);
  const double joint_error = measure_relative_joint_error(world);
  follow_drift(world, h, Integrator::kConserving, scratch, release);
  close_joints(world, kJointTolerance, scratch);
  check_joints(world, {world.time, h}, joint_error, report);
  return report;
}

}  // namespace achilles
