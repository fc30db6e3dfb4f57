#include "solver/direct/lemke.hpp"

#include "solver/access.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

// Pairs that nothing can move still have to point against their velocity, see row_problem.hpp.
void settle_immovable_pairs(const MatrixProblem& problem, std::span<const double> w, std::span<double> impulses) {
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const MatrixRow& row = problem.rows[i];
    if (row.normal_row < 0) continue;
    if (row.diagonal <= 0 && problem.rows[i + 1].diagonal <= 0) {
      const double limit = row.friction * std::max(impulses[static_cast<std::size_t>(row.normal_row)], 0.0);
      const double speed = std::hypot(w[i], w[i + 1]);
      for (std::size_t k = i; k < i + 2; ++k) impulses[k] = speed > 0 ? -limit / speed * w[k] : 0.0;
    }
    ++i;
  }
}

}  // namespace

SolveReport solve_lemke(const MatrixProblem& problem, const LemkeOptions& options, LemkeWorkspace& scratch,
                        std::span<double> impulses) {
  if (!is_finite(problem)) {
    std::fill(impulses.begin(), impulses.end(), 0.0);
    return {SolveStatus::kNotFinite, 0, std::nan(""), std::nan("")};
  }
  scratch.w.resize(problem.size());
  linearize(problem, options.facets, scratch.linearized);
  scratch.z.resize(scratch.linearized.lcp.size());
  SolveReport report = solve_lcp_lemke(scratch.linearized.lcp, options.iterations, scratch.lcp, scratch.z);
  const double rounding = report.residual * scratch.linearized.unit;
  recover_impulses(problem, scratch.linearized, scratch.z, impulses);
  (void)compute_residual(problem, impulses, scratch.w);
  settle_immovable_pairs(problem, scratch.w, impulses);
  report.residual = compute_residual(problem, impulses, scratch.w);
  report.model_residual = compute_linearized_residual(problem, scratch.linearized, scratch.z, impulses, scratch.w);
  if (report.model_residual <= options.tolerance) {
    report.status = SolveStatus::kSolved;
  } else if (report.status == SolveStatus::kSolved) {
    // Rows outside the lcp: free ones that contradict each other.
    report.status = rounding > options.tolerance ? SolveStatus::kStagnated : SolveStatus::kNoSolution;
  }
  return report;
}

}  // namespace achilles
