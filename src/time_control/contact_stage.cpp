#include "time_control/contact_stage.hpp"

#include "math/refill.hpp"
#include "world/colliders.hpp"
#include "world/contact_memory.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>

namespace achilles {

void prepare_bodies(const World& world, StepWorkspace& scratch) {
  const BodyArrays& bodies = world.bodies;
  const std::size_t n = bodies.size();
  scratch.inverse_mass.resize(n);
  scratch.movable.resize(n);
  scratch.motion.resize(n);
  scratch.constrained.assign(n, 0);
  scratch.velocity_before = bodies.velocity;
  scratch.solving.resize(static_cast<std::size_t>(scratch.runner.threads()));
  for (std::size_t i = 0; i < n; ++i) {
    scratch.movable[i] = bodies.is_movable(i) && bodies.asleep[i] == 0 ? 1 : 0;
    scratch.inverse_mass[i] = compute_inverse_mass(bodies, i);
  }
}

void find_contacts(const World& world, double margin, StepWorkspace& scratch) {
  place_colliders(world, scratch.colliders);
  list_ignored_pairs(world, scratch.ignored);
  DetectOptions options;
  options.collide.margin = margin;
  options.threads = scratch.runner.threads();
  detect_contacts(scratch.colliders, scratch.ignored, options, scratch.detection, scratch.contacts);
  match_contacts(scratch.contacts, world.contact_cache, scratch.matches);
  scratch.edges.clear();
  for (const Contact& contact : scratch.contacts.contacts) scratch.edges.push_back({contact.body_a, contact.body_b});
  find_groups(scratch.edges, scratch.movable, scratch.groups);
}

void build_contact_rows(const World& world, const ContactRowOptions& options, bool warm_start, StepWorkspace& scratch) {
  const ContactSet& contacts = scratch.contacts;
  const StepVelocities velocities{scratch.velocity_before, world.bodies.velocity};
  scratch.rows.clear();
  scratch.impulses.clear();
  scratch.point_rows.clear();
  scratch.row_start.clear();
  scratch.point_rows_start.clear();
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    const std::size_t group_start = scratch.rows.size();
    scratch.row_start.push_back(static_cast<std::uint32_t>(group_start));
    scratch.point_rows_start.push_back(static_cast<std::uint32_t>(scratch.point_rows.size()));
    for (const std::uint32_t index : scratch.groups.edges_of(group)) {
      const Contact& contact = contacts.contacts[index];
      const ContactLaw& law = world.materials.law(scratch.colliders[contact.collider_a].material,
                                                  scratch.colliders[contact.collider_b].material);
      for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
        ContactPointInput input{&contact, &contacts.points[p], &law, nullptr};
        input.cached = find_cached_point(world.contact_cache, scratch.matches[index], contacts.points[p].feature,
                                         contact_place(world.bodies, contact, contacts.points[p].position),
                                         options.match_distance);
        ContactPointRows where = append_contact_rows(input, world.bodies, scratch.inverse_mass, velocities, options,
                                                     group_start, scratch.rows, scratch.impulses);
        where.contact = index;
        where.point = p;
        scratch.point_rows.push_back(where);
      }
    }
  }
  scratch.row_start.push_back(static_cast<std::uint32_t>(scratch.rows.size()));
  scratch.point_rows_start.push_back(static_cast<std::uint32_t>(scratch.point_rows.size()));
  if (!warm_start) std::fill(scratch.impulses.begin(), scratch.impulses.end(), 0.0);
  refill(scratch.solves, scratch.groups.size(), SolveReport{});
}

namespace {

/// Appends one touching contact to the next memory; false when none of its points touched.
bool remember_contact(const BodyArrays& bodies, std::uint32_t index, double touching, const StepWorkspace& scratch,
                      ContactCache& next) {
  const Contact& contact = scratch.contacts.contacts[index];
  bool touched = false;
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    touched = touched || scratch.contacts.points[p].gap <= touching || !scratch.records[p].impulse.isZero(0);
  }
  if (!touched) return false;
  next.contacts.push_back(
      {contact.collider_a, contact.collider_b, static_cast<std::uint32_t>(next.points.size()), contact.count});
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    const double approach = scratch.point_rows[scratch.rows_of_point[p]].approach;
    const ContactPoint& point = scratch.contacts.points[p];
    next.points.push_back(
        {point.feature, approach, scratch.records[p].impulse, contact_place(bodies, contact, point.position)});
  }
  return true;
}

void fill_records(StepWorkspace& scratch, StepReport& report) {
  const ContactSet& contacts = scratch.contacts;
  scratch.records.resize(contacts.points.size());
  scratch.rows_of_point.resize(contacts.points.size());
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    const std::uint32_t first = scratch.row_start[group];
    const std::uint32_t count = scratch.row_start[group + 1] - first;
    const std::span<const Row> rows = std::span<const Row>(scratch.rows).subspan(first, count);
    const std::span<const double> impulses = std::span<const double>(scratch.impulses).subspan(first, count);
    for (std::uint32_t k = scratch.point_rows_start[group]; k < scratch.point_rows_start[group + 1]; ++k) {
      const ContactPointRows& where = scratch.point_rows[k];
      const Contact& contact = contacts.contacts[where.contact];
      const ContactPoint& point = contacts.points[where.point];
      const Vec3 impulse = contact_impulse(where, rows, impulses, point.normal);
      scratch.records[where.point] = {contact.body_a, contact.body_b, point.position, point.normal, point.gap, impulse};
      scratch.rows_of_point[where.point] = k;
      if (!impulse.isZero(0)) {
        scratch.constrained[contact.body_a] = 1;
        scratch.constrained[contact.body_b] = 1;
        if (where.bounces) ++report.impacts;
      }
    }
  }
}

}  // namespace

void conclude_contacts(World& world, double touching, StepWorkspace& scratch, StepReport& report) {
  fill_records(scratch, report);
  scratch.next_cache.contacts.clear();
  scratch.next_cache.points.clear();
  int kept = 0;
  for (std::uint32_t index = 0; index < scratch.contacts.contacts.size(); ++index) {
    if (!remember_contact(world.bodies, index, touching, scratch, scratch.next_cache)) continue;
    if (scratch.matches[index] >= 0) {
      ++kept;
    } else {
      ++report.new_contacts;
    }
  }
  report.lost_contacts = static_cast<int>(world.contact_cache.contacts.size()) - kept;
  report.contacts = static_cast<int>(scratch.contacts.points.size());
  report.groups = static_cast<int>(scratch.groups.size());
  for (const SolveReport& solve : scratch.solves) {
    report.iterations = std::max(report.iterations, solve.iterations);
    report.residual = std::max(report.residual, solve.residual);
  }
  std::swap(world.contact_cache, scratch.next_cache);
}

}  // namespace achilles
