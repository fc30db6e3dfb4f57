#include "impact/propagation/restitution.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

// X(∅), with friction if the task couples it.
ElasticReport resolve_inelastic(const ImpactPart& part, const ElasticTask& task, PropagationWorkspace& scratch,
                                std::span<double> x, std::span<double> impulses) {
  const double size = std::sqrt(part.squared_norm(x.data()));
  const InelasticTask projection{{}, {}, 1e-2 * task.options.tolerance * size};
  bool feasible = project_feasible(part, projection, scratch.inelastic, x, impulses).feasible;
  if (task.options.friction == ImpactFriction::kCoupled) {
    scratch.limits.assign(impulses.begin(), impulses.begin() + part.contact_count());
    apply_friction(part, scratch.limits, 1e-12 * size, scratch.friction, x, impulses);
    feasible = project_feasible(part, projection, scratch.inelastic, x, impulses).feasible;
  }
  return {feasible ? ImpactStatus::kResolved : ImpactStatus::kIterationLimit, 1, false};
}

void add_scaled(std::span<const double> what, double scale, std::span<double> sum) {
  for (std::size_t k = 0; k < what.size(); ++k) sum[k] += scale * what[k];
}

}  // namespace

ElasticReport resolve_restitution(const ImpactPart& part, ElasticTask task, RestitutionWorkspace& outcomes,
                                  PropagationWorkspace& scratch, std::span<double> x, std::span<double> impulses) {
  std::fill(impulses.begin(), impulses.end(), 0.0);
  std::vector<double>& levels = outcomes.levels;
  levels.assign(1, 1.0);
  for (int i = 0; i < part.contact_count(); ++i) {
    if (!part.removed[i]) levels.push_back(part.contacts[i].restitution);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const bool elastic = levels.front() == 1 || task.options.restitution == ImpactRestitution::kPerImpact;
  if (elastic) return propagate_elastic(part, task, scratch, x, impulses);

  ElasticReport report;
  outcomes.start.assign(x.begin(), x.end());
  outcomes.sum_x.assign(x.size(), 0.0);
  outcomes.sum_impulses.assign(impulses.size(), 0.0);
  double below = 0;
  for (const double level : levels) {
    if (level == below) continue;
    // Within (below, level) exactly the contacts with c_i ≥ level are elastic.
    bool any_elastic = false;
    outcomes.elastic.resize(part.contacts.size());
    for (int i = 0; i < part.contact_count(); ++i) {
      outcomes.elastic[i] = part.removed[i] || part.contacts[i].restitution >= level;
      any_elastic |= outcomes.elastic[i] && !part.removed[i];
    }
    task.elastic = outcomes.elastic;
    outcomes.x = outcomes.start;
    outcomes.impulses.assign(impulses.size(), 0.0);
    const ElasticReport outcome = any_elastic ? propagate_elastic(part, task, scratch, outcomes.x, outcomes.impulses)
                                              : resolve_inelastic(part, task, scratch, outcomes.x, outcomes.impulses);
    report.iterations += outcome.iterations;
    report.hastened |= outcome.hastened;
    add_scaled(outcomes.x, level - below, outcomes.sum_x);
    add_scaled(outcomes.impulses, level - below, outcomes.sum_impulses);
    below = level;
    if (outcome.status != ImpactStatus::kResolved) {
      report.status = outcome.status;
      break;
    }
  }
  if (report.status != ImpactStatus::kResolved) {
    std::copy(outcomes.x.begin(), outcomes.x.end(), x.begin());
    std::copy(outcomes.impulses.begin(), outcomes.impulses.end(), impulses.begin());
    return report;
  }
  std::copy(outcomes.sum_x.begin(), outcomes.sum_x.end(), x.begin());
  std::copy(outcomes.sum_impulses.begin(), outcomes.sum_impulses.end(), impulses.begin());
  return report;
}

}  // namespace achilles
