// Projected successive over-relaxation.
#pragma once

#include "solver/iterative/units.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

struct SorOptions {
  int iterations = 50;
  int minimum_iterations = 0;
  double tolerance = 1e-9;  // [m/s]
  /// ω in (0, 2), or 0 to estimate it: from the rate ρ at which plain sweeps converge, ω = 2 / (1 + √(1 − ρ)), Young's
  /// optimum for consistently ordered matrices; an ω that turns out slower than a smaller one is given up.
  double relaxation = 0;
  int patience = 0;  // sweeps without improvement after which to stop as kStagnated; 0: never
};

/// Gauss-Seidel with each step ω times as long [Erleben04, fig. 6.5]; same contract as solve_gauss_seidel.
/// Converges for frictionless problems and any fixed ω in (0, 2).
[[nodiscard]] SolveReport solve_sor(const RowProblem& problem, const SorOptions& options, IterativeWorkspace& scratch,
                                    std::span<double> impulses);
[[nodiscard]] SolveReport solve_sor(const MatrixProblem& problem, const SorOptions& options,
                                    IterativeWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
