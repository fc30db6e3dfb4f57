#include "methods/impulse/two_lcps.hpp"

#include "math/refill.hpp"
#include "stepping/touch_stage.hpp"

#include <algorithm>

namespace achilles {

void resolve_by_two_lcps(World& world, const SolverOptions& solver, TwoLcpsWorkspace& decompression,
                         StepWorkspace& scratch, StepReport& report) {
  const auto solve_phase = [&](std::span<const Row> rows, std::span<double> impulses) {
    const SolveReport phase = solve({rows, world.bodies.velocity}, solver, scratch.solving.front(), impulses);
    report.iterations = std::max(report.iterations, phase.iterations);
    report.residual = std::max(report.residual, phase.residual);
  };
  refill(scratch.impulses, scratch.rows.size(), 0.0);
  solve_phase(scratch.rows, scratch.impulses);

  std::vector<Row>& rows = decompression.rows;
  std::vector<double>& impulses = decompression.impulses;
  copy_to(scratch.rows, rows);
  refill(impulses, rows.size(), 0.0);
  for (const std::uint32_t normal : scratch.rows_of_point) {
    rows[normal].lower = scratch.touch.restitution[normal] * std::max(0.0, scratch.impulses[normal]);
    impulses[normal] = rows[normal].lower;
  }
  solve_phase(rows, impulses);
  for (std::size_t i = 0; i < rows.size(); ++i) scratch.impulses[i] += impulses[i];
  ++report.impacts;
  record_touch_impulses(scratch);
}

}  // namespace achilles
