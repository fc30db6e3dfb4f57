#include "solver/iterative/residual_history.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

void ResidualHistory::start(std::size_t size, int memory) {
  size_ = static_cast<Eigen::Index>(size);
  memory_ = memory;
  if (dy_.rows() < size_ || dy_.cols() < memory_) {
    const Eigen::Index rows = std::max(2 * dy_.rows(), size_);
    for (Eigen::MatrixXd* matrix : {&dy_, &dg_}) matrix->resize(rows, memory_);
    for (Eigen::VectorXd* vector : {&last_y_, &last_g_, &step_}) vector->resize(rows);
    for (Eigen::MatrixXd* matrix : {&gram_, &factor_}) matrix->resize(memory_, memory_);
    for (Eigen::VectorXd* vector : {&rhs_, &gamma_}) vector->resize(memory_);
  }
  gram_.setZero();
  next_ = 0;
  forget();
}

bool ResidualHistory::record(std::span<const double> y, std::span<const double> g, std::span<const double> weight) {
  if (has_last_) add_difference(y, g, weight);
  for (Eigen::Index i = 0; i < size_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    last_y_[i] = y[k];
    last_g_[i] = std::sqrt(weight[k]) * g[k];
  }
  has_last_ = true;
  if (count_ == 0 || !solve()) return false;
  step_.head(size_).noalias() = -dy_.topLeftCorner(size_, count_) * gamma_.head(count_);
  return true;
}

void ResidualHistory::add_difference(std::span<const double> y, std::span<const double> g,
                                     std::span<const double> weight) {
  if (count_ == 0) next_ = 0;
  for (Eigen::Index i = 0; i < size_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    dy_(i, next_) = y[k] - last_y_[i];
    dg_(i, next_) = std::sqrt(weight[k]) * g[k] - last_g_[i];
  }
  count_ = std::min(count_ + 1, memory_);
  for (Eigen::Index k = 0; k < count_; ++k) {
    gram_(k, next_) = gram_(next_, k) = dg_.col(k).head(size_).dot(dg_.col(next_).head(size_));
  }
  next_ = (next_ + 1) % memory_;
}

// Cholesky of the Gram matrix scaled to unit diagonal. Steps that the others already span to half the digits (its
// square root of rounding) are left out: what they would add is noise.
bool ResidualHistory::solve() {
  constexpr double kIndependent = 1e-13;
  rhs_.head(count_).noalias() = dg_.topLeftCorner(size_, count_).transpose() * last_g_.head(size_);
  bool any = false;
  for (Eigen::Index k = 0; k < count_; ++k) {
    const double norm = std::sqrt(gram_(k, k));
    for (Eigen::Index j = 0; j < k; ++j) {
      double sum = norm > 0 && gram_(j, j) > 0 ? gram_(k, j) / (norm * std::sqrt(gram_(j, j))) : 0;
      for (Eigen::Index i = 0; i < j; ++i) sum -= factor_(k, i) * factor_(j, i);
      factor_(k, j) = factor_(j, j) > 0 ? sum / factor_(j, j) : 0;
    }
    double pivot = norm > 0 ? 1 : 0;
    for (Eigen::Index i = 0; i < k; ++i) pivot -= factor_(k, i) * factor_(k, i);
    factor_(k, k) = pivot > kIndependent ? std::sqrt(pivot) : 0;
    any = any || factor_(k, k) > 0;
  }
  if (!any) return false;
  for (Eigen::Index k = 0; k < count_; ++k) {
    double sum = factor_(k, k) > 0 ? rhs_[k] / std::sqrt(gram_(k, k)) : 0;
    for (Eigen::Index i = 0; i < k; ++i) sum -= factor_(k, i) * gamma_[i];
    gamma_[k] = factor_(k, k) > 0 ? sum / factor_(k, k) : 0;
  }
  for (Eigen::Index k = count_ - 1; k >= 0; --k) {
    double sum = gamma_[k];
    for (Eigen::Index i = k + 1; i < count_; ++i) sum -= factor_(i, k) * gamma_[i];
    gamma_[k] = factor_(k, k) > 0 ? sum / factor_(k, k) : 0;
  }
  for (Eigen::Index k = 0; k < count_; ++k) gamma_[k] = gram_(k, k) > 0 ? gamma_[k] / std::sqrt(gram_(k, k)) : 0;
  return gamma_.head(count_).allFinite();
}

}  // namespace achilles
