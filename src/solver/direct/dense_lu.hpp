// Gaussian elimination with partial pivoting that keeps its memory from one system to the next.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace achilles {

class DenseLu {
 public:
  /// A zero matrix to fill, n × n.
  void resize(std::size_t n);
  [[nodiscard]] double& operator()(std::size_t i, std::size_t j) { return matrix_[i * size_ + j]; }
  /// Keeps a copy of the matrix and factors it. False if a pivot is below 1e-14 of the largest entry: then solve() must
  /// not be called. O(n³).
  [[nodiscard]] bool factor();
  /// x ← K⁻¹ x, then one step of iterative refinement with the copy. O(n²).
  void solve(std::span<double> x);

 private:
  void substitute(std::span<double> x);

  std::size_t size_ = 0;
  std::vector<double> matrix_, copy_, rhs_, correction_;
  std::vector<std::size_t> order_;  // row of the matrix that stands at place i
};

}  // namespace achilles
