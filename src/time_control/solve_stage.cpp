#include "time_control/solve_stage.hpp"

#include "time_control/contact_stage.hpp"

namespace achilles {
namespace {

bool is_solved_exactly(const StepWorkspace& scratch, std::size_t group, int exact_rows) {
  const bool has_joints = scratch.joint_rows_start[group] < scratch.joint_rows_start[group + 1];
  return has_joints &&
         scratch.row_start[group + 1] - scratch.row_start[group] <= static_cast<std::uint32_t>(exact_rows);
}

void solve_group(World& world, const GroupSolveOptions& options, StepWorkspace& scratch, std::size_t group) {
  const std::uint32_t first = scratch.row_start[group];
  const std::uint32_t count = scratch.row_start[group + 1] - first;
  const RowProblem problem{std::span<const Row>(scratch.rows).subspan(first, count), world.bodies.velocity,
                           scratch.inverse_mass};
  const std::span<double> impulses = std::span(scratch.impulses).subspan(first, count);
  SolverWorkspace& workspace = scratch.solving[BlockRunner::thread_index() % scratch.solving.size()];
  const SolverOptions exact = NewtonOptions{};
  const bool is_exact = is_solved_exactly(scratch, group, options.exact_rows);
  scratch.solves[group] = solve(problem, is_exact ? exact : options.solver, workspace, impulses);
}

}  // namespace

void solve_groups(World& world, const GroupSolveOptions& options, StepWorkspace& scratch) {
  scratch.mark("rows");
  for_each_group(scratch, [&](std::size_t group) { solve_group(world, options, scratch, group); });
  scratch.mark("solving");
}

}  // namespace achilles
