// The small convex problem inside several impact laws:
//
//   minimize ½ λᵀ A λ + bᵀ λ  subject to  λ ≥ 0,      A symmetric, positive semi-definite, b in the range of A.
//
// Equivalent to 0 ≤ λ ⟂ A λ + b ≥ 0. Active-set method of [LawsonHanson74, ch. 23] on the Gram matrix, with a
// square-root free factorization so that small integers stay exact, and with dependent columns exchanged instead of
// added: the gradients of a box on a floor are always dependent.
#pragma once

#include <span>
#include <vector>

namespace achilles {

struct NonnegativeQp {
  int size = 0;
  std::span<const double> A;  // size × size, by rows
  std::span<const double> b;
  std::span<const double> tolerance;  // per variable, on (A λ + b)_i ≥ −tolerance_i
};

struct NonnegativeQpReport {
  bool solved =
      true;  // false: stopped by the cap or by columns that are too much alike; the iterate is feasible, λ ≥ 0
  int iterations = 0;
};

/// L D Lᵀ of the rows and columns of A that are in play, grown by one column at a time.
class PassiveFactor {
 public:
  void reset(int capacity);
  [[nodiscard]] int size() const { return size_; }
  /// Appends variable `j`. False, and nothing changes, when its column depends on those already in.
  bool append(const NonnegativeQp& problem, std::span<const int> passive, int j);
  /// Forgets all columns from position `first` on.
  void truncate(int first) { size_ = first; }
  /// Solves A_PP z = z in place.
  void solve(std::span<double> z) const;

 private:
  int size_ = 0;
  int capacity_ = 0;
  std::vector<double> lower_;  // by rows, unit diagonal not stored
  std::vector<double> diagonal_;
};

struct NonnegativeQpWorkspace {
  PassiveFactor factor;
  std::vector<int> passive;
  std::vector<double> target, gradient, residual;
  std::vector<char> state;
};

/// λ in is ignored, λ out is the solution. Each pass lowers the objective, so that no set of active columns comes back;
/// the number of passes is capped nevertheless. Cost: size × passes × (columns in play).
[[nodiscard]] NonnegativeQpReport solve_nonnegative_qp(const NonnegativeQp& problem, NonnegativeQpWorkspace& scratch,
                                                       std::span<double> lambda);

}  // namespace achilles
