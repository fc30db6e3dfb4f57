// How sweep kernels see a problem: the same kernel runs on rows (matrix-free) and on an assembled matrix.
//
// An access gives, for row i: row(i) with lower, upper, diagonal, normal_row, friction; velocity(i, λ_i) = w_i;
// apply(i, δ), which accounts for λ_i += δ in every velocity; coupling(i, j) = A_ij.
#pragma once

#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace achilles {

/// Rows over bodies: velocities are kept per body and no matrix is ever formed [Erleben04, fig. 6.10].
class RowAccess {
 public:
  explicit RowAccess(const RowProblem& problem) : problem_(problem) {}

  [[nodiscard]] std::size_t size() const { return problem_.rows.size(); }
  [[nodiscard]] const Row& row(std::size_t i) const { return problem_.rows[i]; }
  [[nodiscard]] double velocity(std::size_t i, double impulse) const {
    const Row& row = problem_.rows[i];
    return row_velocity(row, problem_.velocities) + row.softness * impulse - row.target;
  }
  void apply(std::size_t i, double delta) { apply_impulse(problem_.rows[i], delta, problem_.velocities); }
  [[nodiscard]] double coupling(std::size_t i, std::size_t j) const {
    return row_coupling(problem_.rows[i], problem_.rows[j]);
  }

 private:
  RowProblem problem_;
};

/// An assembled matrix: w = A λ + b is kept per row, and an impulse adds its column.
class MatrixAccess {
 public:
  MatrixAccess(const MatrixProblem& problem, std::span<double> w) : problem_(&problem), w_(w) {}

  [[nodiscard]] std::size_t size() const { return problem_->rows.size(); }
  [[nodiscard]] const MatrixRow& row(std::size_t i) const { return problem_->rows[i]; }
  [[nodiscard]] double velocity(std::size_t i, double /*impulse*/) const { return w_[i]; }
  void apply(std::size_t i, double delta) {
    using Column = Eigen::SparseMatrix<double>::InnerIterator;
    for (Column it(problem_->A, static_cast<Eigen::Index>(i)); it; ++it) {
      w_[static_cast<std::size_t>(it.row())] += delta * it.value();
    }
  }
  [[nodiscard]] double coupling(std::size_t i, std::size_t j) const {
    return problem_->A.coeff(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }

 private:
  const MatrixProblem* problem_;
  std::span<double> w_;
};

/// `largest = max(largest, value)` that lets a NaN through. (std::min and std::max return their first argument when
/// either is NaN: here and in the sweeps the value that may be NaN comes first.)
inline void keep_largest(double& largest, double value) {
  if (value > largest || value != value) largest = value;
}

/// Radius of the friction disc of the pair that starts at row i.
template <class Access>
[[nodiscard]] double friction_limit(const Access& problem, std::size_t i, std::span<const double> impulses) {
  const auto& row = problem.row(i);
  return row.friction * std::max(impulses[static_cast<std::size_t>(row.normal_row)], 0.0);
}

/// Natural map of box row i, see row_problem.hpp.
template <class Access>
[[nodiscard]] double box_residual(const Access& problem, std::size_t i, double impulse) {
  const auto& row = problem.row(i);
  const double d = row.diagonal > 0 ? row.diagonal : 1.0;
  const double w = problem.velocity(i, impulse);
  return std::abs(std::max(std::min(w, d * (impulse - row.lower)), d * (impulse - row.upper)));
}

/// Natural map of the friction pair (i, i + 1), see row_problem.hpp.
template <class Access>
[[nodiscard]] double pair_residual(const Access& problem, std::size_t i, std::span<const double> impulses) {
  const double largest = std::max(problem.row(i).diagonal, problem.row(i + 1).diagonal);
  const double d = largest > 0 ? largest : 1.0;
  const Vec2 impulse(impulses[i], impulses[i + 1]);
  const Vec2 w(problem.velocity(i, impulse.x()), problem.velocity(i + 1, impulse.y()));
  Vec2 image = impulse - w / d;
  const double limit = friction_limit(problem, i, impulses);
  const double length = image.norm();
  if (length > limit) image *= limit / length;
  return d * (impulse - image).norm();
}

template <class Access>
[[nodiscard]] double natural_map_residual(const Access& problem, std::span<const double> impulses) {
  double largest = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.row(i).normal_row < 0) {
      keep_largest(largest, box_residual(problem, i, impulses[i]));
    } else {
      keep_largest(largest, pair_residual(problem, i, impulses));
      ++i;
    }
  }
  return largest;
}

}  // namespace achilles
