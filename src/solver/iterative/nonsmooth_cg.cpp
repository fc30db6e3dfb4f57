#include "solver/iterative/nonsmooth_cg.hpp"

#include "solver/iterative/iterate.hpp"

namespace achilles {
namespace {

// λ += β p, in impulses and velocities, then p ← β p + g with g the change that the last sweep made from `before`.
template <class Access>
void extrapolate(Access& problem, double beta, std::span<const double> before, std::span<double> direction,
                 std::span<double> impulses) {
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const double delta = beta * direction[i];
    direction[i] = delta + impulses[i] - before[i];
    if (delta == 0) continue;
    impulses[i] += delta;
    problem.apply(i, delta);
  }
}

// λ += step, box rows kept within their bounds. Friction is left to the sweep, whose first visit projects it.
template <class Access>
void move(Access& problem, std::span<const double> step, std::span<double> impulses) {
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const auto& row = problem.row(i);
    double next = impulses[i] + step[i];
    if (row.normal_row < 0) next = std::max(std::min(next, row.upper), row.lower);
    const double delta = next - impulses[i];
    if (delta == 0) continue;
    impulses[i] = next;
    problem.apply(i, delta);
  }
}

// Is a step so long that going back on it would cost more than a third of the digits? Shorter ones may be what is
// wanted: the first impulse under a body a thousand times heavier is a thousandth of the last.
[[nodiscard]] bool is_far(std::span<const double> step, std::span<const double> impulses) {
  constexpr double kFarSquare = 1e10;
  double length = 0;
  double size = 0;
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    length += step[i] * step[i];
    size += impulses[i] * impulses[i];
  }
  return length > kFarSquare * size;
}

template <class Access>
void return_to(Access& problem, std::span<const double> goal, std::span<double> impulses) {
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const double delta = goal[i] - impulses[i];
    impulses[i] = goal[i];
    if (delta != 0) problem.apply(i, delta);
  }
}

template <class Access>
[[nodiscard]] double weighted_square(const Access& problem, std::span<const double> before,
                                     std::span<const double> after) {
  double sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double g = after[i] - before[i];
    sum += problem.row(i).diagonal * g * g;
  }
  return sum;
}

template <class Access>
double sweep(Access& access, IterativeWorkspace& scratch, std::span<double> impulses) {
  scratch.before.resize(impulses.size());
  std::copy(impulses.begin(), impulses.end(), scratch.before.begin());
  return sweep_units(access, 1, scratch, impulses);
}

template <class Access>
SolveReport run_fletcher_reeves(Access& access, const StopRule& stop, IterativeWorkspace& scratch,
                                std::span<double> impulses) {
  scratch.direction.assign(impulses.size(), 0.0);
  scratch.before.assign(impulses.begin(), impulses.end());
  double beta = 0;
  double last_square = 0;
  return iterate(access, stop, impulses, [&] {
    // Done here, not after the sweep, so that the loop ends on a sweep's own result.
    extrapolate(access, beta, scratch.before, scratch.direction, impulses);
    const double estimate = sweep(access, scratch, impulses);
    const double square = weighted_square(access, scratch.before, impulses);
    beta = last_square > 0 ? square / last_square : 0;
    if (!(beta <= 1)) beta = 0;
    last_square = square;
    return estimate;
  });
}

/// When to extrapolate. An extrapolation across a change of the active set can lead anywhere; where that happens the
/// history is forgotten and plain sweeps follow, twice as many as the time before, so that in the end at least every
/// other sweep is one of Gauss-Seidel, from where it got to: going back to the best iterate instead would come back for
/// ever to one that only happened to change little.
class RestartRule {
 public:
  [[nodiscard]] bool is_plain() const { return plain_ > 0; }

