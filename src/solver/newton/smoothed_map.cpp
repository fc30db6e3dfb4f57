#include "solver/newton/smoothed_map.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::uint32_t kNoPair = std::numeric_limits<std::uint32_t>::max();

// σ and its slope. The value is written without cancellation for x < 0: ½ (x + s) = 2 τ² / (s − x).
struct SmoothMax {
  double value, slope;
};

SmoothMax smooth_max(double x, double tau) {
  const double s = std::sqrt(x * x + 4 * tau * tau);
  if (s == 0) return {0, 0.5};
  return {x >= 0 ? 0.5 * (x + s) : 2 * tau * tau / (s - x), 0.5 * (1 + x / s)};
}

}  // namespace

void SmoothedMap::start(const MatrixProblem& problem) {
  problem_ = &problem;
  is_ordered_ = false;
  const std::size_t n = problem.size();
  scale_.resize(n);
  value_.assign(n, 0.0);
  slope_.assign(n, 0.0);
  column_.assign(n, 0.0);
  pairs_.resize(n);
  pair_of_.assign(n, kNoPair);
  dependent_start_.assign(n + 2, 0);
  largest_scale_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const MatrixRow& row = problem.rows[i];
    scale_[i] = row.diagonal > 0 ? row.diagonal : 1.0;
    if (row.normal_row >= 0) {
      const double largest = std::max(row.diagonal, problem.rows[i + 1].diagonal);
      scale_[i] = scale_[i + 1] = largest > 0 ? largest : 1.0;
      pair_of_[i] = pair_of_[i + 1] = static_cast<std::uint32_t>(i);
      ++dependent_start_[static_cast<std::size_t>(row.normal_row) + 2];
      ++i;
    }
    largest_scale_ = std::max(largest_scale_, scale_[i]);
  }
  for (std::size_t k = 2; k < n + 2; ++k) dependent_start_[k] += dependent_start_[k - 1];
  dependents_.resize(dependent_start_.back());
  for (std::size_t i = 0; i < n; ++i) {
    if (pair_of_[i] != i) continue;
    dependents_[dependent_start_[static_cast<std::size_t>(problem.rows[i].normal_row) + 1]++] =
        static_cast<std::uint32_t>(i);
  }
}

