#include "solver/direct/box_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

constexpr double kSmallestPivot = 1e-11;

class Dantzig {
 public:
  Dantzig(const BoxLcp& lcp, BoxWorkspace& scratch, std::span<double> x) : lcp_(lcp), scratch_(scratch), x_(x) {
    const std::size_t n = lcp.size();
    scratch_.dictionary.resize(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) scratch_.dictionary(i, j) = lcp.at(i, j);
      x_[i] = std::max(lcp.lower[i], std::min(lcp.upper[i], 0.0));
      scale_ = std::max(scale_, std::abs(lcp.b[i]));
    }
    scratch_.state.assign(n, BoxState::kWaiting);
    scratch_.w.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      scratch_.w[i] = lcp.velocity(i, x_);
      scale_ = std::max(scale_, std::abs(scratch_.w[i]));
    }
  }

  SolveReport run(int pivots);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Event {
    double length = std::numeric_limits<double>::infinity();
    std::size_t unknown = kNone;
    BoxState next = BoxState::kWaiting;
  };

  [[nodiscard]] bool is_free(std::size_t i) const {
    return !std::isfinite(lcp_.lower[i]) && !std::isfinite(lcp_.upper[i]);
  }
  [[nodiscard]] bool is_zero(double velocity) const { return std::abs(velocity) <= 1e-14 * scale_; }
  [[nodiscard]] bool settle_in_place(std::size_t d);
  [[nodiscard]] Event find_event(std::size_t d, double direction) const;
  void consider(Event& best, std::size_t d, double length, std::size_t unknown, BoxState next) const;
  void move(std::size_t d, double step);
  void set_state(std::size_t i, BoxState next);
  void drive(std::size_t d, int pivots);

  const BoxLcp& lcp_;
  BoxWorkspace& scratch_;
  std::span<double> x_;
  SolveReport report_;
  double scale_ = 0;
};

// Between equal lengths d itself, which ends its drive, then the least index: against cycling.
void Dantzig::consider(Event& best, std::size_t d, double length, std::size_t unknown, BoxState next) const {
  if (length == std::numeric_limits<double>::infinity()) return;
  length = std::max(length, 0.0);
  const double tie = 1e-14 * (scale_ + std::min(length, best.length));
  if (length < best.length - tie || (length <= best.length + tie && best.unknown != d && unknown < best.unknown)) {
    best = {length, unknown, next};
  }
}

Dantzig::Event Dantzig::find_event(std::size_t d, double direction) const {
  const Dictionary& T = scratch_.dictionary;
  Event best;
  // What d itself meets on its way: its velocity reaches zero, or it reaches its bound.
  if (T(d, d) > kSmallestPivot) best = {std::abs(scratch_.w[d]) / T(d, d), d, BoxState::kInside};
  const double bound = direction > 0 ? lcp_.upper[d] - x_[d] : x_[d] - lcp_.lower[d];
  if (bound < best.length) best = {bound, d, direction > 0 ? BoxState::kUpper : BoxState::kLower};
  for (std::size_t i = 0; i < lcp_.size(); ++i) {
    const double change = direction * T(i, d);
    if (i == d || std::abs(change) <= kSmallestPivot) continue;
    switch (scratch_.state[i]) {
      case BoxState::kWaiting:
        break;
      case BoxState::kInside:
        if (change > 0) {
          consider(best, d, (lcp_.upper[i] - x_[i]) / change, i, BoxState::kUpper);
        } else {
          consider(best, d, (lcp_.lower[i] - x_[i]) / change, i, BoxState::kLower);
        }
        break;
      case BoxState::kLower:
      case BoxState::kUpper: {
        const bool leaves = (scratch_.state[i] == BoxState::kLower) == (change < 0);
        if (!leaves || lcp_.lower[i] == lcp_.upper[i] || T(i, i) <= kSmallestPivot) break;
        consider(best, d, std::abs(scratch_.w[i] / change), i, BoxState::kInside);
        break;
      }
    }
  }
  return best;
}

void Dantzig::move(std::size_t d, double step) {
  for (std::size_t i = 0; i < lcp_.size(); ++i) {
    if (i == d) continue;
    (scratch_.state[i] == BoxState::kInside ? x_[i] : scratch_.w[i]) += step * scratch_.dictionary(i, d);
  }
  scratch_.w[d] += step * scratch_.dictionary(d, d);
  x_[d] += step;
}

void Dantzig::set_state(std::size_t i, BoxState next) {
  const bool was_inside = scratch_.state[i] == BoxState::kInside;
  if (was_inside != (next == BoxState::kInside)) {
    scratch_.dictionary.exchange(i, i);
    ++report_.iterations;
  }
  scratch_.log.toggle(4 * i + static_cast<std::uint64_t>(scratch_.state[i]));
  scratch_.log.toggle(4 * i + static_cast<std::uint64_t>(next));
  scratch_.state[i] = next;
  if (next == BoxState::kInside || was_inside) scratch_.w[i] = 0;
  if (next == BoxState::kLower) x_[i] = lcp_.lower[i];
  if (next == BoxState::kUpper) x_[i] = lcp_.upper[i];
}

