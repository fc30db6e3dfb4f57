// Projected Jacobi with steps short enough to converge: every row moves at once, from the same velocities.
#pragma once

#include "solver/iterative/units.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

struct JacobiOptions {
  int iterations = 500;
  int minimum_iterations = 0;
  double tolerance = 1e-9;  // [m/s]
  double relaxation = 1;    // in (0, 2), of the step that is known to converge
  int patience = 0;         // sweeps without improvement after which to stop as kStagnated; 0: never
};

/// λ ← P(λ − ω w / d') with d' such that A ≤ diag(d'): a body's mass is split over the n rows that act on it,
///
///   λᵀ A λ = Σ_bodies ‖ M^-½ Σ_i J_iᵀ λ_i ‖² ≤ Σ_bodies n Σ_i λ_i² J_i M⁻¹ J_iᵀ = λᵀ diag(d') λ
///
/// (for a matrix, d' are its absolute row sums). The iteration is then a projected gradient with a step below 2 / L: it
/// converges for frictionless problems, where Jacobi with A's own diagonal diverges as soon as three bodies stack up.
/// Same contract as solve_gauss_seidel; order-independent.
[[nodiscard]] SolveReport solve_jacobi(const RowProblem& problem, const JacobiOptions& options,
                                       IterativeWorkspace& scratch, std::span<double> impulses);
[[nodiscard]] SolveReport solve_jacobi(const MatrixProblem& problem, const JacobiOptions& options,
                                       IterativeWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
