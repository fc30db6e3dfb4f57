#include "solver/gauss_seidel.hpp"

#include "solver/sweep.hpp"

namespace achilles {
namespace {

// A residual costs about half a sweep, and the estimate of a sweep falls below the tolerance a little before the
// residual does: after a residual that was still too large this many sweeps pass before the next.
constexpr int kSweepsBetweenChecks = 4;

}  // namespace

SolveReport solve_gauss_seidel(const RowProblem& problem, const GaussSeidelOptions& options,
                               std::span<double> impulses) {
  RowAccess access(problem);
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    if (impulses[i] != 0) access.apply(i, impulses[i]);
  }
  SolveReport report;
  int next_check = options.minimum_iterations;
  bool known = false;
  while (report.iterations < options.iterations) {
    const double estimate = sweep_forward(access, options.relaxation, impulses);
    ++report.iterations;
    if (!(estimate <= std::numeric_limits<double>::max())) break;
    if (estimate > options.tolerance || report.iterations < next_check) continue;
    report.residual = natural_map_residual(access, impulses);
    known = report.residual <= options.tolerance;
    if (known) break;
    next_check = report.iterations + kSweepsBetweenChecks;
  }
  if (!known) report.residual = natural_map_residual(access, impulses);
  report.status = report.residual <= options.tolerance ? SolveStatus::kSolved : SolveStatus::kIterationLimit;
  if (!std::isfinite(report.residual)) {
    report.status = SolveStatus::kNotFinite;
    std::fill(impulses.begin(), impulses.end(), 0.0);
  }
  return report;
}

}  // namespace achilles