void SmoothedMap::evaluate(std::span<const double> impulses, std::span<const double> w, double tau) {
  const std::size_t n = problem_->size();
  for (std::size_t i = 0; i < n; ++i) {
    if (pair_of_[i] != kNoPair) continue;
    const MatrixRow& row = problem_->rows[i];
    const double z = impulses[i] - w[i] / scale_[i];
    const double t = tau / std::sqrt(scale_[i]);
    value_[i] = z;
    slope_[i] = 1;
    if (std::isfinite(row.lower)) {
      const SmoothMax rise = smooth_max(z - row.lower, t);
      value_[i] = row.lower + rise.value;
      slope_[i] = rise.slope;
    }
    if (std::isfinite(row.upper)) {
      const SmoothMax rise = smooth_max(z - row.upper, t);
      value_[i] -= rise.value;
      slope_[i] -= rise.slope;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (pair_of_[i] != i) continue;
    const Vec2 z(impulses[i] - w[i] / scale_[i], impulses[i + 1] - w[i + 1] / scale_[i]);
    pairs_[i] = evaluate_pair(i, z, tau / std::sqrt(scale_[i]));
  }
}

SmoothedMap::Pair SmoothedMap::evaluate_pair(std::size_t i, const Vec2& z, double tau) const {
  Pair pair;
  pair.slope_t.setZero();
  const MatrixRow& row = problem_->rows[i];
  const auto normal = static_cast<std::size_t>(row.normal_row);
  const double radius = row.friction * value_[normal];
  const double length = z.norm();
  const SmoothMax excess = smooth_max(length - radius, tau);
  const double m = radius + excess.value;
  if (!(radius > 0) || !(m > 0)) return pair;
  pair.value = radius / m * z;
  // ∂m/∂‖z‖ = σ', ∂m/∂R = 1 − σ'.
  pair.slope_t = radius / m * Eigen::Matrix2d::Identity();
  if (length > 0) pair.slope_t -= radius * excess.slope / (m * m * length) * z * z.transpose();
  pair.slope_n = row.friction * slope_[normal] * (m - radius * (1 - excess.slope)) / (m * m) * z;
  return pair;
}

double SmoothedMap::norm(std::span<const double> impulses, std::span<const double> w, double tau) {
  evaluate(impulses, w, tau);
  double sum = 0;
  for (std::size_t i = 0; i < problem_->size(); ++i) {
    if (pair_of_[i] == kNoPair) {
      const double entry = impulses[i] - value_[i];
      sum += scale_[i] * entry * entry;
    } else if (pair_of_[i] == i) {
      sum += scale_[i] * (Vec2(impulses[i], impulses[i + 1]) - pairs_[i].value).squaredNorm();
    }
  }
  return std::sqrt(sum);
}

bool SmoothedMap::solve(std::span<const double> impulses, std::span<const double> w, double tau) {
  evaluate(impulses, w, tau);
  build();
  rhs_.resize(static_cast<Eigen::Index>(problem_->size()));
  for (std::size_t i = 0; i < problem_->size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    if (pair_of_[i] == kNoPair) {
      rhs_[at] = scale_[i] * (value_[i] - impulses[i]);
    } else if (pair_of_[i] == i) {
      rhs_.segment<2>(at) = scale_[i] * (pairs_[i].value - Vec2(impulses[i], impulses[i + 1]));
    }
  }
  return factor_and_solve();
}

void SmoothedMap::build() {
  const auto size = static_cast<Eigen::Index>(problem_->size());
  K_.resize(size, size);
  for (std::size_t j = 0; j < problem_->size(); ++j) {
    K_.startVec(static_cast<Eigen::Index>(j));
    build_column(j);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    // Zeros are kept: the places of K's entries depend on A alone, and are ordered once.
    for (const std::uint32_t row : touched_) {
      K_.insertBack(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(j)) = column_[row];
      column_[row] = 0;
    }
  }
  K_.finalize();
}

// Column j of D (I − P' + P' D⁻¹ A).
void SmoothedMap::build_column(std::size_t j) {
  // Of the diagonal: where a joint is given twice A itself is singular and P' = 1; this picks the smallest of the
  // impulses that do the same, and slows convergence only where A's eigenvalues are as small.
  constexpr double kRegularization = 1e-10;
  touched_.clear();
  const auto add = [&](std::size_t row, double value) {
    if (column_[row] == 0) touched_.push_back(static_cast<std::uint32_t>(row));
    column_[row] += value;
  };
  const auto add_pair = [&](std::size_t first, const Vec2& value) {
    add(first, value.x());
    add(first + 1, value.y());
  };
  // P' D⁻¹ A, entry by entry of A's column; a normal row also acts on the discs that lean on it.
  using Column = Eigen::SparseMatrix<double>::InnerIterator;
  const auto add_response = [&](std::size_t i, double a) {
    if (pair_of_[i] != kNoPair) {
      const std::size_t first = pair_of_[i];
      add_pair(first, a * pairs_[first].slope_t.col(i == first ? 0 : 1));
      return;
    }
    add(i, slope_[i] * a);
    for (std::size_t k = dependent_start_[i]; k < dependent_start_[i + 1]; ++k) {
      const std::size_t first = dependents_[k];
      add_pair(first, scale_[first] / scale_[i] * a * pairs_[first].slope_n);
    }
  };
  for (Column it(problem_->A, static_cast<Eigen::Index>(j)); it; ++it) {
    add_response(static_cast<std::size_t>(it.row()), it.value());
  }
  add(j, (1 + kRegularization) * scale_[j]);
  add_response(j, -scale_[j]);
}

bool SmoothedMap::factor_and_solve() {
  constexpr Eigen::Index kDense = 100;  // below, a dense factorization is faster than ordering a sparse one
  if (K_.rows() <= kDense) {
    dense_ = K_;
    dense_factor_.compute(dense_);
    solution_ = dense_factor_.solve(rhs_);
  } else {
    if (!is_ordered_) sparse_factor_.analyzePattern(K_);
    is_ordered_ = true;
    sparse_factor_.factorize(K_);
    if (sparse_factor_.info() != Eigen::Success) return false;
    solution_ = sparse_factor_.solve(rhs_);
  }
  return solution_.allFinite();
}

}  // namespace achilles
