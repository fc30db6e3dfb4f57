#include "time_control/fixed_step/anitescu.hpp"

#include "constraint/point_row.hpp"
#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "world/colliders.hpp"
#include "world/contact_memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Calls act(where, row, impulse index) for the normal row of every contact point.
template <class Act>
void for_each_normal(StepWorkspace& scratch, const Act& act) {
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    for (std::uint32_t k = scratch.point_rows_start[group]; k < scratch.point_rows_start[group + 1]; ++k) {
      ContactPointRows& where = scratch.point_rows[k];
      const std::size_t index = scratch.row_start[group] + static_cast<std::size_t>(where.normal);
      act(where, scratch.rows[index], index);
    }
  }
}

const ContactLaw& law_of(const World& world, const Contact& contact, const StepWorkspace& scratch) {
  return world.materials.law(scratch.colliders[contact.collider_a].material,
                             scratch.colliders[contact.collider_b].material);
}

/// Λ of the contacts that collided in the last step, and γ for those that penetrate.
void set_contact_targets(const World& world, const AnitescuOptions& options, double h, StepWorkspace& scratch) {
  for_each_normal(scratch, [&](ContactPointRows& where, Row& row, std::size_t) {
    if (row.softness > 0) return;
    const Contact& contact = scratch.contacts.contacts[where.contact];
    const ContactPoint& point = scratch.contacts.points[where.point];
    if (point.gap < 0) row.target += (1 - options.stabilization) * point.gap / h;
    const CachedPoint* cached = find_cached_point(world.contact_cache, scratch.matches[where.contact], point.feature,
                                                  contact_place(world.bodies, contact, point.position), options.margin);
    if (cached == nullptr || !(cached->approach > options.tolerance)) return;
    row.target += law_of(world, contact, scratch).restitution * cached->approach;
    where.bounces = true;
  });
}

void stabilize_joints(const World& world, double share, double h, StepWorkspace& scratch) {
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    const std::span<Row> rows = std::span(scratch.rows).subspan(scratch.row_start[group]);
    for (std::uint32_t k = scratch.joint_rows_start[group]; k < scratch.joint_rows_start[group + 1]; ++k) {
      stabilize_joint_rows(world, scratch.joint_rows[k], share / h, rows);
    }
  }
}

/// Remembers the approach of every contact that took an impulse while apart, and counts those that bounced.
int remember_collisions(const World& world, const AnitescuOptions& options, StepWorkspace& scratch) {
  int bounces = 0;
  const BodyArrays& bodies = world.bodies;
  const std::span<const BodyVelocity> u =
      options.restitution_before ? std::span<const BodyVelocity>(scratch.velocity_before) : bodies.velocity;
  for_each_normal(scratch, [&](ContactPointRows& where, const Row& row, std::size_t index) {
    const Contact& contact = scratch.contacts.contacts[where.contact];
    const ContactPoint& point = scratch.contacts.points[where.point];
    where.approach = 0;
    if (where.bounces && scratch.impulses[index] > 0) ++bounces;
    if (row.softness > 0 || !(scratch.impulses[index] > 0 && point.gap > 0)) return;
    const Arms arms{contact.body_a, contact.body_b, point.position - bodies.position[contact.body_a],
                    point.position - bodies.position[contact.body_b]};
    where.approach = -point.normal.dot(arms.point_velocity(u));
  });
  return bounces;
}

/// Rows of the contacts in the workspace, solved on u*.
void solve_contacts(World& world, const AnitescuOptions& options, StepWorkspace& scratch, double h) {
  // No gap counts as closed and nothing bounces by the rule of lcp-fixed: every target is −Φ/h.
  build_rows(world, {h, kInfinity, -kInfinity, options.margin}, options.warm_start, scratch);
  set_contact_targets(world, options, h, scratch);
  stabilize_joints(world, options.stabilization, h, scratch);
  solve_groups(world, options.solve, scratch);
}

/// Lets the colliders look as far as the velocities of the solve take them. False where they did already.
bool look_further(const World& world, double h, StepWorkspace& scratch) {
  std::vector<Collider>& ahead = scratch.fixed_step.ahead;
  place_colliders(world, h, ahead);
  bool further = false;
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    further = further || ahead[i].reach > scratch.colliders[i].reach;
    scratch.colliders[i].reach = std::max(scratch.colliders[i].reach, ahead[i].reach);
  }
  return further;
}

/// Does a point that was not among the contacts of the solve penetrate at its end?
bool misses_a_contact(const World& world, double h, const StepWorkspace& scratch) {
  constexpr double kRounding = 1e-9;  // [m]
  const ContactSet& solved = scratch.contacts;
  auto known = solved.contacts.begin();
  for (const Contact& contact : scratch.fixed_step.found.contacts) {
    const auto before = [&](const Contact& other) {
      return std::pair(other.collider_a, other.collider_b) < std::pair(contact.collider_a, contact.collider_b);
    };
    while (known != solved.contacts.end() && before(*known)) ++known;
    const bool is_known = known != solved.contacts.end() && known->collider_a == contact.collider_a &&
                          known->collider_b == contact.collider_b;
    const std::span<const ContactPoint> points = is_known ? solved.points_of(*known) : std::span<const ContactPoint>();
    for (const ContactPoint& point : scratch.fixed_step.found.points_of(contact)) {
      const Arms arms{contact.body_a, contact.body_b, point.position - world.bodies.position[contact.body_a],
                      point.position - world.bodies.position[contact.body_b]};
      if (point.gap + h * point.normal.dot(arms.point_velocity(world.bodies.velocity)) >= -kRounding) continue;
      const bool was_there = std::any_of(points.begin(), points.end(),
                                         [&](const ContactPoint& other) { return other.feature == point.feature; });
      if (!was_there) return true;
    }
  }
  return false;
}

/// Adds what the solve brings together although u* did not, to the contacts. False where there is nothing to add.
bool add_missed_contacts(const World& world, const AnitescuOptions& options, StepWorkspace& scratch, double h) {
  if (!look_further(world, h, scratch)) return false;
  DetectOptions detect;
  detect.collide.margin = options.margin;
  detect.threads = scratch.runner.threads();
  detect_contacts(scratch.colliders, scratch.ignored, detect, scratch.detection, scratch.fixed_step.found);
  if (!misses_a_contact(world, h, scratch)) return false;
  std::swap(scratch.contacts, scratch.fixed_step.found);
  group_contacts(world, scratch);
  return true;
}

}  // namespace

StepReport advance_anitescu(World& world, const AnitescuOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  copy_to(world.bodies.velocity, scratch.fixed_step.free);
  find_contacts_recycling(world, options.margin, h, options.recycling, scratch);
  solve_contacts(world, options, scratch, h);
  for (int attempt = 1; attempt < options.attempts && add_missed_contacts(world, options, scratch, h); ++attempt) {
    copy_to(scratch.fixed_step.free, world.bodies.velocity);
    solve_contacts(world, options, scratch, h);
  }
  report.impacts = remember_collisions(world, options, scratch);
  conclude_contacts(world, 0, scratch, report);
  conclude_joints(world, h, scratch, report);
  integrate_positions(world, h, Integrator::kSemiImplicit, scratch.motion, scratch.constrained);
  report.joint_error = update_joint_positions(world);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
