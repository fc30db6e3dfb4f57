// The complementarity problem with two bounds per unknown, dense and symmetric, and Dantzig's principal pivoting for
// it.
//
//   w = A x + b,  lower ≤ x ≤ upper,  w = 0 inside, w ≥ 0 at the lower and w ≤ 0 at the upper bound
#pragma once

#include "solver/direct/dense_lu.hpp"
#include "solver/direct/dictionary.hpp"
#include "solver/solve_report.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

struct BoxLcp {
  std::vector<double> A;  // row after row
  std::vector<double> b, lower, upper;

  /// All zero, bounds infinite, n unknowns.
  void resize(std::size_t n);
  [[nodiscard]] std::size_t size() const { return b.size(); }
  [[nodiscard]] double& at(std::size_t i, std::size_t j) { return A[i * size() + j]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return A[i * size() + j]; }
  [[nodiscard]] double velocity(std::size_t i, std::span<const double> x) const;
};

enum class BoxState : std::uint8_t { kWaiting, kLower, kUpper, kInside };

struct BoxWorkspace {
  Dictionary dictionary;
  BasisLog log;
  DenseLu lu;
  std::vector<BoxState> state;  // of each unknown, after a solve: the active set
  std::vector<double> w;
  std::vector<std::uint32_t> inside;
  std::vector<double> polished;
};

/// Largest entry of the natural map |x − clamp(x − w, lower, upper)|.
[[nodiscard]] double compute_box_residual(const BoxLcp& lcp, std::span<const double> x);

/// Dantzig's algorithm as [Baraff94] uses it for contact: one unknown after the other is driven until it obeys its
/// condition, while those before keep theirs by exchange between bound and inside. For positive semidefinite A the
/// matrix of the inside unknowns never becomes singular, [Baraff94, app. A], so redundant rows are no obstacle; of
/// several unknowns that block at once the least index is taken.
///
/// Ends with kSolved, kNoSolution (an unknown can grow without end and without effect: no solution; the others are
/// still solved), kCycling or kIterationLimit. `x` in is not used. O(n²) per pivot, about n to 2 n pivots. Entries of A
/// should be of order one.
[[nodiscard]] SolveReport solve_box_lcp(const BoxLcp& lcp, int pivots, BoxWorkspace& scratch, std::span<double> x);

}  // namespace achilles
