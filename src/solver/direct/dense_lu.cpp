#include "solver/direct/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace achilles {

void DenseLu::resize(std::size_t n) {
  size_ = n;
  matrix_.assign(n * n, 0.0);
}

bool DenseLu::factor() {
  constexpr double kSingular = 1e-14;
  copy_.assign(matrix_.begin(), matrix_.end());
  order_.resize(size_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  double largest = 0;
  for (const double entry : matrix_) largest = std::max(largest, std::abs(entry));
  DenseLu& K = *this;
  for (std::size_t k = 0; k < size_; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < size_; ++i) {
      if (std::abs(K(i, k)) > std::abs(K(best, k))) best = i;
    }
    if (!(std::abs(K(best, k)) > kSingular * largest)) return false;
    if (best != k) {
      std::swap_ranges(&K(k, 0), &K(k, 0) + size_, &K(best, 0));
      std::swap(order_[k], order_[best]);
    }
    for (std::size_t i = k + 1; i < size_; ++i) {
      if (K(i, k) == 0) continue;
      const double factor = K(i, k) /= K(k, k);
      for (std::size_t j = k + 1; j < size_; ++j) K(i, j) -= factor * K(k, j);
    }
  }
  return true;
}

void DenseLu::substitute(std::span<double> x) {
  DenseLu& K = *this;
  rhs_.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) rhs_[i] = x[order_[i]];
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < i; ++j) rhs_[i] -= K(i, j) * rhs_[j];
  }
  for (std::size_t i = size_; i-- > 0;) {
    for (std::size_t j = i + 1; j < size_; ++j) rhs_[i] -= K(i, j) * rhs_[j];
    rhs_[i] /= K(i, i);
  }
  std::copy(rhs_.begin(), rhs_.end(), x.begin());
}

void DenseLu::solve(std::span<double> x) {
  correction_.assign(x.begin(), x.end());
  substitute(x);
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) correction_[i] -= copy_[i * size_ + j] * x[j];
  }
  substitute(correction_);
  for (std::size_t i = 0; i < size_; ++i) x[i] += correction_[i];
}

}  // namespace achilles
