// Lemke's algorithm on contact problems, friction discs replaced by polygons.
#pragma once

#include "solver/direct/linearize.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

struct LemkeOptions {
  int iterations = 20000;   // pivots at most
  double tolerance = 1e-9;  // [m/s] largest natural map entry that counts as solved
  int facets = 8;           // corners of the polygon inscribed in each friction disc, at least 3
};

struct LemkeWorkspace {
  Linearized linearized;
  LcpWorkspace lcp;
  std::vector<double> z, w;
};

/// Solves the linearized problem of linearize.hpp by lcp.hpp. Exact in finitely many pivots, whatever the mass ratios
/// and however redundant the rows; the price is O(n³) time and dense memory. `impulses` in is not used: a pivoting
/// method has no warm start.
///
/// report.model_residual is of the polygons, report.residual of the discs. Status as in solve_lcp_lemke.
[[nodiscard]] SolveReport solve_lemke(const MatrixProblem& problem, const LemkeOptions& options,
                                      LemkeWorkspace& scratch, std::span<double> impulses);

}  // namespace achilles
