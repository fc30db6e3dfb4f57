// LU factorization of a sparse matrix of small dense blocks, in memory that is kept from one matrix to the next.
//
// The pattern is symmetric, the values need not be. Pivots are whole diagonal blocks in an order of least degree that
// is found once per pattern; within a block rows are exchanged, between blocks they are not. That suits the systems of
// newton, which are positive definite up to a scaling of rows where nothing slips: the order is free to follow fill
// alone. Iterative refinement removes what rounding leaves.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace achilles {

class BlockLu {
 public:
  /// Largest number of rows of a block.
  static constexpr std::uint32_t kLargest = 6;

  /// A new pattern: block k has rows [first_row[k], first_row[k + 1]), at most kLargest, and `couplings` are pairs of
  /// blocks with entries between them, in any order and as often as one likes; reordered. Finds the order and the fill.
  void analyze(std::span<const std::uint32_t> first_row,
               std::vector<std::pair<std::uint32_t, std::uint32_t>>& couplings);
  /// All entries zero, the pattern kept.
  void clear();
  /// An entry of the matrix; row and column must lie in coupled blocks or in the same one.
  [[nodiscard]] double& at(std::uint32_t row, std::uint32_t column);
  /// Replaces the matrix by its factors. False if a pivot block is singular.
  [[nodiscard]] bool factor();
  /// x = K⁻¹ x, after factor().
  void solve(std::span<double> x);

 private:
  // Block k and what its elimination touches: later blocks `reach`, with offsets of their rows among them. Values are
  // kept as the diagonal block d × d, then U d × m, then Lᵀ d × m, all row after row; m counts the rows of `reach`.
  struct Block {
    std::uint32_t first = 0, size = 0;  // rows
    std::uint32_t rank = 0;             // place in the order
    std::uint32_t width = 0;            // m
    std::size_t values = 0;             // start of its values
    std::vector<std::uint32_t> reach;   // by rank
    std::vector<std::uint32_t> offset;  // per block of reach, its first column in U and Lᵀ
  };

  void find_order();
  void eliminate(std::uint32_t k);
  void place_values();
  [[nodiscard]] bool factor_diagonal(std::uint32_t k);
  void update(const Block& block);
  [[nodiscard]] double* diagonal(const Block& block) { return values_.data() + block.values; }
  [[nodiscard]] double* upper(const Block& block) { return diagonal(block) + block.size * block.size; }
  [[nodiscard]] double* lower(const Block& block) { return upper(block) + block.size * block.width; }

  std::vector<Block> blocks_;
  std::size_t count_ = 0;                // blocks in use; blocks_ never shrinks, which keeps their memory
  std::vector<std::uint32_t> block_of_;  // per row
  std::vector<std::uint32_t> order_;     // blocks by rank
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> merged_;
  std::vector<std::uint32_t> place_;  // per block, while one is updated: its first column there
  std::vector<double> values_, row_;
  std::vector<double> inverse_;  // per block kLargest²: D⁻¹
};

}  // namespace achilles
