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

// Turns each polygon so that its first corner lies against the sliding velocity.
void align(const MatrixProblem& problem, std::span<const double> w, double tolerance, std::span<double> angle) {
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.rows[i].normal_row < 0) continue;
    if (std::hypot(w[i], w[i + 1]) > tolerance) angle[i] = std::atan2(-w[i + 1], -w[i]);
    ++i;
  }
}

SolveReport solve_once(const MatrixProblem& problem, const LemkeOptions& options, int pivots, LemkeWorkspace& scratch,
                       std::span<double> impulses) {
  linearize(problem, options.facets, scratch.angle, scratch.linearized);
  scratch.z.resize(scratch.linearized.lcp.size());
  SolveReport report = solve_lcp_lemke(scratch.linearized.lcp, pivots, scratch.lcp, scratch.z);
  recover_impulses(problem, scratch.linearized, scratch.z, impulses);
  (void)compute_residual(problem, impulses, scratch.w);
  settle_immovable_pairs(problem, scratch.w, impulses);
  report.residual = compute_residual(problem, impulses, scratch.w);
  report.model_residual = compute_linearized_residual(problem, scratch.linearized, scratch.z, impulses, scratch.w);
  const bool solved = report.model_residual <= options.tolerance;
  if (solved) {
    report.status = SolveStatus::kSolved;
  } else if (report.status == SolveStatus::kSolved) {
    report.status = SolveStatus::kNoSolution;  // rows outside the lcp: free ones that contradict each other
  }
  return report;
}

}  // namespace

SolveReport solve_lemke(const MatrixProblem& problem, const LemkeOptions& options, LemkeWorkspace& scratch,
                        std::span<double> impulses) {
  if (!is_finite(problem)) {
    std::fill(impulses.begin(), impulses.end(), 0.0);
    return {SolveStatus::kNotFinite, 0, std::nan(""), std::nan("")};
  }
  scratch.w.resize(problem.size());
  scratch.angle.assign(problem.size(), 0.0);
  SolveReport best;
  int pivots = 0;
  for (int round = 0; round <= options.alignments; ++round) {
    SolveReport report = solve_once(problem, options, options.iterations - pivots, scratch, impulses);
    pivots += report.iterations;
    if (round == 0 || report.residual < best.residual) {
      best = report;
      scratch.best.assign(impulses.begin(), impulses.end());
    }
    if (!(report.residual > options.tolerance) || report.status != SolveStatus::kSolved) break;
    align(problem, scratch.w, options.tolerance, scratch.angle);
  }
  std::copy(scratch.best.begin(), scratch.best.end(), impulses.begin());
  best.iterations = pivots;
  if (!std::isfinite(best.residual) || !std::isfinite(best.model_residual)) {
    best.status = SolveStatus::kNotFinite;
    std::fill(impulses.begin(), impulses.end(), 0.0);
  }
  return best;
}

}  // namespace achilles
