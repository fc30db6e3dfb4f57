// Projected Gauss-Seidel: the workhorse. Matrix-free on rows.
#pragma once

#include "solver/iterative/units.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

struct GaussSeidelOptions {
  int iterations = 50;          // sweeps at most
  int minimum_iterations = 0;   // sweeps at least, so that a warm start is always improved upon
  double tolerance = 1e-9;      // [m/s] stop once the residual is at or below it
  double relaxation = 1;        // ω in (0, 2); 1 is Gauss-Seidel proper
  bool block_contacts = false;  // solve each contact exactly for its three impulses at once
  SweepOrder order = SweepOrder::kForward;
  std::uint64_t seed = 1;  // of kShuffled
  int patience = 0;        // sweeps without improvement after which to stop as kStagnated; 0: never
};

/// Sweeps the rows, each solved for its own impulse with the others held [Erleben04, fig. 6.10]; friction pairs as one
/// 2-vector projected on their disc. `impulses` in is the warm start, out the last iterate; `problem.velocities` in is
/// u*, out u* + M⁻¹ Jᵀ λ. O(rows) per sweep. kNotFinite: impulses are set to zero and velocities mean
/// nothing. Without scratch it allocates its own.
[[nodiscard]] SolveReport solve_gauss_seidel(const RowProblem& problem, const GaussSeidelOptions& options,
                                             std::span<double> impulses);

/// The same with scratch to reuse: allocates only while growing.
[[nodiscard]] SolveReport solve_gauss_seidel(const RowProblem& problem, const GaussSeidelOptions& options,
                                             IterativeWorkspace& scratch, std::span<double> impulses);

/// The same on an assembled problem.
[[nodiscard]] SolveReport solve_gauss_seidel(const MatrixProblem& problem, const GaussSeidelOptions& options,
                                             IterativeWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
