#include "time_control/fixed_step/lcp_fixpoint.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/rebound.hpp"

#include <algorithm>

namespace achilles {

StepReport advance_lcp_fixpoint(World& world, const LcpFixpointOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  const ImplicitReport implicit = solve_implicit_positions(world, options.implicit, h, scratch);
  conclude_contacts(world, options.slop, scratch, report);
  conclude_joints(world, h, scratch, report);
  report.residual = std::max(report.residual, implicit.change / h);
  restore_poses(world, scratch);
  copy_to(world.bodies.position, scratch.impulse.position);
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  rebound(world, options.implicit.solve.solver, options.slop, h, scratch, report);
  report.joint_error = update_joint_positions(world);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
