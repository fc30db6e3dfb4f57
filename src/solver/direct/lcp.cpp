#include "solver/direct/lcp.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

// What counts as rounding, as shares of the numbers it is compared with.
struct RoundingRule {
  double pivot;  // an entry below this share of its column is zero
  double tie;    // ratios this near are the same
  bool largest;  // of equal ratios the largest pivot, not the lexicographic rule
};

class Lemke {
 public:
  Lemke(const DenseLcp& lcp, const RoundingRule& rule, LcpWorkspace& scratch)
      : scratch_(scratch), n_(lcp.size()), rule_(rule) {
    Dictionary& T = scratch_.dictionary;
    T.resize(n_, n_ + 1);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) T(i, j) = lcp.at(i, j);
      T(i, n_) = 1;
      T.rhs()[i] = lcp.q[i];
      largest_q_ = std::max(largest_q_, std::abs(lcp.q[i]));
    }
    scratch_.basic.resize(n_);
    scratch_.nonbasic.resize(n_ + 1);
    scratch_.place.resize(2 * n_ + 1);
    for (std::uint32_t k = 0; k < n_; ++k) put_basic(k, k);
    for (std::uint32_t k = 0; k <= n_; ++k) put_nonbasic(static_cast<std::uint32_t>(n_) + k, k);
    scratch_.log.clear();
  }

  SolveReport run(int pivots);
  void read(std::span<double> z) const;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  void put_basic(std::uint32_t unknown, std::size_t row) {
    scratch_.basic[row] = unknown;
    scratch_.place[unknown] = static_cast<std::uint32_t>(row);
  }
  void put_nonbasic(std::uint32_t unknown, std::size_t column) {
    scratch_.nonbasic[column] = unknown;
    scratch_.place[unknown] = static_cast<std::uint32_t>(n_ + column);
  }
  [[nodiscard]] std::uint32_t artificial() const { return static_cast<std::uint32_t>(2 * n_); }
  [[nodiscard]] std::uint32_t complement(std::uint32_t unknown) const {
    return static_cast<std::uint32_t>(unknown < n_ ? unknown + n_ : unknown - n_);
  }
  // Coefficient of ε_k in the value of row i when q is perturbed to q + (ε, ε², …): column k of the inverse basis.
  [[nodiscard]] double perturbation(std::size_t i, std::size_t k) const {
    const std::uint32_t at = scratch_.place[k];
    if (at < n_) return at == i ? 1 : 0;
    return -scratch_.dictionary(i, at - n_);
  }
  [[nodiscard]] std::uint32_t first_row() const;
  [[nodiscard]] std::uint32_t choose_row(std::size_t column) const;
  [[nodiscard]] std::uint32_t break_ties(std::size_t column) const;
  void exchange(std::size_t row, std::size_t column);

  LcpWorkspace& scratch_;
  std::size_t n_;
  double largest_q_ = 0;
  RoundingRule rule_;
};

// The row that z₀ must enter at to make all w nonnegative: the smallest q; of equal ones the last, as its ε is least.
std::uint32_t Lemke::first_row() const {
  const std::span<const double> q = scratch_.dictionary.rhs();
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < n_; ++i) {
    if (q[i] <= q[best]) best = i;
  }
  return best;
}

std::uint32_t Lemke::choose_row(std::size_t column) const {
  const Dictionary& T = scratch_.dictionary;
  double smallest = HUGE_VAL, largest_entry = 1;
  for (std::size_t i = 0; i < n_; ++i) largest_entry = std::max(largest_entry, std::abs(T(i, column)));
  const double smallest_pivot = rule_.pivot * largest_entry;
  for (std::size_t i = 0; i < n_; ++i) {
    if (T(i, column) >= -smallest_pivot) continue;
    smallest = std::min(smallest, std::max(T.rhs()[i], 0.0) / -T(i, column));
  }
  if (smallest == HUGE_VAL) return kNone;
  const double tie = smallest + rule_.tie * (smallest + largest_q_);
  scratch_.candidates.clear();
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (T(i, column) >= -smallest_pivot || std::max(T.rhs()[i], 0.0) / -T(i, column) > tie) continue;
    if (scratch_.basic[i] == artificial()) return i;  // z₀ = 0: done
    scratch_.candidates.push_back(i);
  }
  return break_ties(column);
}

std::uint32_t Lemke::break_ties(std::size_t column) const {
  constexpr double kSame = 1e-11;
  const Dictionary& T = scratch_.dictionary;
  std::vector<std::uint32_t>& rows = scratch_.candidates;
  for (std::size_t k = 0; k < n_ && rows.size() > 1 && !rule_.largest; ++k) {
    double smallest = HUGE_VAL;
    for (const std::uint32_t i : rows) smallest = std::min(smallest, perturbation(i, k) / -T(i, column));
    std::erase_if(rows, [&](std::uint32_t i) {
      return perturbation(i, k) / -T(i, column) > smallest + kSame * (1 + std::abs(smallest));
    });
  }
  return *std::min_element(rows.begin(), rows.end(),
                           [&](std::uint32_t i, std::uint32_t j) { return T(i, column) < T(j, column); });
}

void Lemke::exchange(std::size_t row, std::size_t column) {
  const std::uint32_t leaving = scratch_.basic[row], entering = scratch_.nonbasic[column];
  scratch_.dictionary.exchange(row, column);
  put_basic(entering, row);
  put_nonbasic(leaving, column);
  scratch_.log.toggle(entering);
  scratch_.log.toggle(leaving);
}

