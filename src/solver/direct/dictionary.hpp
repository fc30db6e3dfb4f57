// A dictionary: some unknowns written as affine functions of the others, and the exchange of one for another.
//
//   basic_i = rhs_i + Σ_c T_ic nonbasic_c
//
// Both direct solvers walk from dictionary to dictionary; what they keep in the basis is their own affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

class Dictionary {
 public:
  /// All zero. Memory is kept: a dictionary no larger than an earlier one allocates nothing.
  void resize(std::size_t rows, std::size_t columns);
  [[nodiscard]] std::size_t rows() const { return rhs_.size(); }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] double& operator()(std::size_t i, std::size_t c) { return table_[i * columns_ + c]; }
  [[nodiscard]] double operator()(std::size_t i, std::size_t c) const { return table_[i * columns_ + c]; }
  [[nodiscard]] std::span<double> rhs() { return rhs_; }
  [[nodiscard]] std::span<const double> rhs() const { return rhs_; }
  /// Solves row r for nonbasic c and puts that into all other rows: basic r and nonbasic c change places. T_rc must not
  /// be zero. O(rows × columns), less where the pivot's row and column are sparse.
  void exchange(std::size_t r, std::size_t c);

 private:
  std::vector<double> table_;  // T, row after row
  std::vector<double> rhs_;
  std::size_t columns_ = 0;
  std::vector<std::uint32_t> nonzero_;  // columns of the pivot row
};

/// The bases a solve has been in, by a hash: meeting one twice is a cycle.
class BasisLog {
 public:
  void clear();
  /// Notes that unknown k enters or leaves.
  void toggle(std::uint64_t k);
  /// Remembers the present basis. False if it was there before.
  bool record();

 private:
  std::vector<std::uint64_t> table_;  // open addressing, 0 is empty
  std::size_t count_ = 0;
  std::uint64_t hash_ = 1;
};

}  // namespace achilles
