// The last few steps of a fixed-point iteration, and the combination of them that makes its residual smallest.
#pragma once

#include <Eigen/Core>

#include <span>
#include <vector>

namespace achilles {

/// For y = G(x), g = y − x: keeps differences Δy, Δg of consecutive steps and finds γ minimizing ‖g − Σ γ_k Δg_k‖ in
/// the norm weighted by `weight`. x = y − Σ γ_k Δy_k is then the next point to start from [Walker11, alg. AA]; for a
/// linear G and unlimited memory these are the iterates of GMRES.
class ResidualHistory {
 public:
  void start(std::size_t size, int memory);
  void forget() { count_ = 0, has_last_ = false; }
  /// Records a step and returns whether a combination is available in step(). O(size × memory), no allocation once
  /// warm.
  bool record(std::span<const double> y, std::span<const double> g, std::span<const double> weight);
  /// −Σ γ_k Δy_k of the last record.
  [[nodiscard]] std::span<const double> step() const { return {step_.data(), static_cast<std::size_t>(size_)}; }

 private:
  void add_difference(std::span<const double> y, std::span<const double> g, std::span<const double> weight);
  bool solve();

  // Rows beyond size_ are room for larger problems.
  Eigen::MatrixXd dy_, dg_;      // one column per remembered step, overwritten in turn; Δg scaled by √weight
  Eigen::MatrixXd gram_;         // Δgᵀ Δg
  Eigen::VectorXd rhs_, gamma_;  // Δgᵀ g and γ
  Eigen::MatrixXd factor_;
  Eigen::VectorXd last_y_, last_g_, step_;  // g scaled by √weight
  Eigen::Index size_ = 0, memory_ = 0, count_ = 0, next_ = 0;
  bool has_last_ = false;
};

}  // namespace achilles
