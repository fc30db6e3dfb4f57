#include "motion/integrate.hpp"

#include "motion/free_rotation.hpp"

namespace achilles {
namespace {

/// The same inertia about every axis: free rotation is uniform then.
bool is_round(const Mat3& inertia) {
  return inertia(0, 0) == inertia(1, 1) && inertia(1, 1) == inertia(2, 2) && inertia(0, 1) == 0 && inertia(0, 2) == 0 &&
         inertia(1, 2) == 0;
}

/// Free rotation of body i over the step, in world axes. With locked rotations the constraint torques take the
/// gyroscopic term's place, so the spin only follows the applied torque.
void integrate_spin(BodyArrays& bodies, std::size_t i, const Vec3& torque, const BodyInverseMass& inverse, double h,
                    FreeMotion& motion) {
  constexpr std::uint8_t kRotations = Locks::kRx | Locks::kRy | Locks::kRz;
  Vec3& spin = bodies.velocity[i].angular;
  if ((bodies.locks[i].bits & kRotations) != 0) {
    for (int axis = 0; axis < 3; ++axis) {
      if ((bodies.locks[i].bits & (Locks::kRx << axis)) != 0) spin[axis] = 0;
    }
    const Vec3 before = spin;
    spin += h * (inverse.angular * torque);
    motion.mean_spin = 0.5 * (before + spin);
  } else if (torque.isZero(0) && is_round(bodies.inertia_B[i])) {
    motion.mean_spin = spin;
  } else {
    const Quat& q = bodies.orientation[i];
    const Quat to_body = q.conjugate();
    const FreeRotation free = advance_free_rotation(bodies.inertia_B[i], to_body * spin, to_body * torque, h);
    motion.mean_spin = q * free.spin_mean_B;
    // ω₁ is known in the axes the body will have: turned by the mean spin.
    spin = (q * cayley_rotation(h * free.spin_mean_B)) * free.spin_end_B;
  }
  motion.end_spin = spin;
}

}  // namespace

void integrate_velocity(World& world, std::size_t i, std::span<const BodyInverseMass> inverse_mass, double h,
                        std::span<FreeMotion> motion) {
  BodyArrays& bodies = world.bodies;
  if (!bodies.is_movable(i) || bodies.asleep[i] != 0) return;
  BodyVelocity& u = bodies.velocity[i];
  for (int axis = 0; axis < 3; ++axis) {
    if ((bodies.locks[i].bits & (Locks::kX << axis)) != 0) u.linear[axis] = 0;
  }
  motion[i].velocity = u.linear;
  const Vec3 force = bodies.constant_force[i] + bodies.applied_force[i];
  const Vec3 torque = bodies.constant_torque[i] + bodies.applied_torque[i];
  const Vec3 weight = bodies.mass[i] * world.gravity;
  u.linear += h * inverse_mass[i].linear.cwiseProduct(force + weight);
  integrate_spin(bodies, i, torque, inverse_mass[i], h, motion[i]);
  bodies.applied_force[i].setZero();
  bodies.applied_torque[i].setZero();
}

void clear_applied_forces(BodyArrays& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.applied_force[i].setZero();
    bodies.applied_torque[i].setZero();
  }
}

void integrate_velocities(World& world, std::span<const BodyInverseMass> inverse_mass, double h,
                          std::span<FreeMotion> motion) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) integrate_velocity(world, i, inverse_mass, h, motion);
}

void integrate_position(World& world, std::size_t i, double h, bool free, std::span<const FreeMotion> motion) {
  BodyArrays& bodies = world.bodies;
  if (bodies.kind[i] == BodyKind::kFixed || bodies.asleep[i] != 0) return;
  const BodyVelocity& u = bodies.velocity[i];
  Quat& q = bodies.orientation[i];
  const bool flies = free && bodies.is_movable(i);
  bodies.position[i] += flies ? Vec3(0.5 * h * (motion[i].velocity + u.linear)) : Vec3(h * u.linear);
  // The spin at the end of a flight is that of a body turned by the mean spin. Another update of the orientation, where
  // the scene names one, holds in flight as well.
  const Vec3& spin = flies ? motion[i].mean_spin : u.angular;
  if (flies && bodies.rotation[i] == RotationUpdate::kFinite) {
    q = (cayley_rotation(h * spin) * q).normalized();
  } else {
    q = update_orientation(q, spin, h, bodies.rotation[i], bodies.rotation_axis_B[i]);
  }
}

void integrate_positions(World& world, double h, Integrator integrator, std::span<const FreeMotion> motion,
                         std::span<const std::uint8_t> constrained) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    integrate_position(world, i, h, constrained[i] == 0 && integrator == Integrator::kConserving, motion);
  }
}

}  // namespace achilles
