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

template <class Access>
SolveReport run_conjugate_residuals(Access& access, const StopRule& stop, const NonsmoothCgOptions& options,
                                    IterativeWorkspace& scratch, std::span<double> impulses) {
  constexpr double kRestartSquare = 4;  // ‖g‖² against the best: twice as far off
  scratch.history.start(impulses.size(), options.memory);
  scratch.scale.resize(impulses.size());
  for (std::size_t i = 0; i < impulses.size(); ++i) scratch.scale[i] = std::max(access.row(i).diagonal, 0.0);
  scratch.direction.resize(impulses.size());
  scratch.best.resize(impulses.size());
  double best = std::numeric_limits<double>::infinity();
  int sweeps = 0;
  bool extrapolated = false;
  return iterate(access, stop, impulses, [&] {
    if (extrapolated && !is_far(scratch.history.step(), impulses)) move(access, scratch.history.step(), impulses);
    const double estimate = sweep(access, scratch, impulses);
    const double square = weighted_square(access, scratch.before, impulses);
    // An extrapolation across a change of the active set can lead anywhere. Sweeps without memory go on from there, not
    // from the best iterate: that may be one which only happened to change little, and would be come back to for ever.
    if (square > kRestartSquare * best) scratch.history.forget();
    if (square <= best) {
      best = square;
      std::copy(impulses.begin(), impulses.end(), scratch.best.begin());
    }
    if (++sweeps == stop.iterations && square > best) {
      return_to(access, scratch.best, impulses);
      return estimate;
    }
    for (std::size_t i = 0; i < impulses.size(); ++i) scratch.direction[i] = impulses[i] - scratch.before[i];
    extrapolated = scratch.history.record(impulses, scratch.direction, scratch.scale);
    return estimate;
  });
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
