#include "methods/reflections/active_contacts.hpp"

#include "motion/integrate.hpp"
#include "stepping/contact_stage.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace achilles {
namespace {

bool has_pair(const ContactSet& set, const Contact& contact) {
  const auto before = [](const Contact& one, const Contact& other) {
    return std::pair(one.collider_a, one.collider_b) < std::pair(other.collider_a, other.collider_b);
  };
  return std::binary_search(set.contacts.begin(), set.contacts.end(), contact, before);
}

/// Velocity of a body's material point in free motion, the mean over the step.
Vec3 mean_point_velocity(const World& world, const StepWorkspace& scratch, std::uint32_t body, const Vec3& point) {
  const BodyVelocity& u = world.bodies.velocity[body];
  const Vec3 arm = point - world.bodies.position[body];
  if (scratch.movable[body] == 0) return u.linear + u.angular.cross(arm);
  const FreeMotion& motion = scratch.motion[body];
  return 0.5 * (motion.velocity + u.linear) + motion.mean_spin.cross(arm);
}

/// Appends the points of a contact that touch or close their gap; of a pair that comes to touch at least one.
void append_active_points(const World& world, const Contact& contact, bool comes, double tolerance, double h,
                          ReflectionsScratch& scratch) {
  ContactSet& active = scratch.reflections.active;
  Contact kept = contact;
  kept.first = static_cast<std::uint32_t>(active.points.size());
  const ContactPoint* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& point : scratch.contacts.points_of(contact)) {
    const double rate = point.normal.dot(mean_point_velocity(world, scratch, contact.body_b, point.position) -
                                         mean_point_velocity(world, scratch, contact.body_a, point.position));
    const double then = point.gap + h * rate;
    if (point.gap <= tolerance || (comes && then <= tolerance)) active.points.push_back(point);
    if (then < least) {
      least = then;
      nearest = &point;
    }
  }
  if (comes && nearest != nullptr && active.points.size() == kept.first) active.points.push_back(*nearest);
  kept.count = static_cast<std::uint32_t>(active.points.size()) - kept.first;
  if (kept.count > 0) active.contacts.push_back(kept);
}

}  // namespace

void find_active_contacts(World& world, double tolerance, double h, ReflectionsScratch& scratch) {
  ReflectionsWorkspace& local = scratch.reflections;
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  find_contacts(world, tolerance, 0, scratch);
  std::swap(scratch.contacts, local.predicted);
  local.start.restore(world.bodies);
  find_contacts(world, tolerance, h, scratch);
  local.active.clear();
  for (const Contact& contact : scratch.contacts.contacts) {
    append_active_points(world, contact, has_pair(local.predicted, contact), tolerance, h, scratch);
  }
  std::swap(scratch.contacts, local.active);
  island_contacts(world, scratch);
}

}  // namespace achilles
