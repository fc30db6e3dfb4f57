#include "time_control/lcp_fixed.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/correction.hpp"
#include "time_control/rebound.hpp"
#include "time_control/solve_stage.hpp"

#include <limits>

namespace achilles {
namespace {

/// Who solves a mechanism exactly does not want it mended by sweeps.
int exact_corrections(const LcpFixedOptions& options) {
  const bool sweeps =
      !find_solver(solver_name(options.solver))->direct && !std::holds_alternative<NewtonOptions>(options.solver);
  return sweeps ? options.exact_rows : std::numeric_limits<int>::max();
}

}  // namespace

StepReport advance_lcp_fixed(World& world, const LcpFixedOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  const TouchSearch search{options.margin, options.slop, h};
  prepare_bodies(world, h, scratch);
  damp_velocities(world, options.speed_ups.damping, h);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts_recycling(world, options.margin, h, options.recycling, scratch);
  simplify_contacts(world, options.speed_ups, options.slop, scratch);
  build_rows(world, {h, options.restitution_threshold, options.slop, options.margin}, options.warm_start, scratch);
  zero_restitution(world, options.speed_ups, options.sleeping, scratch);
  solve_groups(world, {options.solver, options.exact_rows}, scratch);
  conclude_contacts(world, options.slop, scratch, report);
  conclude_joints(world, h, scratch, report);
  copy_to(world.bodies.position, scratch.impulse.position);
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  correct_positions(
      world, {options.correction, options.slop, options.correction_iterations, exact_corrections(options)}, h, scratch);
  rebound(world, options.solver, options.slop, h, scratch, report);
  report.joint_error = update_joint_positions(world);
  put_to_sleep(world, options.sleeping, search, scratch);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
