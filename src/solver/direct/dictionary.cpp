#include "solver/direct/dictionary.hpp"

#include <algorithm>
#include <utility>

namespace achilles {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

void Dictionary::resize(std::size_t rows, std::size_t columns) {
  columns_ = columns;
  table_.assign(rows * columns, 0.0);
  rhs_.assign(rows, 0.0);
}

void Dictionary::exchange(std::size_t r, std::size_t c) {
  // basic_r = rhs_r + Σ T_rj x_j  ⇔  x_c = −rhs_r / p − Σ_{j≠c} T_rj / p x_j + basic_r / p,  p = T_rc.
  double* const pivot_row = table_.data() + r * columns_;
  const double inverse = 1 / pivot_row[c];
  pivot_row[c] = -1;
  for (std::size_t j = 0; j < columns_; ++j) pivot_row[j] *= -inverse;
  rhs_[r] *= -inverse;
  nonzero_.clear();
  for (std::uint32_t j = 0; j < columns_; ++j) {
    if (pivot_row[j] != 0) nonzero_.push_back(j);
  }
  // Contacts touch few others: rows stay sparse as long as few unknowns have been exchanged. Beyond a third whole rows
  // are faster than a list of places.
  const bool is_sparse = 3 * nonzero_.size() < columns_;
  for (std::size_t i = 0; i < rows(); ++i) {
    double* const row = table_.data() + i * columns_;
    const double factor = row[c];
    if (i == r || factor == 0) continue;
    row[c] = 0;
    if (is_sparse) {
      for (const std::uint32_t j : nonzero_) row[j] += factor * pivot_row[j];
    } else {
      for (std::size_t j = 0; j < columns_; ++j) row[j] += factor * pivot_row[j];
    }
    rhs_[i] += factor * rhs_[r];
  }
}

void BasisLog::clear() {
  constexpr std::size_t kSmallest = 1024;
  if (table_.size() < kSmallest) table_.resize(kSmallest);
  std::fill(table_.begin(), table_.end(), 0);
  count_ = 0;
  hash_ = 1;
}

void BasisLog::toggle(std::uint64_t k) { hash_ ^= mix(k); }

bool BasisLog::record() {
  const auto insert = [this](std::uint64_t key) {
    std::size_t at = key % table_.size();
    while (table_[at] != 0) {
      if (table_[at] == key) return false;
      at = (at + 1) % table_.size();
    }
    table_[at] = key;
    return true;
  };
  if (2 * count_ >= table_.size()) {
    std::vector<std::uint64_t> old(2 * table_.size(), 0);
    std::swap(old, table_);
    for (const std::uint64_t key : old) {
      if (key != 0) insert(key);
    }
  }
  if (!insert(hash_ == 0 ? 1 : hash_)) return false;
  ++count_;
  return true;
}

}  // namespace achilles
