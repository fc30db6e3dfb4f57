#include "time_control/reflections.hpp"

#include "math/refill.hpp"
#include "motion/integrate.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/touch_stage.hpp"
#include "world/colliders.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <utility>

namespace achilles {
namespace {

/// Moves the bodies to s + h u* and finds the contacts and the inverse masses there.
void find_predicted_contacts(World& world, double tolerance, double h, StepWorkspace& scratch) {
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
  }
  find_contacts(world, tolerance, 0, scratch);
}

/// The contact of the same pair in a set, which is sorted; nullptr if there is none.
const Contact* find_pair(const ContactSet& set, const Contact& contact) {
  const auto before = [](const Contact& one, const Contact& other) {
    return std::pair(one.collider_a, one.collider_b) < std::pair(other.collider_a, other.collider_b);
  };
  const auto found = std::lower_bound(set.contacts.begin(), set.contacts.end(), contact, before);
  return found == set.contacts.end() || before(contact, *found) ? nullptr : &*found;
}

void append_contact(const ContactSet& from, Contact contact, ContactSet& to) {
  const std::span<const ContactPoint> points = from.points_of(contact);
  contact.first = static_cast<std::uint32_t>(to.points.size());
  to.points.insert(to.points.end(), points.begin(), points.end());
  to.contacts.push_back(contact);
}

/// Puts together what is active at the instant: pairs that would come to touch, then pairs that touch already, which
/// keep the normals they touch with unless they are about to touch at more points. Both kinds may have to bear an
/// impact: a ball that flies off one wall must find the one behind it, [Vouga17, fig. 2]. Returns the number of the
/// former.
std::size_t merge_contacts(StepWorkspace& scratch) {
  const ContactSet &now = scratch.impulse.touching, &then = scratch.contacts;
  ContactSet& active = scratch.impulse.active;
  active.clear();
  for (const Contact& contact : then.contacts) {
    const Contact* touching = find_pair(now, contact);
    if (touching == nullptr || touching->count < contact.count) append_contact(then, contact, active);
  }
  const std::size_t newcomers = active.contacts.size();
  for (const Contact& contact : now.contacts) {
    const Contact* coming = find_pair(then, contact);
    if (coming == nullptr || coming->count <= contact.count) append_contact(now, contact, active);
  }
  std::swap(scratch.contacts, active);
  return newcomers;
}

}  // namespace

StepReport advance_reflections(World& world, const ReflectionsOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  BodyArrays& bodies = world.bodies;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);

  copy_to(bodies.position, scratch.impulse.position);
  copy_to(bodies.orientation, scratch.impulse.orientation);
  find_contacts(world, options.tolerance, 0, scratch);
  std::swap(scratch.contacts, scratch.impulse.touching);
  find_predicted_contacts(world, options.tolerance, h, scratch);
  const std::size_t newcomers = merge_contacts(scratch);
  group_contacts(world, scratch);

  const TouchOptions touch{1e-12, std::max(options.rest_speed, 2 * h * world.gravity.norm())};
  const std::span<const Contact> contacts = scratch.contacts.contacts;
  begin_touch_rows(scratch);
  extend_touch_rows(world, touch, contacts.first(newcomers), scratch);
  copy_to(scratch.impulse.position, bodies.position);
  copy_to(scratch.impulse.orientation, bodies.orientation);
  extend_touch_rows(world, touch, contacts.subspan(newcomers), scratch);
  scratch.records.clear();
  if (has_approach(world, touch, false, scratch)) resolve_touch_impact(world, options.impact, scratch, report);

  for (std::size_t p = 0; p < scratch.records.size(); ++p) {
    if (scratch.records[p].impulse.isZero(0)) continue;
    scratch.constrained[scratch.records[p].body_a] = 1;
    scratch.constrained[scratch.records[p].body_b] = 1;
  }
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  report.contacts = static_cast<int>(scratch.contacts.points.size());
  report.groups = static_cast<int>(scratch.groups.size());
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
