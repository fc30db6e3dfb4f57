// The loop all iterative solvers share: warm start, sweeps, when to look at the residual, what to report.
#pragma once

#include "solver/access.hpp"
#include "solver/iterative/units.hpp"
#include "solver/solve_report.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace achilles {

struct StopRule {
  int iterations = 0;
  int minimum_iterations = 0;
  double tolerance = 0;  // [m/s]
  int patience = 0;      // sweeps without improvement before giving up; 0: no limit
};

/// Adds the effect of the warm start to the velocities.
template <class Access>
void apply_warm_start(Access& problem, std::span<const double> impulses) {
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    if (impulses[i] != 0) problem.apply(i, impulses[i]);
  }
}

/// Runs a solver on rows, packed where their inverse masses are known, with the warm start in their velocities.
template <class Run>
SolveReport with_rows(const RowProblem& problem, IterativeWorkspace& scratch, std::span<const double> impulses,
                      Run&& run) {
  if (problem.inverse_mass.empty()) {
    RowAccess access(problem);
    apply_warm_start(access, impulses);
    return run(access);
  }
  scratch.packed.pack(problem);
  PackedAccess access(scratch.packed);
  apply_warm_start(access, impulses);
  const SolveReport report = run(access);
  scratch.packed.unpack(problem);
  return report;
}

/// Velocities w = A λ + b of an assembled problem, into scratch.
inline MatrixAccess warm_access(const MatrixProblem& problem, std::span<const double> impulses,
                                IterativeWorkspace& scratch) {
  scratch.w.assign(problem.b.data(), problem.b.data() + problem.b.size());
  MatrixAccess access(problem, scratch.w);
  apply_warm_start(access, impulses);
  return access;
}

/// Repeats `sweep()`, which returns its own estimate of the residual, until the residual is at or below the tolerance.
template <class Access, class Sweep>
SolveReport iterate(const Access& problem, const StopRule& stop, std::span<double> impulses, Sweep&& sweep) {
  // A residual costs about half a sweep, and the estimate of a sweep can fall below the tolerance before the residual
  // does: after a residual that was still too large this many sweeps pass before the next.
  constexpr int kSweepsBetweenChecks = 4;
  // An estimate that is not at least this much smaller than the best is no improvement.
  constexpr double kImprovement = 0.99;
  SolveReport report;
  double best = std::numeric_limits<double>::infinity();
  int best_at = 0;
  bool stagnated = false;
  int next_check = stop.minimum_iterations;
  bool solved = false;
  while (report.iterations < stop.iterations && !solved) {
    const double estimate = sweep();
    ++report.iterations;
    if (!(estimate <= std::numeric_limits<double>::max())) break;
    if (estimate < kImprovement * best) best = estimate, best_at = report.iterations;
    if (stop.patience > 0 && report.iterations - best_at >= stop.patience) {
      stagnated = true;
      break;
    }
    if (estimate > stop.tolerance || report.iterations < next_check) continue;
    report.residual = natural_map_residual(problem, impulses);
    solved = report.residual <= stop.tolerance;
    next_check = report.iterations + kSweepsBetweenChecks;
  }
  if (!solved) report.residual = natural_map_residual(problem, impulses);
  report.status = report.residual <= stop.tolerance ? SolveStatus::kSolved
                  : stagnated                       ? SolveStatus::kStagnated
                                                    : SolveStatus::kIterationLimit;
  report.model_residual = report.residual;
  if (!std::isfinite(report.residual)) {
    report.status = SolveStatus::kNotFinite;
    std::fill(impulses.begin(), impulses.end(), 0.0);
  }
  return report;
}

}  // namespace achilles
