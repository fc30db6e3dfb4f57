#include "impact/nonnegative_qp.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

// A column is dependent when less than this share of its squared length is new: above the rounding of the products that
// make the Gram matrix, below the square of every angle (1e-5) that the laws resolve.
constexpr double kDependent = 1e-13;

enum State : char { kAtZero, kPassive, kBanned };

}  // namespace

void PassiveFactor::reset(int capacity) {
  size_ = 0;
  capacity_ = capacity;
  lower_.resize(static_cast<std::size_t>(capacity) * capacity);
  diagonal_.resize(capacity);
}

bool PassiveFactor::append(const NonnegativeQp& problem, std::span<const int> passive, int j) {
  double* row = lower_.data() + static_cast<std::size_t>(size_) * capacity_;
  const double* column = problem.A.data() + static_cast<std::size_t>(j) * problem.size;
  double pivot = column[j];
  for (int i = 0; i < size_; ++i) {
    const double* above = lower_.data() + static_cast<std::size_t>(i) * capacity_;
    double y = column[passive[i]];
    for (int k = 0; k < i; ++k) y -= above[k] * row[k];
    row[i] = y;
  }
  for (int i = 0; i < size_; ++i) {
    const double scaled = row[i] / diagonal_[i];
    pivot -= row[i] * scaled;
    row[i] = scaled;
  }
  if (!(pivot > kDependent * column[j])) return false;
  diagonal_[size_++] = pivot;
  return true;
}

void PassiveFactor::solve(std::span<double> z) const {
  for (int i = 0; i < size_; ++i) {
    const double* row = lower_.data() + static_cast<std::size_t>(i) * capacity_;
    for (int k = 0; k < i; ++k) z[i] -= row[k] * z[k];
  }
  for (int i = 0; i < size_; ++i) z[i] /= diagonal_[i];
  for (int i = size_ - 1; i >= 0; --i) {
    const double* row = lower_.data() + static_cast<std::size_t>(i) * capacity_;
    for (int k = 0; k < i; ++k) z[k] -= row[k] * z[i];
  }
}

namespace {

class ActiveSet {
 public:
  ActiveSet(const NonnegativeQp& problem, NonnegativeQpWorkspace& scratch, std::span<double> lambda)
      : problem_(problem), scratch_(scratch), lambda_(lambda) {
    const int n = problem.size;
    scratch.factor.reset(n);
    scratch.passive.clear();
    scratch.passive.reserve(n);
    scratch.target.resize(n);
    scratch.residual.resize(n);
    scratch.gradient.assign(problem.b.begin(), problem.b.begin() + n);
    scratch.state.assign(n, kAtZero);
    std::fill(lambda.begin(), lambda.begin() + n, 0.0);
  }

  NonnegativeQpReport run() {
    NonnegativeQpReport report;
    const int cap = 20 * problem_.size + 50;
    for (int j = most_violated(); j >= 0; j = most_violated()) {
      if (++report.iterations > cap) {
        report.solved = false;
        break;
      }
      if (!enter(j)) {
        scratch_.state[j] = kBanned;
        continue;
      }
      lift_bans();
      refresh_gradient();
    }
    if (report.solved) report.solved = !any_banned_violated();
    return report;
  }

 private:
  int most_violated() const {
    int best = -1;
    double worst = 0;
    for (int i = 0; i < problem_.size; ++i) {
      if (scratch_.state[i] != kAtZero || scratch_.gradient[i] >= -problem_.tolerance[i]) continue;
      const double diagonal = problem_.A[static_cast<std::size_t>(i) * problem_.size + i];
      const double violation = scratch_.gradient[i] * scratch_.gradient[i] / diagonal;
      if (violation > worst) {
        worst = violation;
        best = i;
      }
    }
    return best;
  }

  bool any_banned_violated() const {
    for (int i = 0; i < problem_.size; ++i) {
      if (scratch_.state[i] == kBanned && scratch_.gradient[i] < -problem_.tolerance[i]) return true;
    }
    return false;
  }

  void lift_bans() {
    for (char& state : scratch_.state) {
      if (state == kBanned) state = kAtZero;
    }
  }

  bool enter(int j) {
    while (!scratch_.factor.append(problem_, scratch_.passive, j)) {
      if (!exchange(j)) return give_up(j);
    }
    scratch_.passive.push_back(j);
    scratch_.state[j] = kPassive;
    solve_target();
    // Rounding may turn the newcomer away at once; letting it in and out again would repeat for ever.
    if (lambda_[j] == 0 && scratch_.target[last()] <= 0) {
      drop(last());
      return false;
    }
    while (!step_to_target()) solve_target();
    return true;
  }

