#include "solver/iterative/sor.hpp"

#include "solver/iterative/iterate.hpp"

namespace achilles {
namespace {

// Watches the changes sweeps make, in windows, and sets ω for the next window.
class RelaxationControl {
 public:
  [[nodiscard]] double relaxation() const { return relaxation_; }

  void observe(double change) {
    if (!(change > 0)) return;
    if (++count_ < window()) return;
    const double old = relaxation_;
    if (last_ > 0) set_relaxation(std::pow(change / last_, 1.0 / count_));
    // The window after a new ω only lets it settle.
    last_ = relaxation_ == old ? change : 0;
    count_ = 0;
  }

 private:
  static constexpr double kLargest = 1.995;

  // Longer steps as long as they pay: Young's optimum for what the rate shows of the spectrum, below the shortest steps
  // that have turned out worse than the best so far.
  void set_relaxation(double rate) {
    constexpr double kWorse = 1.0005;
    constexpr double kResolution = 0.002;
    if (rate < best_rate_) {
      best_rate_ = rate;
      best_relaxation_ = relaxation_;
    }
    if (relaxation_ > best_relaxation_ && rate > kWorse * best_rate_) {
      too_large_ = relaxation_;
      relaxation_ =
          too_large_ - best_relaxation_ > kResolution ? 0.5 * (best_relaxation_ + too_large_) : best_relaxation_;
      return;
    }
    if (rate >= 1) {
      too_large_ = std::min(too_large_, std::max(relaxation_, 1 + kResolution));
      relaxation_ = best_relaxation_ = 1 + 0.5 * (relaxation_ - 1);
      best_rate_ = 1;
      return;
    }
    const double optimum = 2 / (1 + std::sqrt(1 - spectral_radius(rate)));
    relaxation_ = std::max(relaxation_, std::min({optimum, kLargest, 0.5 * (relaxation_ + too_large_)}));
  }

  // Long enough that the ratio of its ends gives the rate: at the optimum the iteration matrix has a Jordan block for
  // the eigenvalue ω − 1, so that changes first grow as k (ω − 1)^k, for about 1 / (2 − ω) sweeps.
  [[nodiscard]] int window() const { return 8 + static_cast<int>(4 / (2 - relaxation_)); }

  // ρ(T_GS) = μ² behind the rate η seen at the present ω: (η + ω − 1)² = η ω² μ² [Young's relation]. At or past the
  // optimum every eigenvalue has modulus ω − 1 and the rate shows nothing more; the relation then returns less than 1.
  [[nodiscard]] double spectral_radius(double rate) const {
    const double sum = rate + relaxation_ - 1;
    return std::min(sum * sum / (rate * relaxation_ * relaxation_), 1.0);
  }

  double relaxation_ = 1;
  double best_relaxation_ = 1, best_rate_ = 1;
  double too_large_ = 2;
  double last_ = 0;
  int count_ = 0;
};

template <class Access>
SolveReport run(Access& access, const SorOptions& options, IterativeWorkspace& scratch, std::span<double> impulses) {
  const StopRule stop{options.iterations, options.minimum_iterations, options.tolerance, options.patience};
  list_units(access, false, scratch);
  if (options.relaxation > 0) {
    return iterate(access, stop, impulses, [&] { return sweep_units(access, options.relaxation, scratch, impulses); });
  }
  RelaxationControl control;
  return iterate(access, stop, impulses, [&] {
    const double change = sweep_units(access, control.relaxation(), scratch, impulses);
    control.observe(change);
    return change;
  });
}

}  // namespace

SolveReport solve_sor(const RowProblem& problem, const SorOptions& options, IterativeWorkspace& scratch,
                      std::span<double> impulses) {
  return with_rows(problem, scratch, impulses, [&](auto& access) { return run(access, options, scratch, impulses); });
}

SolveReport solve_sor(const MatrixProblem& problem, const SorOptions& options, IterativeWorkspace& scratch,
                      std::span<double> impulses) {
  MatrixAccess access = warm_access(problem, impulses, scratch);
  return run(access, options, scratch, impulses);
}

}  // namespace achilles
