#include "stepping/sleep_stage.hpp"

#include "stepping/sleep_balance.hpp"
#include "world/colliders.hpp"
#include "world/drives.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace achilles {
namespace {

constexpr double kNoise = 1e-6;  // of the energy threshold: rises up to this are rounding

bool is_awake(const BodyArrays& bodies, std::uint32_t body) {
  return bodies.is_movable(body) && bodies.asleep[body] == 0;
}

bool moves(const World& world, std::uint32_t body) {
  const BodyVelocity& u = world.bodies.velocity[body];
  return world.bodies.kind[body] == BodyKind::kScripted && !(u.linear.isZero(0) && u.angular.isZero(0));
}

/// Contacts of what is awake or scripted and moving with everything else.
void find_disturbances(const World& world, const TouchSearch& search, StepWorkspace& scratch) {
  place_colliders(world, search.h, scratch.colliders);
  for (Collider& collider : scratch.colliders) {
    collider.movable = is_awake(world.bodies, collider.body) || moves(world, collider.body);
  }
  list_ignored_pairs(world, scratch.ignored);
  DetectOptions options;
  options.collide.margin = search.margin;
  options.threads = scratch.runner.threads();
  detect_contacts(scratch.colliders, scratch.ignored, options, scratch.detection, scratch.contacts);
}

/// Whether one of the points closes within the step.
bool will_touch(const World& world, const Contact& contact, const TouchSearch& search, const StepWorkspace& scratch) {
  const BodyArrays& bodies = world.bodies;
  const auto velocity = [&](std::uint32_t body, const Vec3& at) {
    return Vec3(bodies.velocity[body].linear + bodies.velocity[body].angular.cross(at - bodies.position[body]));
  };
  for (const ContactPoint& point : scratch.contacts.points_of(contact)) {
    const double closing =
        point.normal.dot(velocity(contact.body_a, point.position) - velocity(contact.body_b, point.position)) +
        search.h * world.gravity.norm();
    if (point.gap <= search.touching + search.h * std::max(0.0, closing)) return true;
  }
  return false;
}

/// Whether a body that does not rest touches, with fixation whether the surfaces move against each other faster than a
/// sleeper may.
bool is_disturbed(const World& world, const Contact& contact, std::uint32_t other, const SleepOptions& options,
                  const TouchSearch& search, const StepWorkspace& scratch) {
  const BodyArrays& bodies = world.bodies;
  if (!options.fixation) {
    const bool rests = is_awake(bodies, other) && world.memory().sleep.calm_steps[other] > 0;
    return !rests && will_touch(world, contact, search, scratch);
  }
  const double slow = std::sqrt(2 * options.energy);
  for (const ContactPoint& point : scratch.contacts.points_of(contact)) {
    const auto velocity = [&](std::uint32_t body) {
      return Vec3(bodies.velocity[body].linear +
                  bodies.velocity[body].angular.cross(point.position - bodies.position[body]));
    };
    const Vec3 relative = velocity(contact.body_b) - velocity(contact.body_a);
    const double closing = std::max(0.0, -point.normal.dot(relative));
    if (relative.norm() > slow && point.gap <= search.touching + search.h * closing) return true;
  }
  return false;
}

void list_touched(const World& world, const SleepOptions& options, const TouchSearch& search, StepWorkspace& scratch) {
  for (const Contact& contact : scratch.contacts.contacts) {
    const auto visit = [&](std::uint32_t sleeper, std::uint32_t other) {
      if (world.bodies.asleep[sleeper] == 0 || !(is_awake(world.bodies, other) || moves(world, other))) return;
      const bool wakes = options.alone ? is_disturbed(world, contact, other, options, search, scratch)
                                       : will_touch(world, contact, search, scratch);
      if (wakes) scratch.woken.push_back(sleeper);
    };
    visit(contact.body_a, contact.body_b);
    visit(contact.body_b, contact.body_a);
  }
}

/// Sleepers that a joint holds to something that is awake or moves.
void list_pulled(const World& world, StepWorkspace& scratch) {
  for (const WorldJoint& joint : world.joints) {
    for (const auto& [one, other] : {std::pair(joint.body_a, joint.body_b), std::pair(joint.body_b, joint.body_a)}) {
      const bool pulls = is_awake(world.bodies, one) || moves(world, one);
      if (pulls && world.bodies.asleep[other] != 0) scratch.woken.push_back(other);
    }
  }
}

double energy_by_mass(const BodyArrays& bodies, std::size_t body) {
  const BodyVelocity& u = bodies.velocity[body];
  const Vec3 w_B = bodies.orientation[body].conjugate() * u.angular;
  return 0.5 * u.linear.squaredNorm() + 0.5 * w_B.dot(bodies.inertia_B[body] * w_B) / bodies.mass[body];
}

/// Whether something cancels what the external forces do to the body.
bool is_held(const World& world, std::size_t body, double h, const StepWorkspace& scratch) {
  const BodyVelocity& now = world.bodies.velocity[body];
  const BodyVelocity& before = scratch.velocity_before[body];
  const double gain = h * (world.gravity + world.bodies.constant_force[body] / world.bodies.mass[body]).norm();
  const double turn = std::sqrt(world.bodies.inertia_B[body].trace() / world.bodies.mass[body]);  // radius of gyration
  const double change = (now.linear - before.linear).norm() + turn * (now.angular - before.angular).norm();
  return change <= kHeld * gain;
}

/// What a drive is about to move does not rest, nor does what a coupling moves from afar.
void keep_driven_awake(World& world) {
  const auto stir = [&](const WorldJoint& joint) {
    world.memory().sleep.calm_steps[joint.body_a] = world.memory().sleep.calm_steps[joint.body_b] = 0;
  };
  for (std::uint32_t joint = 0; joint < world.joints.size(); ++joint) {
    if (has_moving_target(world, joint)) stir(world.joints[joint]);
  }
  for (const WorldCouplingTerm& term : world.coupling_terms) stir(world.joints[term.joint]);
}

void count_calm_steps(World& world, const SleepOptions& options, double h, const StepWorkspace& scratch) {
  SleepState& sleep = world.memory().sleep;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    const double energy = energy_by_mass(world.bodies, i);
    const bool rises = sleep.calm_steps[i] > 0 && energy > sleep.energy[i] + kNoise * options.energy;
    if (energy > options.energy || rises || !is_held(world, i, h, scratch)) {
      sleep.calm_steps[i] = 0;
      continue;
    }
    if (sleep.calm_steps[i]++ == 0) sleep.energy[i] = energy;
  }
  keep_driven_awake(world);
}

