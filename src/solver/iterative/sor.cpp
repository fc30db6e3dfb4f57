#include "solver/iterative/sor.hpp"

#include "solver/iterative/iterate.hpp"

namespace achilles {
namespace {

// Watches the changes sweeps make, in windows, and sets ω for the next window.
class RelaxationControl {
 public:
  [[nodiscard]] double relaxation() const { return relaxation_; }

  void observe(double change) {
    constexpr double kLargest = 1.995;
    if (!(change > 0)) return;
    if (++count_ < window()) return;
    const double old = relaxation_;
    if (last_ > 0) {
      const double rate = std::pow(change / last_, 1.0 / count_);
      if (rate >= 1) {
        relaxation_ = 1 + 0.5 * (relaxation_ - 1);
      } else {
        relaxation_ = std::min(kLargest, std::max(relaxation_, 2 / (1 + std::sqrt(1 - spectral_radius(rate)))));
      }
    }
    // The window after a new ω only lets it settle.
    last_ = relaxation_ == old ? change : 0;
    count_ = 0;
  }

 private:
  // Long enough that the ratio of its ends tells the rate: at the optimum the iteration matrix has a Jordan block for
  // the eigenvalue ω − 1, so that changes first grow as k (ω − 1)^k, for about 1 / (2 − ω) sweeps.
  [[nodiscard]] int window() const { return 8 + static_cast<int>(4 / (2 - relaxation_)); }

  // ρ(T_GS) = μ² behind the rate η seen at the present ω: (η + ω − 1)² = η ω² μ² [Young's relation]. At or past the
  // optimum every eigenvalue has modulus ω − 1 and the rate tells nothing more; the relation then returns less than 1.
  [[nodiscard]] double spectral_radius(double rate) const {
    const double sum = rate + relaxation_ - 1;
    return std::min(sum * sum / (rate * relaxation_ * relaxation_), 1.0);
  }

  double relaxation_ = 1;
  double last_ = 0;
  int count_ = 0;
};

template <class Access>
SolveReport run(Access& access, const SorOptions& options, std::span<double> impulses) {
  const StopRule stop{options.iterations, options.minimum_iterations, options.tolerance, options.patience};
  if (options.relaxation > 0) {
    return iterate(access, stop, impulses, [&] { return sweep_forward(access, options.relaxation, impulses); });
  }
  RelaxationControl control;
  return iterate(access, stop, impulses, [&] {
    const double change = sweep_forward(access, control.relaxation(), impulses);
    control.observe(change);
    return change;
  });
}

}  // namespace

SolveReport solve_sor(const RowProblem& problem, const SorOptions& options, IterativeWorkspace& /*scratch*/,
                      std::span<double> impulses) {
  RowAccess access(problem);
  apply_warm_start(access, impulses);
  return run(access, options, impulses);
}

SolveReport solve_sor(const MatrixProblem& problem, const SorOptions& options, IterativeWorkspace& scratch,
                      std::span<double> impulses) {
  MatrixAccess access = warm_access(problem, impulses, scratch);
  return run(access, options, impulses);
}

}  // namespace achilles
