#include "solver/newton/block_lu.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace achilles {

void BlockLu::analyze(std::span<const std::uint32_t> first_row,
                      std::vector<std::pair<std::uint32_t, std::uint32_t>>& couplings) {
  count_ = first_row.size() - 1;
  if (blocks_.size() < count_) blocks_.resize(count_);
  block_of_.resize(first_row[count_]);
  for (std::uint32_t k = 0; k < count_; ++k) {
    Block& block = blocks_[k];
    block.first = first_row[k];
    block.size = first_row[k + 1] - first_row[k];
    block.reach.clear();
    std::fill_n(block_of_.begin() + block.first, block.size, k);
  }
  for (auto& [i, j] : couplings) {
    if (i > j) std::swap(i, j);
  }
  std::sort(couplings.begin(), couplings.end());
  couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
  // Sorted by (i, j): every list of neighbours comes out sorted, first those before a block, then those after.
  for (const auto& [i, j] : couplings) {
    if (i != j) blocks_[j].reach.push_back(i);
  }
  for (const auto& [i, j] : couplings) {
    if (i != j) blocks_[i].reach.push_back(j);
  }
  find_order();
  place_values();
}

// Least degree, counted in rows; of equal ones the first.
void BlockLu::find_order() {
  done_.assign(count_, 0);
  order_.clear();
  for (std::uint32_t k = 0; k < count_; ++k) {
    blocks_[k].width = 0;
    for (const std::uint32_t i : blocks_[k].reach) blocks_[k].width += blocks_[i].size;
  }
  while (order_.size() < count_) {
    std::uint32_t best = static_cast<std::uint32_t>(count_);
    for (std::uint32_t k = 0; k < count_; ++k) {
      if (done_[k] == 0 && (best == count_ || blocks_[k].width < blocks_[best].width)) best = k;
    }
    eliminate(best);
  }
}

// The neighbours of k become neighbours of each other.
void BlockLu::eliminate(std::uint32_t k) {
  done_[k] = 1;
  blocks_[k].rank = static_cast<std::uint32_t>(order_.size());
  order_.push_back(k);
  const std::vector<std::uint32_t>& reach = blocks_[k].reach;
  for (const std::uint32_t i : reach) {
    Block& block = blocks_[i];
    merged_.clear();
    std::set_union(block.reach.begin(), block.reach.end(), reach.begin(), reach.end(), std::back_inserter(merged_));
    std::erase_if(merged_, [&](std::uint32_t j) { return j == i || j == k; });
    block.reach.assign(merged_.begin(), merged_.end());
    block.width = 0;
    for (const std::uint32_t j : block.reach) block.width += blocks_[j].size;
  }
}

void BlockLu::place_values() {
  std::size_t size = 0;
  std::uint32_t widest = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    Block& block = blocks_[k];
    std::sort(block.reach.begin(), block.reach.end(),
              [&](std::uint32_t i, std::uint32_t j) { return blocks_[i].rank < blocks_[j].rank; });
    block.offset.clear();
    std::uint32_t width = 0;
    for (const std::uint32_t i : block.reach) {
      block.offset.push_back(width);
      width += blocks_[i].size;
    }
    widest = std::max(widest, width);
    block.values = size;
    size += block.size * (block.size + 2 * static_cast<std::size_t>(width));
  }
  values_.resize(size);
  row_.resize(widest);
  place_.resize(count_);
  inverse_.resize(count_ * kLargest * kLargest);
}

void BlockLu::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

double& BlockLu::at(std::uint32_t row, std::uint32_t column) {
  const Block& of_row = blocks_[block_of_[row]];
  const Block& of_column = blocks_[block_of_[column]];
  const std::uint32_t i = row - of_row.first, j = column - of_column.first;
  if (&of_row == &of_column) return diagonal(of_row)[i * of_row.size + j];
  const bool is_upper = of_row.rank < of_column.rank;
  const Block& owner = is_upper ? of_row : of_column;
  const Block& other = is_upper ? of_column : of_row;
  const auto found =
      std::lower_bound(owner.reach.begin(), owner.reach.end(), other.rank,
                       [&](std::uint32_t block, std::uint32_t rank) { return blocks_[block].rank < rank; });
  const std::uint32_t offset = owner.offset[static_cast<std::size_t>(found - owner.reach.begin())];
  return is_upper ? upper(owner)[i * owner.width + offset + j] : lower(owner)[j * owner.width + offset + i];
}

