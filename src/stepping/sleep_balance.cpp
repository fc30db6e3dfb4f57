#include "stepping/sleep_balance.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kUnbalanced = 2 * kHeld;

/// Impulse over a step and its moment about the centre of mass. [N s], [N m s]
struct Load {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

struct Ends {
  std::uint32_t a = 0, b = 0;
};

Ends ends_of(const World& world, const CachedContact& contact) {
  return {world.pieces[contact.collider_a].body, world.pieces[contact.collider_b].body};
}

/// The sleeper of a contact whose other body is awake; the number of bodies where there is none.
std::uint32_t sleeper_of(const World& world, const CachedContact& contact) {
  const auto [a, b] = ends_of(world, contact);
  const auto is_awake = [&](std::uint32_t body) {
    return world.bodies.is_movable(body) && world.bodies.asleep[body] == 0;
  };
  if (world.bodies.asleep[a] != 0 && is_awake(b)) return a;
  if (world.bodies.asleep[b] != 0 && is_awake(a)) return b;
  return static_cast<std::uint32_t>(world.bodies.size());
}

void add_contact(const World& world, const CachedContact& contact, std::span<const CachedPoint> points,
                 std::uint32_t body, Load& load) {
  const BodyArrays& bodies = world.bodies;
  const auto [a, b] = ends_of(world, contact);
  const std::uint32_t carrier = bodies.is_movable(a) ? a : b;
  for (const CachedPoint& point : points.subspan(contact.first, contact.count)) {
    const Vec3 at = bodies.position[carrier] + bodies.orientation[carrier] * point.place;
    const Vec3 impulse = body == b ? point.impulse : Vec3(-point.impulse);
    load.linear += impulse;
    load.angular += (at - bodies.position[body]).cross(impulse);
  }
}

/// What lies apart since those it is shared with fell asleep, unless one of them is awake again.
void add_kept(const World& world, std::span<const std::uint32_t> live, std::uint32_t body, Load& load) {
  const ContactCache& kept = world.memory().sleep.contacts[body];
  for (const CachedContact& contact : kept.contacts) {
    const bool is_live = std::any_of(live.begin(), live.end(), [&](std::uint32_t index) {
      const CachedContact& other = world.memory().contact_cache.contacts[index];
      return other.collider_a == contact.collider_a && other.collider_b == contact.collider_b;
    });
    if (!is_live) add_contact(world, contact, kept.points, body, load);
  }
}

bool is_balanced(const World& world, std::span<const std::uint32_t> live, std::uint32_t body, double h) {
  const BodyArrays& bodies = world.bodies;
  const Vec3 force = bodies.mass[body] * world.gravity + bodies.constant_force[body];
  Load load{h * force, h * bodies.constant_torque[body]};
  for (const std::uint32_t index : live) {
    add_contact(world, world.memory().contact_cache.contacts[index], world.memory().contact_cache.points, body, load);
  }
  add_kept(world, live, body, load);
  const double turn = std::sqrt(bodies.inertia_B[body].trace() / bodies.mass[body]);  // radius of gyration
  return load.linear.norm() + load.angular.norm() / turn <= kUnbalanced * h * force.norm();
}

}  // namespace

void rouse(World& world, const SleepOptions& options, std::span<const std::uint32_t> sleepers) {
  constexpr int kAwake = 2;  // steps: one that changes what they press on others with, one that wakes those
  world.wake(sleepers);
  const auto calm = static_cast<std::uint32_t>(std::max(0, options.steps - kAwake));
  for (const std::uint32_t body : sleepers) world.memory().sleep.calm_steps[body] = calm;
}

void wake_unbalanced(World& world, const SleepOptions& options, double h, StepWorkspace& scratch) {
  if (!options.enabled || !options.alone || options.fixation) return;
  const std::vector<CachedContact>& contacts = world.memory().contact_cache.contacts;
  const auto sleeper = [&](std::uint32_t index) { return sleeper_of(world, contacts[index]); };
  std::vector<std::uint32_t>& list = scratch.woken;  // contacts, by sleeper; from its front on the sleepers to wake
  list.clear();
  for (std::uint32_t index = 0; index < contacts.size(); ++index) {
    if (sleeper(index) < world.bodies.size()) list.push_back(index);
  }
  std::sort(list.begin(), list.end(), [&](std::uint32_t x, std::uint32_t y) {
    return sleeper(x) != sleeper(y) ? sleeper(x) < sleeper(y) : x < y;
  });
  std::size_t count = 0;
  for (std::size_t first = 0, last = 0; first < list.size(); first = last) {
    const std::uint32_t body = sleeper(list[first]);
    while (last < list.size() && sleeper(list[last]) == body) ++last;
    if (!is_balanced(world, std::span(list).subspan(first, last - first), body, h)) list[count++] = body;
  }
  list.resize(count);
  rouse(world, options, list);
}

}  // namespace achilles