SolveReport Lemke::run(int pivots) {
  SolveReport report;
  if (n_ == 0) return report;
  std::uint32_t row = first_row();
  if (scratch_.dictionary.rhs()[row] >= 0) return report;
  std::size_t column = n_;
  while (true) {
    const std::uint32_t leaving = scratch_.basic[row];
    exchange(row, column);
    ++report.iterations;
    if (leaving == artificial()) return report;
    report.status = report.iterations >= pivots ? SolveStatus::kIterationLimit : SolveStatus::kSolved;
    if (!scratch_.log.record()) report.status = SolveStatus::kCycling;
    if (report.status != SolveStatus::kSolved) return report;
    column = scratch_.place[complement(leaving)] - n_;
    row = choose_row(column);
    if (row == kNone) {
      report.status = SolveStatus::kNoSolution;
      return report;
    }
  }
}

void Lemke::read(std::span<double> z) const {
  for (std::size_t k = 0; k < n_; ++k) {
    const std::uint32_t at = scratch_.place[n_ + k];
    z[k] = at < n_ ? std::max(scratch_.dictionary.rhs()[at], 0.0) : 0.0;
  }
}

// Solves M_aa z_a = −q_a for the basic z afresh; keeps that where it leaves a smaller residual.
double polish(const DenseLcp& lcp, LcpWorkspace& scratch, std::span<double> z) {
  const double before = compute_lcp_residual(lcp, z);
  const std::size_t n = lcp.size();
  scratch.active.clear();
  for (std::uint32_t k = 0; k < n; ++k) {
    if (scratch.place[n + k] < n) scratch.active.push_back(k);
  }
  const std::size_t m = scratch.active.size();
  scratch.lu.resize(m);
  scratch.polished.resize(std::max(m, n));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) scratch.lu(i, j) = lcp.at(scratch.active[i], scratch.active[j]);
    scratch.polished[i] = -lcp.q[scratch.active[i]];
  }
  if (!scratch.lu.factor()) return before;
  scratch.lu.solve(std::span(scratch.polished).first(m));
  // Scattered from the back: entry i moves to active[i] ≥ i.
  for (std::size_t k = n, i = m; k-- > 0;) {
    const bool is_active = i > 0 && scratch.active[i - 1] == k;
    scratch.polished[k] = is_active ? std::max(scratch.polished[--i], 0.0) : 0.0;
  }
  const double after = compute_lcp_residual(lcp, scratch.polished);
  if (!(after < before)) return before;
  std::copy_n(scratch.polished.begin(), n, z.begin());
  return after;
}

// What the rounding of w = M z + q is relative to.
double largest_term(const DenseLcp& lcp, std::span<const double> z) {
  double largest = 0;
  for (std::size_t i = 0; i < lcp.size(); ++i) {
    double sum = std::abs(lcp.q[i]);
    for (std::size_t j = 0; j < lcp.size(); ++j) sum += std::abs(lcp.at(i, j) * z[j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

void DenseLcp::resize(std::size_t n) {
  M.assign(n * n, 0.0);
  q.assign(n, 0.0);
}

double DenseLcp::velocity(std::size_t i, std::span<const double> z) const {
  double w = q[i];
  for (std::size_t j = 0; j < size(); ++j) w += at(i, j) * z[j];
  return w;
}

double compute_lcp_residual(const DenseLcp& lcp, std::span<const double> z) {
  double largest = 0;
  for (std::size_t i = 0; i < lcp.size(); ++i) {
    const double entry = std::abs(std::min(lcp.velocity(i, z), z[i]));
    if (entry > largest || entry != entry) largest = entry;
  }
  return largest;
}

SolveReport solve_lcp_lemke(const DenseLcp& lcp, int pivots, LcpWorkspace& scratch, std::span<double> z) {
  // What is rounding depends on how much the pivots before have cancelled, so a run that ends off a solution is
  // repeated under another rule. A wide tie with the largest pivot [Harris's ratio test] leaves bounds by as little as
  // the tie and keeps the pivots large where contacts are nearly redundant.
  constexpr RoundingRule kRules[] = {
      {1e-11, 1e-13, false}, {1e-9, 1e-10, true}, {1e-8, 1e-8, true}, {1e-8, 1e-13, false}, {1e-13, 1e-13, false}};
  constexpr double kAccurate = 1e-12;
  SolveReport best;
  int used = 0;
  for (const RoundingRule& rule : kRules) {
    Lemke lemke(lcp, rule, scratch);
    SolveReport report = lemke.run(pivots - used);
    used += report.iterations;
    scratch.trial.resize(lcp.size());
    lemke.read(scratch.trial);
    report.residual = report.model_residual = polish(lcp, scratch, scratch.trial);
    const bool is_first = &rule == &kRules[0];
    if (is_first || report.residual < best.residual) {
      best = report;
      std::copy(scratch.trial.begin(), scratch.trial.end(), z.begin());
    }
    const bool is_accurate = !(best.residual > kAccurate * largest_term(lcp, z));
    if ((is_accurate && best.status == SolveStatus::kSolved) || used >= pivots) break;
  }
  best.iterations = used;
  if (!std::isfinite(best.residual)) best.status = SolveStatus::kNotFinite;
  return best;
}

}  // namespace achilles
