// Nonsmooth conjugate directions on the fixed point of a Gauss-Seidel sweep, [Silcowitz10].
#pragma once

#include "solver/iterative/units.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

struct NonsmoothCgOptions {
  int iterations = 200;  // sweeps at most
  int minimum_iterations = 0;
  double tolerance = 1e-9;      // [m/s]
  int memory = 10;              // directions kept; 0 is the method of [Silcowitz10] itself
  bool block_contacts = false;  // sweeps solve each contact exactly for its three impulses
  int patience = 0;             // sweeps without improvement after which to stop as kStagnated; 0: never
};

/// A sweep takes λ to G(λ); its change g = G(λ) − λ stands for the negative gradient of a function whose minimum is the
/// solution. One sweep per iteration, so little more than the price of Gauss-Seidel, but superlinear once the active
/// set settles.
///   memory = 0: Fletcher-Reeves, p ← β p + g with β = ‖g‖² / ‖g_before‖²; the next sweep starts at G(λ) + β p; β > 1
///               (the active set changed) restarts.
///   memory = m: the next sweep starts where a linear model through the last m steps has the smallest g (conjugate
///   residuals
///               over m directions, residual_history.hpp); a sweep that ends twice as far off as the best restarts.
/// Differs from [Silcowitz10]: ‖·‖ is weighted by the diagonal of A, as rows may have different units; the reported
/// iterate is G(λ), which obeys all bounds, never the extrapolated one. Same contract as solve_gauss_seidel.
[[nodiscard]] SolveReport solve_nonsmooth_cg(const RowProblem& problem, const NonsmoothCgOptions& options,
                                             IterativeWorkspace& scratch, std::span<double> impulses);
[[nodiscard]] SolveReport solve_nonsmooth_cg(const MatrixProblem& problem, const NonsmoothCgOptions& options,
                                             IterativeWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
