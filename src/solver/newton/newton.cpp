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
  // The best iterate may lie this many iterations back before another start is tried.
  static constexpr int kPatience = 20;
  static constexpr int kStarts = 5;
  static constexpr std::size_t kSmall = 300;  // rows up to which the costly starts cost little

  void set_velocities(std::span<const double> impulses) {
    const auto n = static_cast<Eigen::Index>(impulses.size());
    Eigen::Map<Eigen::VectorXd> w(scratch_.w.data(), n);
    w = problem_.b;
    w.noalias() += problem_.A * Eigen::Map<const Eigen::VectorXd>(impulses.data(), n);
  }
  void sweep(int count);
  void measure();
  [[nodiscard]] double search(double tau);
  void start_rounding();
  void step();
  [[nodiscard]] bool is_plane() const;
  [[nodiscard]] bool is_time_for_pivots() const;
  void start_anew();

  const MatrixProblem& problem_;
  const NewtonOptions& options_;
  NewtonWorkspace& scratch_;
  std::span<double> impulses_;
  SolveReport report_;
  double residual_ = 0;  // of the present iterate
  double tau_ = 0, tau_start_ = 0;
  int since_best_ = 0, failures_ = 0, short_steps_ = 0, starts_ = 1;
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

// In the plane friction has one direction, polygons are segments, and what pivoting finds is already the solution.
bool Newton::is_plane() const {
  const std::vector<MatrixRow>& rows = problem_.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].normal_row < 0) continue;
    if (rows[i].diagonal > 0 && rows[i + 1].diagonal > 0) return false;
    ++i;
  }
  return true;
}

// Pivots cost a fifth of a second at most; where sweeps are much cheaper those are tried before.
bool Newton::is_time_for_pivots() const {
  constexpr std::size_t kLargestInPlane = 600;  // rows
  if (problem_.size() <= kSmall) return starts_ == 2;
  return starts_ == kStarts - 1 && problem_.size() <= kLargestInPlane && is_plane();
}

// Where steps from one iterate lead nowhere those from another often do: no impulses at all, from where contacts close
// in the order of their load; then the solution with polygons for discs, where that is affordable; then what sweeps
// make of the best iterate, ever more of them.
void Newton::start_anew() {
  constexpr int kSweeps = 50, kLastSweeps = 5000, kPivotsPerRow = 3;
  if (starts_ == 1) {
    std::fill(impulses_.begin(), impulses_.end(), 0.0);
  } else if (is_time_for_pivots()) {
    const LemkeOptions pivots{.iterations = kPivotsPerRow * static_cast<int>(problem_.size())};
    (void)solve_lemke(problem_, pivots, scratch_.lemke, impulses_);
  } else {
    // The last time from afresh: the best iterate may lie where sweeps do not lead on either.
    const bool is_last = starts_ == kStarts - 1 && problem_.size() <= kSmall;
    if (is_last) {
      std::fill(impulses_.begin(), impulses_.end(), 0.0);
    } else {
      std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
    }
    sweep(is_last ? kLastSweeps : kSweeps << starts_);
  }
  ++starts_;
  since_best_ = failures_ = short_steps_ = 0;
  set_velocities(impulses_);
  start_rounding();
}

void Newton::step() {
  constexpr int kFailures = 4;
  constexpr double kShort = 0.1;
  constexpr int kShortSteps = 6;
  const double root_size = std::sqrt(static_cast<double>(problem_.size()));
  const double length = scratch_.map.solve(impulses_, scratch_.w, tau_) ? search(tau_) : 0;
  short_steps_ = length < kShort ? short_steps_ + 1 : 0;
  if (length == 0) {
    std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
    tau_ *= 10;
    tau_start_ = std::max(tau_start_, tau_);
    ++failures_;
  }
  if (failures_ == kFailures || short_steps_ == kShortSteps || since_best_ >= kPatience) {
    if (starts_ < kStarts) start_anew();
    return;
  }
  if (length == 0) return;
  const double norm = scratch_.map.norm(impulses_, scratch_.w, tau_);
  if (norm >= root_size * tau_) return;
  // Below a hundredth of the tolerance, rounding no longer matters.
  const double floor = 0.01 * options_.tolerance / std::sqrt(scratch_.map.largest_scale());
  tau_ = length == 1 ? std::min(0.2 * tau_, tau_ * tau_ / tau_start_) : 0.5 * tau_;
  tau_ = std::max(tau_, floor);
}

SolveReport Newton::run() {
  if (options_.sweeps > 0) sweep(options_.sweeps);
  scratch_.best.clear();
  measure();
  start_rounding();
  while (report_.iterations < options_.iterations && since_best_ <= kPatience) {
    if (report_.residual <= options_.tolerance || !std::isfinite(residual_)) break;
    ++report_.iterations;
    step();
    measure();
  }
  // A sweep puts every impulse within its bounds and cone, from which steps may have left it by a rounding.
  std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
  sweep(1);
  measure();
  if (residual_ <= options_.tolerance) {
    report_.residual = residual_;
  } else {
    std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
  }
  if (report_.residual > options_.tolerance) {
    const bool gave_up = report_.iterations < options_.iterations;
    report_.status = gave_up ? SolveStatus::kStagnated : SolveStatus::kIterationLimit;
  }
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
