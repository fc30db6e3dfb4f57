#include "stepping/speed_ups.hpp"

#include "stepping/contact_stage.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// Keeps the deepest point of every contact that penetrates by more than the slop.
void reduce_contacts(double slop, ContactSet& contacts) {
  std::uint32_t kept = 0;
  for (Contact& contact : contacts.contacts) {
    const auto first = contacts.points.begin() + contact.first;
    const auto deepest = std::min_element(first, first + contact.count,
                                          [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; });
    const bool penetrates = contact.count > 0 && deepest->gap < -slop;
    const std::uint32_t start = kept;
    if (penetrates) {
      contacts.points[kept++] = *deepest;
    } else {
      for (std::uint32_t k = 0; k < contact.count; ++k) contacts.points[kept++] = contacts.points[contact.first + k];
    }
    contact.first = start;
    contact.count = kept - start;
  }
  contacts.points.resize(kept);
}

/// One island of all edges.
void join_islands(Islands& islands) {
  std::sort(islands.edges.begin(), islands.edges.end());
  const auto count = static_cast<std::uint32_t>(islands.edges.size());
  islands.start.clear();
  if (count > 0) islands.start = {0, count};
}

}  // namespace

void damp_velocities(World& world, double damping, double h) {
  if (!(damping > 0)) return;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (!world.bodies.is_movable(i)) continue;
    world.bodies.velocity[i].linear /= 1 + damping * h;
    world.bodies.velocity[i].angular /= 1 + damping * h;
  }
}

void simplify_contacts(const World& world, const SpeedUps& options, double slop, StepWorkspace& scratch) {
  if (options.reduction) {
    reduce_contacts(slop, scratch.contacts);
    island_contacts(world, scratch);
  }
  if (!options.islands) join_islands(scratch.islands);
}

void zero_restitution(const World& world, const SpeedUps& options, const SleepOptions& sleeping,
                      StepWorkspace& scratch) {
  if (!options.zeroing || !sleeping.enabled) return;
  const BodyArrays& bodies = world.bodies;
  const auto is_sleepy = [&](std::uint32_t body) {
    if (!bodies.is_movable(body)) return false;
    const BodyVelocity& u = scratch.velocity_before[body];
    const Vec3 w_B = bodies.orientation[body].conjugate() * u.angular;
    return 0.5 * u.linear.squaredNorm() + 0.5 * w_B.dot(bodies.inertia_B[body] * w_B) / bodies.mass[body] <=
           sleeping.energy;
  };
  for (ContactPointRows& where : scratch.point_rows) {
    const Contact& contact = scratch.contacts.contacts[where.contact];
    if (is_sleepy(contact.body_a) || is_sleepy(contact.body_b)) where.bounces = false;
  }
}

}  // namespace achilles
