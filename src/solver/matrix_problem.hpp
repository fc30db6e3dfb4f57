// The complementarity problem as a matrix: what direct solvers and Newton see, and what problem files hold.
//
//   w = A λ + b,  A = J M⁻¹ Jᵀ + Σ sparse,  b = J u* − target              [Erleben04, eq. 6.59]
//
// Bounds, friction pairs and the residual mean the same as in row_problem.hpp.
#pragma once

#include "solver/row_problem.hpp"

#include <Eigen/SparseCore>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace achilles {

struct MatrixRow {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double friction = 0;           // µ
  double diagonal = 0;           // A of this row with itself
  std::int32_t normal_row = -1;  // as in Row
};

struct MatrixProblem {
  Eigen::SparseMatrix<double> A;
  Eigen::VectorXd b;
  std::vector<MatrixRow> rows;

  [[nodiscard]] std::size_t size() const { return rows.size(); }
};

/// Scratch of assemble().
struct AssembleWorkspace {
  std::vector<std::uint32_t> bodies;      // those that rows act on, ascending
  std::vector<std::uint32_t> body_start;  // rows of bodies[k] are body_rows[body_start[k] .. body_start[k + 1])
  std::vector<std::uint32_t> body_rows;
  std::vector<std::uint32_t> neighbours;
};

/// Fills `matrix` from rows; `problem.velocities` must be u*. O(rows × rows per body); allocates only while growing.
void assemble(const RowProblem& problem, AssembleWorkspace& scratch, MatrixProblem& matrix);

/// Are all numbers of the problem finite (bounds may be infinite, not NaN)? What a direct solver must know beforehand.
[[nodiscard]] bool is_finite(const MatrixProblem& problem);

/// Natural-map residual; `w` is scratch of the problem's size and holds A λ + b afterwards.
[[nodiscard]] double compute_residual(const MatrixProblem& problem, std::span<const double> impulses,
                                      std::span<double> w);

}  // namespace achilles
