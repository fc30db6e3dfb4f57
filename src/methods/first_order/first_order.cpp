#include "methods/first_order/first_order.hpp"

#include "math/refill.hpp"
#include "stepping/contact_stage.hpp"

#include <limits>

namespace achilles {
namespace {

/// u = M⁻¹ f_ext.
void cause_velocities(World& world, const StepWorkspace& scratch) {
  BodyArrays& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    const Vec3 force = bodies.constant_force[i] + bodies.applied_force[i];
    const Vec3 torque = bodies.constant_torque[i] + bodies.applied_torque[i];
    BodyVelocity& u = bodies.velocity[i];
    u.linear = scratch.inverse_mass[i].linear.cwiseProduct(force + bodies.mass[i] * world.gravity);
    u.angular = scratch.inverse_mass[i].angular * torque;
    bodies.applied_force[i].setZero();
    bodies.applied_torque[i].setZero();
  }
}

/// Only the given share of what is wrong is taken out, and nothing rubs.
void set_targets(const World& world, double share, double h, StepWorkspace& scratch) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::span<Row> rows = std::span(scratch.rows).subspan(scratch.row_start[island]);
    for (std::uint32_t k = scratch.point_rows_start[island]; k < scratch.point_rows_start[island + 1]; ++k) {
      const ContactPointRows& where = scratch.point_rows[k];
      const double gap = scratch.contacts.points[where.point].gap;
      if (gap < 0) rows[static_cast<std::size_t>(where.normal)].target += (1 - share) * gap / h;
    }
    for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
      stabilize_joint_rows(world, scratch.joint_rows[k], share / h, rows);
    }
  }
  for (Row& row : scratch.rows) row.friction = 0;
}

}  // namespace

StepReport advance_first_order(World& world, const FirstOrderOptions& options, StepWorkspace& scratch, double h) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  StepReport report;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (world.bodies.is_movable(i)) world.bodies.velocity[i] = {};
  }
  prepare_bodies(world, {world.time, h}, scratch);
  cause_velocities(world, scratch);
  find_contacts(world, options.speculative_distance, h, scratch);
  build_rows(world, world.time, {h, kInfinity, -kInfinity, options.speculative_distance}, true, scratch);
  set_targets(world, options.correction, h, scratch);
  solve_islands(world, options.solve, scratch);
  conclude_contacts(world, 0, scratch, report);
  conclude_joints(world, {world.time, h}, scratch, report);
  integrate_positions(world, h, Integrator::kSemiImplicit, scratch.motion, scratch.constrained);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (world.bodies.is_movable(i)) world.bodies.velocity[i] = {};
  }
  report.joint_error = update_joint_positions(world);
  return report;
}

}  // namespace achilles