// D⁻¹ by Gauss-Jordan with exchange of rows.
bool BlockLu::factor_diagonal(std::uint32_t k) {
  const Block& block = blocks_[k];
  const std::uint32_t d = block.size;
  std::array<double, kLargest * kLargest> left{};
  std::copy_n(diagonal(block), d * d, left.begin());
  double* const inverse = inverse_.data() + static_cast<std::size_t>(k) * kLargest * kLargest;
  std::fill_n(inverse, d * d, 0.0);
  for (std::uint32_t i = 0; i < d; ++i) inverse[i * d + i] = 1;
  for (std::uint32_t c = 0; c < d; ++c) {
    std::uint32_t pivot = c;
    for (std::uint32_t i = c + 1; i < d; ++i) {
      if (std::abs(left[i * d + c]) > std::abs(left[pivot * d + c])) pivot = i;
    }
    if (!(std::abs(left[pivot * d + c]) > 0)) return false;
    const double scale = 1 / left[pivot * d + c];
    for (std::uint32_t j = 0; j < d; ++j) {
      std::swap(left[pivot * d + j], left[c * d + j]);
      std::swap(inverse[pivot * d + j], inverse[c * d + j]);
      left[c * d + j] *= scale;
      inverse[c * d + j] *= scale;
    }
    for (std::uint32_t i = 0; i < d; ++i) {
      const double factor = left[i * d + c];
      if (i == c || factor == 0) continue;
      for (std::uint32_t j = 0; j < d; ++j) {
        left[i * d + j] -= factor * left[c * d + j];
        inverse[i * d + j] -= factor * inverse[c * d + j];
      }
    }
  }
  return true;
}

// K_ij −= L_ik U_kj for all pairs of later blocks: row by row of block i, once into its U and once into its Lᵀ.
void BlockLu::update(const Block& block) {
  const std::uint32_t d = block.size, m = block.width;
  const double* const U = upper(block);
  const double* const LT = lower(block);
  for (std::size_t a = 0; a < block.reach.size(); ++a) {
    const Block& target = blocks_[block.reach[a]];
    for (std::size_t b = 0; b < target.reach.size(); ++b) place_[target.reach[b]] = target.offset[b];
    const std::uint32_t at = block.offset[a], after = at + target.size;
    const auto subtract = [&](const double* left, const double* right, double* out, std::uint32_t r,
                              bool with_diagonal) {
      const std::uint32_t from = with_diagonal ? at : after;
      std::fill(row_.begin() + from, row_.begin() + m, 0.0);
      for (std::uint32_t c = 0; c < d; ++c) {
        const double factor = left[c * m + at + r];
        if (factor == 0) continue;
        for (std::uint32_t j = from; j < m; ++j) row_[j] += factor * right[c * m + j];
      }
      if (with_diagonal) {
        for (std::uint32_t j = 0; j < target.size; ++j) diagonal(target)[r * target.size + j] -= row_[at + j];
      }
      for (std::size_t b = a + 1; b < block.reach.size(); ++b) {
        double* const place = out + r * target.width + place_[block.reach[b]];
        const std::uint32_t size = blocks_[block.reach[b]].size;
        for (std::uint32_t j = 0; j < size; ++j) place[j] -= row_[block.offset[b] + j];
      }
    };
    for (std::uint32_t r = 0; r < target.size; ++r) {
      subtract(LT, U, upper(target), r, true);
      subtract(U, LT, lower(target), r, false);
    }
  }
}

bool BlockLu::factor() {
  for (const std::uint32_t k : order_) {
    if (!factor_diagonal(k)) return false;
    const Block& block = blocks_[k];
    const std::uint32_t d = block.size, m = block.width;
    const double* const inverse = inverse_.data() + static_cast<std::size_t>(k) * kLargest * kLargest;
    // Lᵀ = D⁻ᵀ K_·kᵀ
    double* const LT = lower(block);
    std::array<double, kLargest> column{};
    for (std::uint32_t j = 0; j < m; ++j) {
      for (std::uint32_t i = 0; i < d; ++i) {
        column[i] = 0;
        for (std::uint32_t c = 0; c < d; ++c) column[i] += inverse[c * d + i] * LT[c * m + j];
      }
      for (std::uint32_t i = 0; i < d; ++i) LT[i * m + j] = column[i];
    }
    update(block);
  }
  return true;
}

void BlockLu::solve(std::span<double> x) {
  for (const std::uint32_t k : order_) {
    const Block& block = blocks_[k];
    const double* const LT = lower(block);
    for (std::size_t b = 0; b < block.reach.size(); ++b) {
      const Block& later = blocks_[block.reach[b]];
      for (std::uint32_t i = 0; i < block.size; ++i) {
        const double* const row = LT + i * block.width + block.offset[b];
        for (std::uint32_t j = 0; j < later.size; ++j) x[later.first + j] -= row[j] * x[block.first + i];
      }
    }
  }
  for (std::size_t at = count_; at-- > 0;) {
    const Block& block = blocks_[order_[at]];
    const double* const U = upper(block);
    std::array<double, kLargest> rest{};
    for (std::uint32_t i = 0; i < block.size; ++i) {
      rest[i] = x[block.first + i];
      for (std::size_t b = 0; b < block.reach.size(); ++b) {
        const Block& later = blocks_[block.reach[b]];
        const double* const row = U + i * block.width + block.offset[b];
        for (std::uint32_t j = 0; j < later.size; ++j) rest[i] -= row[j] * x[later.first + j];
      }
    }
    const double* const inverse = inverse_.data() + static_cast<std::size_t>(order_[at]) * kLargest * kLargest;
    for (std::uint32_t i = 0; i < block.size; ++i) {
      x[block.first + i] = 0;
      for (std::uint32_t c = 0; c < block.size; ++c) x[block.first + i] += inverse[i * block.size + c] * rest[c];
    }
  }
}

}  // namespace achilles
