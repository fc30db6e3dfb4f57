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

/// Takes back what forces did to the velocities of centres of mass over the step; kept as accelerations.
void withhold_forces(World& world, double h, StepWorkspace& scratch) {
  refill(scratch.impulse.acceleration, world.bodies.size(), Vec3(Vec3::Zero()));
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    Vec3& u = world.bodies.velocity[i].linear;
    scratch.impulse.acceleration[i] = (u - scratch.motion[i].velocity) / h;
    u = scratch.motion[i].velocity;
  }
}

/// Lets them act from the velocities after the impact on: free flight is the parabola that begins there.
void apply_forces(World& world, double h, StepWorkspace& scratch) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    Vec3& u = world.bodies.velocity[i].linear;
    scratch.motion[i].velocity = u;
    u += h * scratch.impulse.acceleration[i];
  }
}

bool has_friction(const ImpactLaw& law) {
  if (const auto* pairwise = std::get_if<GaussSeidelLaw>(&law))
    return pairwise->options.friction != ImpactFriction::kNone;
  const auto* at_once = std::get_if<GeneralizedReflectionsLaw>(&law);
  return at_once == nullptr || at_once->options.friction != ImpactFriction::kNone;
}

/// Contacts that the forces of the step press together bear them without bounce. Adds to the impulses of the impact and
/// marks the bodies that either touched: `constrained` those of the impact, `carried` those that are borne.
void bear_forces(World& world, const ReflectionsOptions& options, const TouchOptions& touch, StepWorkspace& scratch,
                 StepReport& report) {
  std::vector<double>& of_impact = scratch.correction_impulses;
  refill(scratch.impulse.carried, world.bodies.size(), std::uint8_t{0});
  const auto mark = [&](std::vector<std::uint8_t>& marks) {
    for (const ContactRecord& record : scratch.records) {
      if (record.impulse.isZero(0)) continue;
      marks[record.body_a] = 1;
      marks[record.body_b] = 1;
    }
  };
  mark(scratch.constrained);
  if (report.stopped || !has_approach(world, touch, false, scratch)) return;
  copy_to(scratch.impulses, of_impact);
  std::fill(scratch.impulse.restitution.begin(), scratch.impulse.restitution.end(), 0.0);
  const int impacts = report.impacts;
  resolve_touch_impact(world, InelasticLaw{1e-9, has_friction(options.impact)}, scratch, report);
  report.impacts = impacts;
  mark(scratch.impulse.carried);
  mark(scratch.constrained);
  for (std::size_t r = 0; r < of_impact.size(); ++r) scratch.impulses[r] += of_impact[r];
  record_touch_impulses(scratch);
}

/// What is borne goes where its velocity takes it; what was hit flies on from there, as what is free does.
void move_bodies(World& world, double h, StepWorkspace& scratch) {
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0 || scratch.constrained[i] == 0 || scratch.impulse.carried[i] != 0) continue;
    world.bodies.position[i] -= 0.5 * h * h * scratch.impulse.acceleration[i];
  }
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
  withhold_forces(world, h, scratch);
  begin_touch_rows(scratch);
  extend_touch_rows(world, touch, contacts.first(newcomers), scratch);
  copy_to(scratch.impulse.position, bodies.position);
  copy_to(scratch.impulse.orientation, bodies.orientation);
  extend_touch_rows(world, touch, contacts.subspan(newcomers), scratch);
  scratch.records.clear();
  if (has_approach(world, touch, false, scratch)) resolve_touch_impact(world, options.impact, scratch, report);
  apply_forces(world, h, scratch);
  bear_forces(world, options, touch, scratch, report);
  move_bodies(world, h, scratch);
  report.contacts = static_cast<int>(scratch.contacts.points.size());
  report.groups = static_cast<int>(scratch.groups.size());
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
