// The natural map with its corners rounded off, and the linear system of a Newton step on it.
//
//   F(λ) = λ − P_τ(λ − D⁻¹ w),  w = A λ + b,  z = λ − D⁻¹ w,  D diagonal (one entry per friction pair)
//
//   σ(x) = ½ (x + √(x² + 4 τ²))                      smoothed max(x, 0), [Chen98]
//   box row        P = lower + σ(z − lower) − σ(z − upper), terms of infinite bounds replaced by their limit
//   friction pair  P = R z_T / m,  R = µ P_n,  m = R + σ(‖z_T‖ − R), the smoothed max(R, ‖z_T‖)
//
// τ is an energy's square root; a row uses τ / √d, an impulse. With τ > 0 all slopes of P lie strictly between 0 and 1,
// which keeps I − P' + P' D⁻¹ A regular for the singular A of redundant contacts, where the Jacobian of the natural map
// itself [Alart91] is singular. For τ → 0 the natural map returns.
#pragma once

#include "solver/matrix_problem.hpp"
#include "solver/newton/block_lu.hpp"

#include <Eigen/LU>

#include <cstdint>
#include <utility>
#include <vector>

namespace achilles {

class SmoothedMap {
 public:
  /// Sets the problem; `problem` must outlive the use of this object.
  void start(const MatrixProblem& problem);
  /// ‖√D F(λ)‖ for velocities w of impulses λ, [√J]. τ = 0 gives the natural map itself.
  [[nodiscard]] double norm(std::span<const double> impulses, std::span<const double> w, double tau);
  /// Newton step δ at λ. False if the matrix is singular or the step not finite.
  bool solve(std::span<const double> impulses, std::span<const double> w, double tau);
  [[nodiscard]] std::span<const double> step() const {
    return {solution_.data(), static_cast<std::size_t>(solution_.size())};
  }
  [[nodiscard]] double largest_scale() const { return largest_scale_; }

 private:
  struct Pair {
    Vec2 value = Vec2::Zero();     // P
    Eigen::Matrix2d slope_t = {};  // ∂P/∂z_T
    Vec2 slope_n = Vec2::Zero();   // ∂P/∂z_n
  };

  void evaluate(std::span<const double> impulses, std::span<const double> w, double tau);
  [[nodiscard]] Pair evaluate_pair(std::size_t i, const Vec2& z, double tau) const;
  void list_blocks();
  void order_blocks();
  void build_column(std::size_t j);
  bool factor_and_solve();
  bool solve_dense();
  bool solve_blocks();
  void apply(const Eigen::VectorXd& x, Eigen::VectorXd& out);

  const MatrixProblem* problem_ = nullptr;
  std::vector<double> scale_;           // D
  std::vector<double> value_, slope_;   // P and ∂P/∂z of box rows
  std::vector<Pair> pairs_;             // at the first row of a pair
  std::vector<std::uint32_t> pair_of_;  // first row of the pair a row belongs to
  // Pairs that lean on normal row j: dependents_[dependent_start_[j] .. dependent_start_[j + 1]).
  std::vector<std::uint32_t> dependent_start_, dependents_;
  std::vector<double> column_;          // one column of the system
  std::vector<std::uint32_t> touched_;  // its rows, some of them twice
  Eigen::VectorXd rhs_, solution_, rest_;
  Eigen::MatrixXd dense_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_factor_;
  BlockLu lu_;
  std::vector<std::uint32_t> first_row_, block_of_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> couplings_;
  double largest_scale_ = 1;
  bool is_ordered_ = false;  // does lu_ know the pattern of this problem?
};

}  // namespace achilles