  // Column j still depends on columns none of which its growth uses up: only rounding distinguishes them.
  bool give_up(int j) {
    if (lambda_[j] == 0) return false;
    lambda_[j] = 0;
    solve_target();
    while (!step_to_target()) solve_target();
    refresh_gradient();
    return false;
  }

  // Column j = Σ c_i column i: moving along e_j − c changes no velocity. Goes until some λ_i is used up and drops it.
  bool exchange(int j) {
    std::vector<double>& c = scratch_.target;
    const int k = scratch_.factor.size();
    for (int i = 0; i < k; ++i) c[i] = entry(scratch_.passive[i], j);
    scratch_.factor.solve({c.data(), static_cast<std::size_t>(k)});
    int blocking = -1;
    double step = 0;
    for (int i = 0; i < k; ++i) {
      if (c[i] <= 1e-9) continue;
      const double limit = lambda_[scratch_.passive[i]] / c[i];
      if (blocking < 0 || limit < step) {
        blocking = i;
        step = limit;
      }
    }
    if (blocking < 0) return false;
    for (int i = 0; i < k; ++i)
      lambda_[scratch_.passive[i]] = std::max(0.0, lambda_[scratch_.passive[i]] - step * c[i]);
    lambda_[j] += step;
    drop(blocking);
    return true;
  }

  void solve_target() {
    const int k = scratch_.factor.size();
    std::vector<double>& z = scratch_.target;
    std::vector<double>& r = scratch_.residual;
    for (int i = 0; i < k; ++i) z[i] = -problem_.b[scratch_.passive[i]];
    scratch_.factor.solve({z.data(), static_cast<std::size_t>(k)});
    // One refinement: the residual must be small, also where the gradients nearly depend on each other.
    for (int i = 0; i < k; ++i) {
      double sum = -problem_.b[scratch_.passive[i]];
      for (int l = 0; l < k; ++l) sum -= entry(scratch_.passive[i], scratch_.passive[l]) * z[l];
      r[i] = sum;
    }
    scratch_.factor.solve({r.data(), static_cast<std::size_t>(k)});
    for (int i = 0; i < k; ++i) z[i] += r[i];
  }

  // True when the target was reached; else a λ became zero on the way and left the passive set.
  bool step_to_target() {
    const int k = scratch_.factor.size();
    double step = 1;
    int blocking = -1;
    for (int i = 0; i < k; ++i) {
      const double z = scratch_.target[i], now = lambda_[scratch_.passive[i]];
      if (z > 0) continue;
      const double limit = now > z ? now / (now - z) : 0;
      if (limit < step || blocking < 0) {
        step = std::min(step, limit);
        blocking = i;
      }
    }
    for (int i = 0; i < k; ++i) {
      double& now = lambda_[scratch_.passive[i]];
      now = blocking < 0 ? scratch_.target[i] : std::max(0.0, now + step * (scratch_.target[i] - now));
    }
    if (blocking < 0) return true;
    drop(blocking);
    return false;
  }

  void drop(int position) {
    std::vector<int>& passive = scratch_.passive;
    const int j = passive[position];
    lambda_[j] = 0;
    scratch_.state[j] = kAtZero;
    scratch_.factor.truncate(position);
    std::vector<int>::iterator out = passive.erase(passive.begin() + position);
    // What stood behind the hole is appended again; a column found dependent now could not have been in before, unless
    // by rounding: it leaves with its impulse.
    while (out != passive.end()) {
      if (scratch_.factor.append(problem_, passive, *out)) {
        ++out;
      } else {
        lambda_[*out] = 0;
        scratch_.state[*out] = kAtZero;
        out = passive.erase(out);
      }
    }
  }

  void refresh_gradient() {
    for (int i = 0; i < problem_.size; ++i) {
      double sum = problem_.b[i];
      for (const int j : scratch_.passive) sum += entry(i, j) * lambda_[j];
      scratch_.gradient[i] = sum;
    }
  }

  [[nodiscard]] int last() const { return static_cast<int>(scratch_.passive.size()) - 1; }
  [[nodiscard]] double entry(int i, int j) const { return problem_.A[static_cast<std::size_t>(i) * problem_.size + j]; }

  const NonnegativeQp& problem_;
  NonnegativeQpWorkspace& scratch_;
  std::span<double> lambda_;
};

}  // namespace

NonnegativeQpReport solve_nonnegative_qp(const NonnegativeQp& problem, NonnegativeQpWorkspace& scratch,
                                         std::span<double> lambda) {
  return ActiveSet(problem, scratch, lambda).run();
}

}  // namespace achilles