// True if d obeys its condition where it stands.
bool Dantzig::settle_in_place(std::size_t d) {
  const double w = scratch_.w[d];
  if (x_[d] == lcp_.lower[d] && (w >= 0 || is_zero(w) || lcp_.lower[d] == lcp_.upper[d])) {
    set_state(d, BoxState::kLower);
    return true;
  }
  if (x_[d] == lcp_.upper[d] && (w <= 0 || is_zero(w))) {
    set_state(d, BoxState::kUpper);
    return true;
  }
  if (!is_zero(w)) return false;
  if (scratch_.dictionary(d, d) > kSmallestPivot) {
    set_state(d, BoxState::kInside);
    return true;
  }
  // Implied by the inside rows. Those that are free stay inside for good, and so d stays implied.
  return is_free(d) && find_event(d, 1).unknown == kNone && find_event(d, -1).unknown == kNone;
}

void Dantzig::drive(std::size_t d, int pivots) {
  scratch_.log.clear();
  while (!settle_in_place(d)) {
    if (!scratch_.log.record()) report_.status = SolveStatus::kCycling;
    if (report_.iterations >= pivots) report_.status = SolveStatus::kIterationLimit;
    if (report_.status == SolveStatus::kCycling || report_.status == SolveStatus::kIterationLimit) return;
    double direction = scratch_.w[d] <= 0 ? 1 : -1;
    Event event = find_event(d, direction);
    if (event.unknown == kNone && is_zero(scratch_.w[d])) {
      // Only its redundancy has to be resolved: the other direction serves as well.
      direction = -direction;
      event = find_event(d, direction);
    }
    if (event.unknown == kNone) {
      report_.status = SolveStatus::kNoSolution;
      return;
    }
    move(d, direction * event.length);
    set_state(event.unknown, event.next);
    if (event.unknown == d) return;
  }
}

SolveReport Dantzig::run(int pivots) {
  for (const bool free : {true, false}) {
    for (std::size_t d = 0; d < lcp_.size(); ++d) {
      if (is_free(d) != free) continue;
      drive(d, pivots);
      if (report_.status == SolveStatus::kCycling || report_.status == SolveStatus::kIterationLimit) return report_;
    }
  }
  return report_;
}

// Solves A_ii x_i = −b_i − A_io x_o for the inside unknowns afresh; keeps that where it leaves a smaller residual.
double polish(const BoxLcp& lcp, BoxWorkspace& scratch, std::span<double> x) {
  const double before = compute_box_residual(lcp, x);
  scratch.inside.clear();
  scratch.polished.assign(x.begin(), x.end());
  for (std::uint32_t i = 0; i < lcp.size(); ++i) {
    if (scratch.state[i] != BoxState::kInside) continue;
    scratch.inside.push_back(i);
    scratch.polished[i] = 0;
  }
  const std::size_t m = scratch.inside.size();
  scratch.lu.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) scratch.lu(i, j) = lcp.at(scratch.inside[i], scratch.inside[j]);
    scratch.w[i] = -lcp.velocity(scratch.inside[i], scratch.polished);
  }
  if (!scratch.lu.factor()) return before;
  scratch.lu.solve(std::span(scratch.w).first(m));
  for (std::size_t i = 0; i < m; ++i) {
    const std::uint32_t at = scratch.inside[i];
    scratch.polished[at] = std::max(lcp.lower[at], std::min(lcp.upper[at], scratch.w[i]));
  }
  const double after = compute_box_residual(lcp, scratch.polished);
  if (!(after < before)) return before;
  std::copy(scratch.polished.begin(), scratch.polished.end(), x.begin());
  return after;
}

}  // namespace

void BoxLcp::resize(std::size_t n) {
  A.assign(n * n, 0.0);
  b.assign(n, 0.0);
  lower.assign(n, -std::numeric_limits<double>::infinity());
  upper.assign(n, std::numeric_limits<double>::infinity());
}

double BoxLcp::velocity(std::size_t i, std::span<const double> x) const {
  double w = b[i];
  for (std::size_t j = 0; j < size(); ++j) w += at(i, j) * x[j];
  return w;
}

double compute_box_residual(const BoxLcp& lcp, std::span<const double> x) {
  double largest = 0;
  for (std::size_t i = 0; i < lcp.size(); ++i) {
    const double image = std::max(std::min(x[i] - lcp.velocity(i, x), lcp.upper[i]), lcp.lower[i]);
    const double entry = std::abs(x[i] - image);
    if (entry > largest || entry != entry) largest = entry;
  }
  return largest;
}

SolveReport solve_box_lcp(const BoxLcp& lcp, int pivots, BoxWorkspace& scratch, std::span<double> x) {
  SolveReport report = Dantzig(lcp, scratch, x).run(pivots);
  report.residual = report.model_residual = polish(lcp, scratch, x);
  if (!std::isfinite(report.residual)) report.status = SolveStatus::kNotFinite;
  return report;
}

}  // namespace achilles
