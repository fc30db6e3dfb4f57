#include "time_control/lcp_fixed.hpp"

#include "time_control/contact_stage.hpp"
#include "time_control/correction.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

void solve_group(World& world, const GaussSeidelOptions& options, StepWorkspace& scratch, std::size_t group) {
  const std::uint32_t first = scratch.row_start[group];
  const std::uint32_t count = scratch.row_start[group + 1] - first;
  const RowProblem problem{std::span<const Row>(scratch.rows).subspan(first, count), world.bodies.velocity};
  scratch.solves[group] = solve_gauss_seidel(problem, options, scratch.solving[BlockRunner::thread_index()],
                                             std::span(scratch.impulses).subspan(first, count));
}

}  // namespace

StepReport advance_lcp_fixed(World& world, const LcpFixedOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  prepare_bodies(world, scratch);
  report.external_work = integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts(world, options.margin, h, scratch);
  build_rows(world, {h, options.restitution_threshold, options.slop, options.margin}, options.warm_start, scratch);
  for_each_group(scratch, [&](std::size_t group) { solve_group(world, options.solver, scratch, group); });
  conclude_contacts(world, options.slop, scratch, report);
  conclude_joints(world, h, scratch, report);
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  correct_positions(world, {options.correction, options.slop, options.correction_iterations, options.solver.iterations},
                    h, scratch);
  report.joint_error = update_joint_positions(world);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
