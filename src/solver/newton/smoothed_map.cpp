#include "solver/newton/smoothed_map.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

// Of the diagonal: where a joint is given twice A itself is singular and P' = 1; this picks the smallest of the
// impulses that do the same, and slows convergence only where A's eigenvalues are as small.
constexpr double kRegularization = 1e-10;

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

// Rows that belong together: a contact's normal row with its friction, and neighbours that couple with the same rows,
// as those of a joint do.
void SmoothedMap::list_blocks() {
  const auto n = static_cast<std::uint32_t>(problem_->size());
  const Eigen::SparseMatrix<double>& A = problem_->A;
  const auto is_contact = [&](std::uint32_t i) {
    return pair_of_[i] != kNoPair || dependent_start_[i] < dependent_start_[i + 1];
  };
  const auto same_pattern = [&](std::uint32_t i, std::uint32_t j) {
    const auto *const start = A.outerIndexPtr(), *const rows = A.innerIndexPtr();
    return std::equal(rows + start[i], rows + start[i + 1], rows + start[j], rows + start[j + 1]);
  };
  first_row_.clear();
  for (std::uint32_t i = 0; i < n; ++i) {
    bool joins = false;
    if (pair_of_[i] != kNoPair) {
      const bool after_normal =
          i > 0 && problem_->rows[i].normal_row == static_cast<std::int32_t>(i) - 1 && pair_of_[i - 1] == kNoPair;
      joins = pair_of_[i] != i || after_normal;
    } else if (i > 0 && !is_contact(i) && !is_contact(i - 1)) {
      joins = i - first_row_.back() < BlockLu::kLargest && same_pattern(i - 1, i);
    }
    if (!joins) first_row_.push_back(i);
  }
  first_row_.push_back(n);
}

// Places of K's entries: those of A, and where a normal row is, the friction that leans on it too.
void SmoothedMap::order_blocks() {
  list_blocks();
  block_of_.resize(problem_->size());
  for (std::uint32_t k = 0; k + 1 < first_row_.size(); ++k) {
    std::fill(block_of_.begin() + first_row_[k], block_of_.begin() + first_row_[k + 1], k);
  }
  couplings_.clear();
  using Column = Eigen::SparseMatrix<double>::InnerIterator;
  for (std::size_t j = 0; j < problem_->size(); ++j) {
    const auto couple = [&](std::size_t i) {
      const std::pair one(block_of_[i], block_of_[j]);
      if (one.first != one.second && (couplings_.empty() || couplings_.back() != one)) couplings_.push_back(one);
    };
    const auto couple_all = [&](std::size_t i) {
      couple(i);
      for (std::size_t k = dependent_start_[i]; k < dependent_start_[i + 1]; ++k) couple(dependents_[k]);
    };
    for (Column it(problem_->A, static_cast<Eigen::Index>(j)); it; ++it) couple_all(static_cast<std::size_t>(it.row()));
    couple_all(j);
  }
  lu_.analyze(first_row_, couplings_);
  is_ordered_ = true;
}

// Column j of D (I − P' + P' D⁻¹ A).
void SmoothedMap::build_column(std::size_t j) {
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
  // Rows up to which a dense factorization with all its pivots is as fast. Both factor the same matrix, so that the
  // solutions differ by rounding alone.
  constexpr std::size_t kDense = 60;
  const std::size_t n = problem_->size();
  return n <= kDense ? solve_dense() : solve_blocks();
}

bool SmoothedMap::solve_dense() {
  const auto n = static_cast<Eigen::Index>(problem_->size());
  dense_.setZero(n, n);
  for (std::size_t j = 0; j < problem_->size(); ++j) {
    build_column(j);
    for (const std::uint32_t i : touched_) {
      dense_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += column_[i];
      column_[i] = 0;
    }
  }
  dense_factor_.compute(dense_);
  solution_ = dense_factor_.solve(rhs_);
  return solution_.allFinite();
}

bool SmoothedMap::solve_blocks() {
  constexpr int kRefinements = 2;
  if (!is_ordered_) order_blocks();
  lu_.clear();
  for (std::size_t j = 0; j < problem_->size(); ++j) {
    build_column(j);
    for (const std::uint32_t i : touched_) {
      if (column_[i] != 0) lu_.at(i, static_cast<std::uint32_t>(j)) += column_[i];
      column_[i] = 0;
    }
  }
  if (!lu_.factor()) return false;
  solution_ = rhs_;
  lu_.solve({solution_.data(), problem_->size()});
  // Pivots that were not free to choose cost digits where contacts are redundant.
  for (int k = 0; k < kRefinements; ++k) {
    apply(solution_, rest_);
    rest_ = rhs_ - rest_;
    lu_.solve({rest_.data(), problem_->size()});
    solution_ += rest_;
  }
  return solution_.allFinite();
}

// out = K x = D (x − P' (x − D⁻¹ A x)), with the regularization of build_column.
void SmoothedMap::apply(const Eigen::VectorXd& x, Eigen::VectorXd& out) {
  out.noalias() = problem_->A * x;
  for (std::size_t i = 0; i < problem_->size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    out[at] = x[at] - out[at] / scale_[i];  // the change of z
  }
  for (std::size_t i = 0; i < problem_->size(); ++i) {
    if (pair_of_[i] != i) continue;
    const auto at = static_cast<Eigen::Index>(i);
    const Vec2 change =
        pairs_[i].slope_t * Vec2(out.segment<2>(at)) + pairs_[i].slope_n * out[problem_->rows[i].normal_row];
    out.segment<2>(at) = scale_[i] * ((1 + kRegularization) * x.segment<2>(at) - change);
  }
  for (std::size_t i = 0; i < problem_->size(); ++i) {
    if (pair_of_[i] != kNoPair) continue;
    const auto at = static_cast<Eigen::Index>(i);
    out[at] = scale_[i] * ((1 + kRegularization) * x[at] - slope_[i] * out[at]);
  }
}

}  // namespace achilles
