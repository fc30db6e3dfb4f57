// Energy that the bodies of an island may end a step with: what impulses of restitution must not exceed.
#pragma once

#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

#include <cstdint>

namespace achilles {

/// Kinetic energy of a body of orientation q and velocity u [J].
[[nodiscard]] inline double kinetic_energy(const BodyArrays& bodies, std::uint32_t body, const Quat& q,
                                           const BodyVelocity& u) {
  const Vec3 w_B = q.conjugate() * u.angular;
  return 0.5 * bodies.mass[body] * u.linear.squaredNorm() + 0.5 * w_B.dot(bodies.inertia_B[body] * w_B);
}

/// Work of external torques on a body in the step of length h, where it is positive [J]. After remember_free_motion.
[[nodiscard]] double measure_torque_work(const BodyArrays& bodies, std::uint32_t body, double h,
                                         const StepWorkspace& scratch);

/// Work of motors and springs of an island in the step [J]: from the velocities u* to the present ones.
[[nodiscard]] double measure_drive_work(const World& world, std::size_t island, const StepWorkspace& scratch);

}  // namespace achilles
