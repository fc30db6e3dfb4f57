#include "time_control/fixed_step/anitescu.hpp"

#include "constraint/point_row.hpp"
#include "time_control/contact_stage.hpp"
#include "world/contact_memory.hpp"

#include <limits>

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

}  // namespace

StepReport advance_anitescu(World& world, const AnitescuOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts(world, options.margin, h, scratch);
  // No gap counts as closed and nothing bounces by the rule of lcp-fixed: every target is −Φ/h.
  build_rows(world, {h, kInfinity, -kInfinity, options.margin}, options.warm_start, scratch);
  set_contact_targets(world, options, h, scratch);
  stabilize_joints(world, options.stabilization, h, scratch);
  solve_groups(world, options.solve, scratch);
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
