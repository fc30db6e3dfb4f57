// The linear complementarity problem itself, dense, and Lemke's algorithm for it.
//
//   w = M z + q,  z ≥ 0,  w ≥ 0,  zᵀ w = 0
#pragma once

#include "solver/direct/dense_lu.hpp"
#include "solver/direct/dictionary.hpp"
#include "solver/solve_report.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace achilles {

struct DenseLcp {
  std::vector<double> M;  // row after row
  std::vector<double> q;

  /// All zero, n unknowns.
  void resize(std::size_t n);
  [[nodiscard]] std::size_t size() const { return q.size(); }
  [[nodiscard]] double& at(std::size_t i, std::size_t j) { return M[i * size() + j]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return M[i * size() + j]; }
  /// w of one row.
  [[nodiscard]] double velocity(std::size_t i, std::span<const double> z) const;
};

struct LcpWorkspace {
  Dictionary dictionary;
  BasisLog log;
  DenseLu lu;
  std::vector<std::uint32_t> basic, nonbasic;  // unknown at each row and column: w_k is k, z_k is n + k, z₀ is 2 n
  std::vector<std::uint32_t> place;            // of each unknown: its row, or rows() plus its column
  std::vector<std::uint32_t> candidates;
  std::vector<std::uint32_t> active;
  std::vector<double> polished, trial;
};

/// Largest |min(z_i, w_i)|.
[[nodiscard]] double compute_lcp_residual(const DenseLcp& lcp, std::span<const double> z);

/// Lemke's algorithm with the covering vector of ones, [Cottle92, alg. 4.4.5], and the lexicographic ratio test
/// [Cottle92, sec. 4.9], under which no basis comes twice. The active set it ends with is solved once more from M
/// itself, so that the rounding of the pivots does not stay in z.
///
/// Ends with kSolved, kNoSolution (a secondary ray: for copositive-plus M, as all contact problems have, there is no
/// solution), kCycling (rounding has led back to a basis met before) or kIterationLimit; z is then the best iterate.
/// report.residual is compute_lcp_residual. O(n²) per pivot, about 2 n pivots in practice, 2ⁿ in the worst case.
/// Entries of M and q should be of order one.
[[nodiscard]] SolveReport solve_lcp_lemke(const DenseLcp& lcp, int pivots, LcpWorkspace& scratch, std::span<double> z);

}  // namespace achilles
