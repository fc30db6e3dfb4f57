#include "stepping/energy_allowance.hpp"

#include "motion/free_rotation.hpp"

#include <algorithm>

namespace achilles {

double measure_torque_work(const BodyArrays& bodies, std::uint32_t body, double h, const StepWorkspace& scratch) {
  const Quat& q = scratch.rebound.start.orientation[body];
  const FreeMotion& motion = scratch.motion[body];
  const Quat turned = cayley_rotation(h * motion.mean_spin) * q;
  return std::max(0.0, kinetic_energy(bodies, body, turned, {Vec3::Zero(), motion.end_spin}) -
                           kinetic_energy(bodies, body, q, {Vec3::Zero(), scratch.velocity_before[body].angular}));
}

double measure_drive_work(const World& world, std::size_t island, const StepWorkspace& scratch) {
  double work = 0;
  const std::uint32_t first = scratch.row_start[island];
  for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
    const JointRows& where = scratch.joint_rows[k];
    for (std::uint32_t i = 0; i < where.count; ++i) {
      const Row& row = scratch.rows[first + where.first + i];
      if (where.slot[i] < JointState::kStructural && row.softness == 0) continue;
      const double rate = row_velocity(row, scratch.rebound.free) + row_velocity(row, world.bodies.velocity);
      work += 0.5 * scratch.impulses[first + where.first + i] * rate;
    }
  }
  return work;
}

}  // namespace achilles