/// Whether all of an island has rested long enough and something that cannot move holds it.
bool may_sleep(const World& world, const SleepOptions& options, double touching, std::size_t island,
               const StepWorkspace& scratch) {
  const std::size_t contacts = scratch.contacts.contacts.size();
  bool is_supported = false;
  for (const std::uint32_t edge : scratch.islands.edges_of(island)) {
    for (const std::uint32_t body : {scratch.edges[edge].body_a, scratch.edges[edge].body_b}) {
      if (moves(world, body)) return false;
      if (scratch.movable[body] == 0) continue;
      if (world.memory().sleep.calm_steps[body] < static_cast<std::uint32_t>(options.steps)) return false;
    }
    const bool to_fixed =
        scratch.movable[scratch.edges[edge].body_a] == 0 || scratch.movable[scratch.edges[edge].body_b] == 0;
    if (!to_fixed || is_supported) continue;
    is_supported = edge >= contacts;
    if (is_supported) continue;
    for (const ContactPoint& point : scratch.contacts.points_of(scratch.contacts.contacts[edge])) {
      is_supported = is_supported || point.gap <= touching;
    }
  }
  return is_supported;
}

void put_to_sleep_alone(World& world, const SleepOptions& options, double touching, const StepWorkspace& scratch) {
  const auto is_calm = [&](std::uint32_t body) {
    return world.memory().sleep.calm_steps[body] >= static_cast<std::uint32_t>(options.steps);
  };
  const auto holds = [&](std::uint32_t body) {
    return !moves(world, body) && (scratch.movable[body] == 0 || is_calm(body));
  };
  for (const Contact& contact : scratch.contacts.contacts) {
    const std::span<const ContactPoint> points = scratch.contacts.points_of(contact);
    if (std::none_of(points.begin(), points.end(), [&](const ContactPoint& p) { return p.gap <= touching; })) continue;
    for (const auto& [body, other] :
         {std::pair(contact.body_a, contact.body_b), std::pair(contact.body_b, contact.body_a)}) {
      if (!is_awake(world.bodies, body) || !is_calm(body) || !holds(other)) continue;
      ++world.memory().sleep.islands;
      world.lie_down(body, body);
    }
  }
}

void put_islands_to_sleep(World& world, const SleepOptions& options, double touching, const StepWorkspace& scratch) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    if (!may_sleep(world, options, touching, island, scratch)) continue;
    ++world.memory().sleep.islands;
    const GraphEdge& first = scratch.edges[scratch.islands.edges_of(island).front()];
    const std::uint32_t leader = scratch.movable[first.body_a] != 0 ? first.body_a : first.body_b;
    world.lie_down(leader, leader);
    for (const std::uint32_t edge : scratch.islands.edges_of(island)) {
      for (const std::uint32_t body : {scratch.edges[edge].body_a, scratch.edges[edge].body_b}) {
        if (scratch.movable[body] != 0) world.lie_down(body, leader);
      }
    }
  }
}

}  // namespace

void wake_touched(World& world, const SleepOptions& options, const TouchSearch& search, StepWorkspace& scratch) {
  const auto asleep = [](std::uint8_t flag) { return flag != 0; };
  if (std::none_of(world.bodies.asleep.begin(), world.bodies.asleep.end(), asleep)) return;
  if (!options.enabled || world.memory().sleep.gravity != world.gravity) {
    world.wake_all();
    return;
  }
  world.aim_scripts(search.h);
  bool pulled = false;
  do {
    scratch.woken.clear();
    list_pulled(world, scratch);
    world.wake(scratch.woken);
    pulled = !scratch.woken.empty();
    scratch.woken.clear();
    find_disturbances(world, search, scratch);
    list_touched(world, options, search, scratch);
    if (options.alone && !options.fixation) {
      rouse(world, options, scratch.woken);
    } else {
      world.wake(scratch.woken);
    }
  } while (pulled || !scratch.woken.empty());
}

void put_to_sleep(World& world, const SleepOptions& options, const TouchSearch& search, StepWorkspace& scratch) {
  if (!options.enabled) return;
  count_calm_steps(world, options, search.h, scratch);
  world.memory().sleep.gravity = world.gravity;
  const std::uint32_t known = world.memory().sleep.islands;
  if (options.alone) {
    put_to_sleep_alone(world, options, search.touching, scratch);
  } else {
    put_islands_to_sleep(world, options, search.touching, scratch);
  }
  if (world.memory().sleep.islands != known) world.lay_contacts_aside();
}

}  // namespace achilles
