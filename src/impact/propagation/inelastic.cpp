#include "impact/propagation/inelastic.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

class FeasibleProjection {
 public:
  FeasibleProjection(const ImpactPart& part, const InelasticTask& task, InelasticWorkspace& scratch,
                     std::span<double> x)
      : part_(part), task_(task), scratch_(scratch), x_(x) {
    scratch.in_play.clear();
    scratch.entered.assign(part.contact_count(), 0);
    scratch.start.assign(x.begin(), x.end());
  }

  InelasticReport run(std::span<double> impulses) {
    InelasticReport report;
    bool solved = true;
    while (enter_violated()) {
      ++report.rounds;
      solved = solve();
    }
    if (report.rounds == 0) return report;
    if (!solved || worst() > task_.tolerance) relax();
    report.feasible = worst() <= task_.tolerance;
    for (std::size_t k = 0; k < scratch_.in_play.size(); ++k) impulses[scratch_.in_play[k]] += scratch_.lambda[k];
    return report;
  }

 private:
  [[nodiscard]] double approach(int i) const {
    if (part_.removed[i] || (!task_.rows.empty() && !task_.rows[i])) return 0;
    const double target = task_.targets.empty() ? 0 : task_.targets[i];
    return (target - part_.gradients.velocity(i, x_.data())) / std::sqrt(part_.gradients.squared_norm(i));
  }

  [[nodiscard]] double worst() const {
    double most = 0;
    for (int i = 0; i < part_.contact_count(); ++i) most = std::max(most, approach(i));
    return most;
  }

  bool enter_violated() {
    const std::size_t before = scratch_.in_play.size();
    for (int i = 0; i < part_.contact_count(); ++i) {
      if (scratch_.entered[i] || approach(i) <= task_.tolerance) continue;
      scratch_.entered[i] = 1;
      scratch_.in_play.push_back(i);
    }
    return scratch_.in_play.size() > before;
  }

  bool solve() {
    const std::vector<int>& rows = scratch_.in_play;
    const int n = static_cast<int>(rows.size());
    scratch_.matrix.resize(static_cast<std::size_t>(n) * n);
    scratch_.linear.resize(n);
    scratch_.tolerance.resize(n);
    scratch_.lambda.resize(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        const double entry = part_.gradients.gram(rows[i], rows[j]);
        scratch_.matrix[static_cast<std::size_t>(i) * n + j] = entry;
        scratch_.matrix[static_cast<std::size_t>(j) * n + i] = entry;
      }
      const double target = task_.targets.empty() ? 0 : task_.targets[rows[i]];
      scratch_.linear[i] = part_.gradients.velocity(rows[i], scratch_.start.data()) - target;
      scratch_.tolerance[i] = 0.1 * task_.tolerance * std::sqrt(part_.gradients.squared_norm(rows[i]));
    }
    const NonnegativeQp problem{n, scratch_.matrix, scratch_.linear, scratch_.tolerance};
    const bool solved = solve_nonnegative_qp(problem, scratch_.qp, scratch_.lambda).solved;
    std::copy(scratch_.start.begin(), scratch_.start.end(), x_.begin());
    for (int i = 0; i < n; ++i) part_.gradients.apply(rows[i], scratch_.lambda[i], x_.data());
    return solved;
  }

  // Where gradients are too nearly dependent for the direct method, sweeps finish: each lowers the distance.
  void relax() {
    constexpr int kSweeps = 2000;
    for (int i = 0; i < part_.contact_count(); ++i) {
      if (scratch_.entered[i]) continue;
      scratch_.entered[i] = 1;
      scratch_.in_play.push_back(i);
    }
    scratch_.lambda.resize(scratch_.in_play.size(), 0.0);
    for (int sweep = 0; sweep < kSweeps && worst() > task_.tolerance; ++sweep) {
      for (std::size_t k = 0; k < scratch_.in_play.size(); ++k) {
        const int i = scratch_.in_play[k];
        if (part_.removed[i] || (!task_.rows.empty() && !task_.rows[i])) continue;
        const double norm = std::sqrt(part_.gradients.squared_norm(i));
        const double now = std::max(0.0, scratch_.lambda[k] + approach(i) / norm);
        part_.gradients.apply(i, now - scratch_.lambda[k], x_.data());
        scratch_.lambda[k] = now;
      }
    }
  }

  const ImpactPart& part_;
  const InelasticTask& task_;
  InelasticWorkspace& scratch_;
  std::span<double> x_;
};

}  // namespace

InelasticReport project_feasible(const ImpactPart& part, const InelasticTask& task, InelasticWorkspace& scratch,
                                 std::span<double> x, std::span<double> impulses) {
  return FeasibleProjection(part, task, scratch, x).run(impulses);
}

}  // namespace achilles