  /// Takes ‖g‖² of a sweep; true if the history is to be forgotten.
  [[nodiscard]] bool observe(double square) {
    constexpr double kWorse = 4;      // twice as far off as the best since the restart
    constexpr double kBetter = 1e-4;  // a hundredth: worth trusting again
    constexpr int kMostPlain = 1 << 20;
    if (plain_ > 0) {
      --plain_;
      best_ = square;
      return false;
    }
    if (square <= best_) best_ = square;
    if (square <= kBetter * trusted_) {
      trusted_ = square;
      next_plain_ = 1;
    }
    if (square <= kWorse * best_) return false;
    plain_ = next_plain_;
    next_plain_ = std::min(2 * next_plain_, kMostPlain);
    return true;
  }

 private:
  double best_ = std::numeric_limits<double>::infinity();
  double trusted_ = std::numeric_limits<double>::infinity();
  int plain_ = 0, next_plain_ = 1;
};

/// Where the sweeps ended off the solution: the iterate that changed least, if its residual is smaller.
template <class Access>
void take_best(Access& access, IterativeWorkspace& scratch, std::span<double> impulses, SolveReport& report) {
  if (report.status == SolveStatus::kSolved || report.status == SolveStatus::kNotFinite) return;
  std::copy(impulses.begin(), impulses.end(), scratch.before.begin());
  return_to(access, scratch.best, impulses);
  const double residual = natural_map_residual(access, impulses);
  if (residual < report.residual) {
    report.residual = report.model_residual = residual;
  } else {
    return_to(access, scratch.before, impulses);
  }
}

template <class Access>
SolveReport run_conjugate_residuals(Access& access, const StopRule& stop, const NonsmoothCgOptions& options,
                                    IterativeWorkspace& scratch, std::span<double> impulses) {
  scratch.history.start(impulses.size(), options.memory);
  scratch.scale.resize(impulses.size());
  for (std::size_t i = 0; i < impulses.size(); ++i) scratch.scale[i] = std::max(access.row(i).diagonal, 0.0);
  scratch.direction.resize(impulses.size());
  scratch.best.assign(impulses.begin(), impulses.end());
  double best = std::numeric_limits<double>::infinity();
  RestartRule restart;
  bool extrapolated = false;
  SolveReport report = iterate(access, stop, impulses, [&] {
    if (extrapolated && !is_far(scratch.history.step(), impulses)) move(access, scratch.history.step(), impulses);
    const double estimate = sweep(access, scratch, impulses);
    const double square = weighted_square(access, scratch.before, impulses);
    if (square <= best) {
      best = square;
      std::copy(impulses.begin(), impulses.end(), scratch.best.begin());
    }
    if (restart.observe(square)) scratch.history.forget();
    extrapolated = false;
    if (restart.is_plain()) return estimate;
    for (std::size_t i = 0; i < impulses.size(); ++i) scratch.direction[i] = impulses[i] - scratch.before[i];
    extrapolated = scratch.history.record(impulses, scratch.direction, scratch.scale);
    return estimate;
  });
  take_best(access, scratch, impulses, report);
  return report;
}

template <class Access>
SolveReport run(Access& access, const NonsmoothCgOptions& options, IterativeWorkspace& scratch,
                std::span<double> impulses) {
  list_units(access, options.block_contacts, scratch);
  const StopRule stop{options.iterations, options.minimum_iterations, options.tolerance, options.patience};
  return options.memory > 0 ? run_conjugate_residuals(access, stop, options, scratch, impulses)
                            : run_fletcher_reeves(access, stop, scratch, impulses);
}

}  // namespace

SolveReport solve_nonsmooth_cg(const RowProblem& problem, const NonsmoothCgOptions& options,
                               IterativeWorkspace& scratch, std::span<double> impulses) {
  return with_rows(problem, scratch, impulses, [&](auto& access) { return run(access, options, scratch, impulses); });
}

SolveReport solve_nonsmooth_cg(const MatrixProblem& problem, const NonsmoothCgOptions& options,
                               IterativeWorkspace& scratch, std::span<double> impulses) {
  MatrixAccess access = warm_access(problem, impulses, scratch);
  return run(access, options, scratch, impulses);
}

}  // namespace achilles
