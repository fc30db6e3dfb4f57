// Dantzig's algorithm on contact problems: friction as boxes whose limits follow the normal impulses.
#pragma once

#include "solver/direct/box_lcp.hpp"
#include "solver/direct/linearize.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/solve_report.hpp"

#include <vector>

namespace achilles {

struct DantzigOptions {
  int iterations = 20000;   // pivots at most, over all rounds
  double tolerance = 1e-9;  // [m/s] largest natural map entry that counts as solved
  int rounds = 8;           // box problems at most: friction limits are updated in between
};

struct DantzigWorkspace {
  BoxLcp box;
  BoxWorkspace pivots;
  DenseLu lu;
  std::vector<double> scale;  // √A_ii is one in the box problem: λ = scale · x
  std::vector<double> limit;  // half width of the box of each friction row, [N s]
  std::vector<double> trial;  // impulses of the active set solved afresh
  std::vector<double> rhs, x, w, best;
  std::vector<std::uint32_t> inside;
  Linearized linearized;  // the boxes as one lcp, where their limits do not settle
  LcpWorkspace lcp;
  std::vector<double> z;
};

/// Solves box problems by box_lcp.hpp with friction limits µ λ_n of the round before, the first from `impulses` if that
/// is not zero, else from the frictionless problem. After every round the active set is solved with limits that move
/// with λ_n: once the set is right this is exact, so that a few rounds suffice; without that the limits converge
/// linearly. Limits that two contacts hand to each other in turn may not settle at all: after the last round the boxes
/// with limits µ λ_n are solved as one lcp by lcp.hpp. Out the best iterate. report.model_residual is of the boxes,
/// which are up to √2 too strong between the tangents, report.residual of the discs.
/// kIterationLimit: out of pivots, or neither way came below the tolerance; other states as in solve_box_lcp.
[[nodiscard]] SolveReport solve_dantzig(const MatrixProblem& problem, const DantzigOptions& options,
                                        DantzigWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
