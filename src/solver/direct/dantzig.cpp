#include "solver/direct/dantzig.hpp"

#include "solver/access.hpp"
#include "solver/iterative/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

class BoxedFriction {
 public:
  BoxedFriction(const MatrixProblem& problem, const DantzigOptions& options, DantzigWorkspace& scratch,
                std::span<double> impulses)
      : problem_(problem), options_(options), scratch_(scratch), impulses_(impulses), n_(problem.size()) {
    scratch_.scale.resize(n_);
    scratch_.limit.assign(n_, 0.0);
    scratch_.trial.resize(n_);
    scratch_.x.resize(n_);
    scratch_.w.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const double diagonal = problem.rows[i].diagonal;
      scratch_.scale[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0;
    }
    for_each_pair([&](std::size_t i) {
      const double diagonal = std::max(problem.rows[i].diagonal, problem.rows[i + 1].diagonal);
      scratch_.scale[i] = scratch_.scale[i + 1] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0;
    });
  }

  SolveReport run();

 private:
  template <class Use>
  void for_each_pair(Use&& use) const {
    for (std::size_t i = 0; i < n_; ++i) {
      if (problem_.rows[i].normal_row < 0) continue;
      use(i);
      ++i;
    }
  }
  [[nodiscard]] double disc(std::size_t i, std::span<const double> impulses) const {
    const MatrixRow& row = problem_.rows[i];
    return row.friction * std::max(impulses[static_cast<std::size_t>(row.normal_row)], 0.0);
  }
  void fill_matrix();
  void fill_bounds();
  void set_limits(int round);
  [[nodiscard]] SolveReport solve_round(int pivots);
  [[nodiscard]] SolveReport solve_at_once(int pivots);
  void keep_best(const SolveReport& report, SolveReport& best);
  void solve_active_set();
  [[nodiscard]] double measure(std::span<const double> impulses);

  const MatrixProblem& problem_;
  const DantzigOptions& options_;
  DantzigWorkspace& scratch_;
  std::span<double> impulses_;
  std::size_t n_;
};

void BoxedFriction::fill_matrix() {
  BoxLcp& box = scratch_.box;
  box.resize(n_);
  using Column = Eigen::SparseMatrix<double>::InnerIterator;
  for (std::size_t j = 0; j < n_; ++j) {
    for (Column it(problem_.A, static_cast<Eigen::Index>(j)); it; ++it) {
      const auto i = static_cast<std::size_t>(it.row());
      box.at(i, j) = it.value() * scratch_.scale[i] * scratch_.scale[j];
    }
    box.b[j] = problem_.b[static_cast<Eigen::Index>(j)] * scratch_.scale[j];
  }
}

// Rows that move nothing are settled here, once for all.
void BoxedFriction::fill_bounds() {
  BoxLcp& box = scratch_.box;
  for (std::size_t i = 0; i < n_; ++i) {
    const MatrixRow& row = problem_.rows[i];
    if (row.normal_row >= 0) {
      box.lower[i] = -scratch_.limit[i] / scratch_.scale[i];
      box.upper[i] = scratch_.limit[i] / scratch_.scale[i];
    } else {
      box.lower[i] = row.lower / scratch_.scale[i];
      box.upper[i] = row.upper / scratch_.scale[i];
    }
    if (!(row.diagonal > 0)) {
      const double settled = settle_immovable(0, box.b[i], box.lower[i], box.upper[i]);
      box.lower[i] = box.upper[i] = settled;
    }
  }
}

// Half way to the new limits where the full way has gone on too long: limits that two contacts hand to each other in
// turn settle between.
void BoxedFriction::set_limits(int round) {
  constexpr int kFullRounds = 5;
  const double share = round < kFullRounds ? 1 : 0.5;
  for_each_pair([&](std::size_t i) {
    scratch_.limit[i] += share * (disc(i, impulses_) - scratch_.limit[i]);
    scratch_.limit[i + 1] = scratch_.limit[i];
  });
}

// The active set of the last round once more, friction at its limit now moving with the normal impulse; the result, in
// x, is for measure() to judge.
void BoxedFriction::solve_active_set() {
  const BoxLcp& box = scratch_.box;
  const std::vector<BoxState>& state = scratch_.pivots.state;
  scratch_.inside.clear();
  scratch_.rhs.assign(n_, 0.0);
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (state[i] == BoxState::kInside) scratch_.inside.push_back(i);
  }
  // x_k = follows · x_of for friction at the rim, else a constant.
  const auto follows = [&](std::size_t k) {
    if (problem_.rows[k].normal_row < 0 || state[k] == BoxState::kInside || scratch_.limit[k] == 0) return 0.0;
    if (box.lower[k] == box.upper[k]) return 0.0;  // moves nothing, and is settled
    const auto normal = static_cast<std::size_t>(problem_.rows[k].normal_row);
    if (state[normal] != BoxState::kInside) return 0.0;
    const double sign = state[k] == BoxState::kUpper ? 1 : -1;
    return sign * problem_.rows[k].friction * scratch_.scale[normal] / scratch_.scale[k];
  };
  const std::size_t m = scratch_.inside.size();
  scratch_.lu.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t row = scratch_.inside[i];
    scratch_.rhs[i] = -box.b[row];
    for (std::size_t j = 0; j < m; ++j) scratch_.lu(i, j) = box.at(row, scratch_.inside[j]);
  }
  for (std::size_t k = 0; k < n_; ++k) {
    if (state[k] == BoxState::kInside) continue;
    const double factor = follows(k);
    for (std::size_t i = 0; i < m; ++i) {
      const double entry = box.at(scratch_.inside[i], k);
      if (factor == 0) {
        scratch_.rhs[i] -= entry * scratch_.x[k];
      } else {
        const auto normal = static_cast<std::uint32_t>(problem_.rows[k].normal_row);
        const auto at = std::lower_bound(scratch_.inside.begin(), scratch_.inside.end(), normal);
        scratch_.lu(i, static_cast<std::size_t>(at - scratch_.inside.begin())) += factor * entry;
      }
    }
  }
  if (!scratch_.lu.factor()) return;
  scratch_.lu.solve(std::span(scratch_.rhs).first(m));
  for (std::size_t i = 0; i < m; ++i) scratch_.x[scratch_.inside[i]] = scratch_.rhs[i];
  for (std::size_t k = 0; k < n_; ++k) {
    const double factor = follows(k);
    if (factor != 0) scratch_.x[k] = factor * scratch_.x[static_cast<std::size_t>(problem_.rows[k].normal_row)];
  }
}

