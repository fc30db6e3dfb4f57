// Newton's method for the true Coulomb cone, quadratically convergent near a solution.
#pragma once

#include "solver/direct/lemke.hpp"
#include "solver/iterative/units.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/newton/smoothed_map.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

struct NewtonOptions {
  int iterations = 100;      // linear systems at most
  double tolerance = 1e-11;  // [m/s]
  int sweeps = 5;            // of Gauss-Seidel over whole contacts before the first step, to find its scale
};

struct NewtonWorkspace {
  SmoothedMap map;
  IterativeWorkspace sweeps;
  LemkeWorkspace lemke;
  std::vector<double> w, trial, best;
};

/// Smoothing Newton, [Chen98]: steps on the natural map with rounded corners (smoothed_map.hpp), a line search on its
/// norm, and a rounding τ that shrinks with the norm, in the end faster than linearly. Where no step length makes
/// progress τ grows again and the best iterate so far is taken up; where that does not help either the solve starts
/// anew: from zero, from a solution by pivots, from what sweeps make of the best iterate. Redundant contacts and joints
/// are no obstacle. `impulses` in is the warm start, out the best iterate. report.iterations counts linear systems;
/// O(A's factorization) each. Where nothing of this leads further (redundant contacts about to slip at speeds near the
/// tolerance) the solve ends early with kStagnated. Allocates only while growing.
[[nodiscard]] SolveReport solve_newton(const MatrixProblem& problem, const NewtonOptions& options,
                                       NewtonWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
