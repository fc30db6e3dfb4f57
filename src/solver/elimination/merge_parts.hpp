// Constraints on more than two bodies: from rows that share an impulse (row.hpp) to one row of a matrix problem.
//
//   J_c = Σ J_p over the parts p,  so  A_cd = Σ_p Σ_q A_pq,  b_c = Σ_p b_p,  λ_p = λ_c
#pragma once

#include "solver/matrix_problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// Whether some row is a further part of a constraint.
[[nodiscard]] bool has_parts(std::span<const Row> rows);

/// Memory is kept from one problem to the next.
class PartMerge {
 public:
  /// Fills `merged`, one row per constraint, from the problem of all parts. Parts have no friction.
  void merge(std::span<const Row> rows, const MatrixProblem& parts, MatrixProblem& merged);
  /// Impulses of the constraints from those of their first parts, and back.
  void gather(std::span<const double> impulses, std::vector<double>& merged) const;
  void scatter(std::span<const double> merged, std::span<double> impulses) const;

 private:
  std::vector<std::uint32_t> constraint_of_;  // per row
  std::vector<std::uint32_t> first_;          // per constraint, and one past the last
  std::vector<std::uint32_t> pattern_;
  std::vector<std::uint8_t> marked_;
  std::vector<double> column_;
};

}  // namespace achilles