// Natural map with boxes in place of discs; leaves A λ + b in w.
double BoxedFriction::measure(std::span<const double> impulses) {
  (void)compute_residual(problem_, impulses, scratch_.w);
  const MatrixAccess access(problem_, scratch_.w);
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (problem_.rows[i].normal_row < 0) keep_largest(largest, box_residual(access, i, impulses[i]));
  }
  for_each_pair([&](std::size_t i) {
    const double d = 1 / (scratch_.scale[i] * scratch_.scale[i]);
    const double radius = disc(i, impulses);
    for (std::size_t k = i; k < i + 2; ++k) {
      const double image = std::max(std::min(impulses[k] - scratch_.w[k] / d, radius), -radius);
      keep_largest(largest, std::abs(impulses[k] - image) * d);
    }
  });
  return largest;
}

SolveReport BoxedFriction::solve_round(int pivots) {
  fill_bounds();
  SolveReport report = solve_box_lcp(scratch_.box, pivots, scratch_.pivots, scratch_.x);
  const auto unscale = [&](std::span<double> out) {
    for (std::size_t i = 0; i < n_; ++i) out[i] = scratch_.x[i] * scratch_.scale[i];
  };
  unscale(impulses_);
  report.model_residual = measure(impulses_);
  solve_active_set();
  unscale(scratch_.trial);
  const double polished = measure(scratch_.trial);
  if (polished < report.model_residual) {
    report.model_residual = polished;
    std::copy(scratch_.trial.begin(), scratch_.trial.end(), impulses_.begin());
  }
  report.residual = compute_residual(problem_, impulses_, scratch_.w);
  return report;
}

// Boxes and normal impulses as one complementarity problem.
SolveReport BoxedFriction::solve_at_once(int pivots) {
  linearize(problem_, kBoxFriction, scratch_.linearized);
  scratch_.z.resize(scratch_.linearized.lcp.size());
  SolveReport report = solve_lcp_lemke(scratch_.linearized.lcp, pivots, scratch_.lcp, scratch_.z);
  recover_impulses(problem_, scratch_.linearized, scratch_.z, impulses_);
  report.model_residual = measure(impulses_);
  report.residual = compute_residual(problem_, impulses_, scratch_.w);
  return report;
}

void BoxedFriction::keep_best(const SolveReport& report, SolveReport& best) {
  if (report.model_residual >= best.model_residual) return;
  best = report;
  scratch_.best.assign(impulses_.begin(), impulses_.end());
}

SolveReport BoxedFriction::run() {
  SolveReport best;
  best.model_residual = std::numeric_limits<double>::infinity();
  scratch_.best.assign(impulses_.begin(), impulses_.end());
  int pivots = 0;
  set_limits(0);
  fill_matrix();
  for (int round = 0; round < std::max(options_.rounds, 1); ++round) {
    const SolveReport report = solve_round(options_.iterations - pivots);
    pivots += report.iterations;
    keep_best(report, best);
    if (!(report.model_residual > options_.tolerance) || report.status != SolveStatus::kSolved) break;
    set_limits(round);
  }
  // Also where the pivots seemed to show that there is no solution: redundant contacts can make them show it by
  // rounding.
  const SolveStatus reported = best.status;
  if (best.model_residual > options_.tolerance && pivots < options_.iterations) {
    const SolveReport report = solve_at_once(options_.iterations - pivots);
    pivots += report.iterations;
    keep_best(report, best);
  }
  std::copy(scratch_.best.begin(), scratch_.best.end(), impulses_.begin());
  best.iterations = pivots;
  if (best.model_residual <= options_.tolerance) {
    best.status = SolveStatus::kSolved;
  } else if (best.status == SolveStatus::kSolved) {
    best.status = reported == SolveStatus::kSolved ? SolveStatus::kIterationLimit : reported;
  }
  if (!std::isfinite(best.residual)) {
    best.status = SolveStatus::kNotFinite;
    std::fill(impulses_.begin(), impulses_.end(), 0.0);
  }
  return best;
}

}  // namespace

SolveReport solve_dantzig(const MatrixProblem& problem, const DantzigOptions& options, DantzigWorkspace& scratch,
                          std::span<double> impulses) {
  if (!is_finite(problem)) {
    std::fill(impulses.begin(), impulses.end(), 0.0);
    return {SolveStatus::kNotFinite, 0, std::nan(""), std::nan("")};
  }
  return BoxedFriction(problem, options, scratch, impulses).run();
}

}  // namespace achilles
