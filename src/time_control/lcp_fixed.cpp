#include "time_control/lcp_fixed.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/correction.hpp"
#include "time_control/rebound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

/// Few sweeps do not hold a mechanism together: arms far longer than the bodies are wide make its rows nearly parallel.
/// Small ones are solved exactly, which is also faster than sweeping them to the same residual.
bool is_solved_exactly(const StepWorkspace& scratch, std::size_t group, int exact_rows) {
  const bool has_joints = scratch.joint_rows_start[group] < scratch.joint_rows_start[group + 1];
  return has_joints &&
         scratch.row_start[group + 1] - scratch.row_start[group] <= static_cast<std::uint32_t>(exact_rows);
}

void solve_group(World& world, const LcpFixedOptions& options, StepWorkspace& scratch, std::size_t group) {
  const std::uint32_t first = scratch.row_start[group];
  const std::uint32_t count = scratch.row_start[group + 1] - first;
  const RowProblem problem{std::span<const Row>(scratch.rows).subspan(first, count), world.bodies.velocity};
  const std::span<double> impulses = std::span(scratch.impulses).subspan(first, count);
  SolverWorkspace& workspace = scratch.solving[BlockRunner::thread_index()];
  const SolverOptions exact = NewtonOptions{};
  const bool is_exact = is_solved_exactly(scratch, group, options.exact_rows);
  scratch.solves[group] = solve(problem, is_exact ? exact : options.solver, workspace, impulses);
}

/// Who solves a mechanism exactly does not want it mended by sweeps.
int exact_corrections(const LcpFixedOptions& options) {
  const bool sweeps =
      !find_solver(solver_name(options.solver))->direct && !std::holds_alternative<NewtonOptions>(options.solver);
  return sweeps ? options.exact_rows : std::numeric_limits<int>::max();
}

}  // namespace

StepReport advance_lcp_fixed(World& world, const LcpFixedOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts(world, options.margin, h, scratch);
  build_rows(world, {h, options.restitution_threshold, options.slop, options.margin}, options.warm_start, scratch);
  for_each_group(scratch, [&](std::size_t group) { solve_group(world, options, scratch, group); });
  conclude_contacts(world, options.slop, scratch, report);
  conclude_joints(world, h, scratch, report);
  copy_to(world.bodies.position, scratch.impulse.position);
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  correct_positions(
      world, {options.correction, options.slop, options.correction_iterations, exact_corrections(options)}, h, scratch);
  rebound(world, options.solver, options.slop, h, scratch, report);
  report.joint_error = update_joint_positions(world);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
