#include "solver/newton/newton.hpp"

#include "solver/access.hpp"
#include "solver/iterative/nonsmooth_cg.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

class Newton {
 public:
  Newton(const MatrixProblem& problem, const NewtonOptions& options, NewtonWorkspace& scratch,
         std::span<double> impulses)
      : problem_(problem), options_(options), scratch_(scratch), impulses_(impulses) {
    scratch_.w.resize(problem.size());
    scratch_.trial.resize(problem.size());
    scratch_.map.start(problem);
  }

  SolveReport run();

 private:
  // The best iterate may lie this many iterations back before the solve gives up.
  static constexpr int kPatience = 20;

  void set_velocities(std::span<const double> impulses) {
    const auto n = static_cast<Eigen::Index>(impulses.size());
    Eigen::Map<Eigen::VectorXd>(scratch_.w.data(), n) =
        problem_.A * Eigen::Map<const Eigen::VectorXd>(impulses.data(), n) + problem_.b;
  }
  void sweep(int count);
  void measure();
  [[nodiscard]] double search(double tau);
  void start_rounding();
  void step();

  const MatrixProblem& problem_;
  const NewtonOptions& options_;
  NewtonWorkspace& scratch_;
  std::span<double> impulses_;
  SolveReport report_;
  double residual_ = 0;  // of the present iterate
  double tau_ = 0, tau_start_ = 0;
  int since_best_ = 0, failures_ = 0;
};

void Newton::sweep(int count) {
  NonsmoothCgOptions sweeps;
  sweeps.iterations = count;
  sweeps.tolerance = options_.tolerance;
  sweeps.block_contacts = true;
  (void)solve_nonsmooth_cg(problem_, sweeps, scratch_.sweeps, impulses_);
}

// Velocities and residual of the present iterate; remembers the best.
void Newton::measure() {
  set_velocities(impulses_);
  residual_ = natural_map_residual(MatrixAccess(problem_, scratch_.w), impulses_);
  ++since_best_;
  if (scratch_.best.empty() || residual_ < report_.residual) {
    report_.residual = residual_;
    scratch_.best.assign(impulses_.begin(), impulses_.end());
    since_best_ = 0;
  }
}

// τ as large as a typical entry of the map: corners are rounded over what the iterate is off by.
void Newton::start_rounding() {
  const double norm = scratch_.map.norm(impulses_, scratch_.w, 0);
  tau_ = tau_start_ = norm / std::sqrt(static_cast<double>(problem_.size()));
}

// Moves along the step as far as reduces the norm; 0 if nowhere. Returns the length.
double Newton::search(double tau) {
  constexpr double kDecrease = 1e-3;
  constexpr double kShortest = 0.01;
  const double now = scratch_.map.norm(impulses_, scratch_.w, tau);
  const std::span<const double> step = scratch_.map.step();
  for (double length = 1; length > kShortest; length *= 0.5) {
    for (std::size_t i = 0; i < step.size(); ++i) scratch_.trial[i] = impulses_[i] + length * step[i];
    set_velocities(scratch_.trial);
    if (scratch_.map.norm(scratch_.trial, scratch_.w, tau) <= (1 - kDecrease * length) * now) {
      std::copy(scratch_.trial.begin(), scratch_.trial.end(), impulses_.begin());
      return length;
    }
  }
  return 0;
}

void Newton::step() {
  constexpr int kFailuresBeforeSweeps = 4;
  constexpr int kSweeps = 50;
  const double root_size = std::sqrt(static_cast<double>(problem_.size()));
  const double length = scratch_.map.solve(impulses_, scratch_.w, tau_) ? search(tau_) : 0;
  if (length == 0) {
    std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
    tau_ *= 10;
    tau_start_ = std::max(tau_start_, tau_);
    if (++failures_ % kFailuresBeforeSweeps == 0) {
      sweep(kSweeps);
      set_velocities(impulses_);
      start_rounding();
    }
    return;
  }
  const double norm = scratch_.map.norm(impulses_, scratch_.w, tau_);
  if (norm >= root_size * tau_) return;
  // Below a hundredth of the tolerance, rounding no longer matters.
  const double floor = 0.01 * options_.tolerance / std::sqrt(scratch_.map.largest_scale());
  tau_ = length == 1 ? std::min(0.2 * tau_, tau_ * std::sqrt(tau_ / tau_start_)) : 0.5 * tau_;
  tau_ = std::max(tau_, floor);
}

SolveReport Newton::run() {
  if (options_.sweeps > 0) sweep(options_.sweeps);
  scratch_.best.clear();
  measure();
  start_rounding();
  while (report_.iterations < options_.iterations && since_best_ < kPatience) {
    if (report_.residual <= options_.tolerance || !std::isfinite(residual_)) break;
    ++report_.iterations;
    step();
    measure();
  }
  std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
  report_.status = report_.residual <= options_.tolerance ? SolveStatus::kSolved : SolveStatus::kIterationLimit;
  report_.model_residual = report_.residual;
  if (!std::isfinite(report_.residual)) {
    report_.status = SolveStatus::kNotFinite;
    std::fill(impulses_.begin(), impulses_.end(), 0.0);
  }
  return report_;
}

}  // namespace

SolveReport solve_newton(const MatrixProblem& problem, const NewtonOptions& options, NewtonWorkspace& scratch,
                         std::span<double> impulses) {
  return Newton(problem, options, scratch, impulses).run();
}

}  // namespace achilles
