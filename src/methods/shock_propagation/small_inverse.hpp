// The inverse of a small symmetric positive definite matrix.
#pragma once

#include <Eigen/Core>

namespace achilles {

/// A ← A⁻¹ by Gauss-Jordan elimination on the diagonal, which needs no exchange of rows for such matrices.
template <class Matrix>
void invert_positive(Matrix& A) {
  const Eigen::Index n = A.rows();
  for (Eigen::Index p = 0; p < n; ++p) {
    const double pivot = 1 / A(p, p);
    A(p, p) = 1;
    for (Eigen::Index i = 0; i < n; ++i) A(i, p) *= pivot;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (j == p) continue;
      const double factor = A(p, j);
      A(p, j) = 0;
      for (Eigen::Index i = 0; i < n; ++i) A(i, j) -= factor * A(i, p);
    }
  }
}

}  // namespace achilles
