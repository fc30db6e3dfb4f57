#include "world/energy.hpp"

#include "world/awake.hpp"

#include <algorithm>
#include <span>

namespace achilles {
namespace {

constexpr std::size_t kBlock = 64;  // bodies

double sum_kinetic(const BodyArrays& bodies, std::size_t first, std::size_t last) {
  double energy = 0;
  for (std::size_t body = first; body < last; ++body) {
    if (!bodies.is_movable(body)) continue;
    const BodyVelocity& u = bodies.velocity[body];
    const Vec3 w_B = bodies.orientation[body].conjugate() * u.angular;
    energy += 0.5 * bodies.mass[body] * u.linear.squaredNorm() + 0.5 * w_B.dot(bodies.inertia_B[body] * w_B);
  }
  return energy;
}

double sum_potential(const BodyArrays& bodies, const Vec3& gravity, std::size_t first, std::size_t last) {
  double energy = 0;
  for (std::size_t body = first; body < last; ++body) {
    if (bodies.is_movable(body)) energy -= bodies.mass[body] * gravity.dot(bodies.position[body]);
  }
  return energy;
}

/// Of the rotors that turn with the axes of joints.
double sum_rotors(const World& world) {
  double energy = 0;
  for (std::uint32_t joint = 0; joint < world.joints.size(); ++joint) {
    for (std::size_t axis = 0; axis < world.joints[joint].axis_count; ++axis) {
      const double armature = world.joints[joint].drives[axis].armature;
      if (!(armature > 0)) continue;
      const double rate = world.joint_rate(joint, axis);
      energy += 0.5 * armature * rate * rate;
    }
  }
  return energy;
}

double sum_springs(const World& world) {
  double energy = 0;
  for (std::size_t joint = 0; joint < world.joints.size(); ++joint) {
    for (std::size_t axis = 0; axis < world.joints[joint].axis_count; ++axis) {
      const JointDrive& drive = world.joints[joint].drives[axis];
      const double stretch = world.joint_states[joint].position[axis] - drive.rest;
      energy += 0.5 * drive.stiffness * stretch * stretch;
    }
  }
  return energy;
}

/// Calls visit(block, first, last).
template <class Visit>
void for_each_block(std::size_t bodies, const Visit& visit) {
  for (std::size_t first = 0; first < bodies; first += kBlock) {
    visit(first / kBlock, first, std::min(first + kBlock, bodies));
  }
}

}  // namespace

double World::kinetic_energy() const {
  double energy = 0;
  for_each_block(bodies.size(),
                 [&](std::size_t, std::size_t first, std::size_t last) { energy += sum_kinetic(bodies, first, last); });
  return energy + sum_rotors(*this);
}

double World::potential_energy() const {
  double energy = 0;
  for_each_block(bodies.size(), [&](std::size_t, std::size_t first, std::size_t last) {
    energy += sum_potential(bodies, gravity, first, last);
  });
  return energy + sum_springs(*this);
}

Energy EnergyMeter::measure(const World& world) {
  const BodyArrays& bodies = world.bodies;
  if (bodies_ != bodies.size() || gravity_ != world.gravity) blocks_.clear();
  bodies_ = bodies.size();
  gravity_ = world.gravity;
  blocks_.resize((bodies.size() + kBlock - 1) / kBlock);
  Energy sum;
  for_each_block(bodies.size(), [&](std::size_t at, std::size_t first, std::size_t last) {
    Block& block = blocks_[at];
    const bool sleeps = find_awake(std::span(bodies.asleep).first(last), first) == last;
    if (!sleeps || !block.sleeps) {
      block = {{sum_kinetic(bodies, first, last), sum_potential(bodies, gravity_, first, last)}, sleeps};
    }
    sum.kinetic += block.energy.kinetic;
    sum.potential += block.energy.potential;
  });
  sum.kinetic += sum_rotors(world);
  sum.potential += sum_springs(world);
  return sum;
}

}  // namespace achilles
