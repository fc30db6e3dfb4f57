#include <algorithm>
#include <cmath>

#include "impact/propagation/estimate.hpp"
#include "impact/resolve.hpp"

namespace achilles {
namespace {

// Below this, gradients and approaches are rounding, whatever the tolerance.
constexpr double kRounding = 1e-14;

// Share of ‖x⁻‖_M that impulses may fail to explain before they are sought again.
constexpr double kUnexplained = 1e-9;

// Friction once, after the normal response, and whatever it drove together brought to rest again.
void apply_friction_after(double tolerance, ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  distribute_equalities(scratch);
  scratch.limits.resize(part.contacts.size());
  for (int i = 0; i < part.contact_count(); ++i) scratch.limits[i] = scratch.impulses[i] + scratch.extra[i];
  const double size = std::sqrt(part.squared_norm(scratch.x.data()));
  const FrictionReport friction = apply_friction(part, scratch.limits, std::max(1e-3 * tolerance, kRounding) * size,
                                                 scratch.propagation.friction, scratch.x, scratch.impulses);
  if (friction.sweeps == 0) return;
  const InelasticTask projection{{}, {}, std::max(1e-2 * tolerance, kRounding) * size};
  project_feasible(part, projection, scratch.propagation.inelastic, scratch.x, scratch.impulses);
}

// A line of n balls in contact has the margin √6 n^(−3/2) for large n: w = (1, 2, …, n) about its mean opens every
// contact by 1/√2 and is √(n³/12) long. Large parts are not opposed for being large, so what counts as opposed shrinks
// as fast.
double margin_scale(int contacts) {
  constexpr double kSmall = 100;
  return contacts <= kSmall ? 1 : std::pow(kSmall / contacts, 1.5);
}

void start_over(ImpactWorkspace& scratch, double& removed) {
  scratch.x = scratch.start;
  removed = 0.5 * scratch.part.gradients.project(scratch.x.data());
  scratch.impulses.assign(scratch.part.gradients.count(), 0.0);
}

}  // namespace

ImpactStatus resolve_propagation(ElasticTask task, ImpactWorkspace& scratch, ImpactReport& report) {
  ImpactPart& part = scratch.part;
  task.options.margin *= margin_scale(part.contact_count());
  const PropagationOptions& options = task.options;
  const double noise = std::max(options.tolerance, 1e-12);
  const int joints = part.gradients.equalities();
  Margin margin;
  if (options.lineality) {
    margin = remove_lineality(part, options.margin, noise, scratch.lineality).margin;
    report.margin = std::min(report.margin, margin.lower);
  }
  if (options.friction == ImpactFriction::kCoupled) {
    const double friction_margin = compute_friction_margin(part, scratch.lineality);
    report.friction_margin = std::min(report.friction_margin, friction_margin);
    task.is_bounded = friction_margin > options.margin;
    report.friction_pointed &= task.is_bounded;
  }
  double removed = 0, expected = 0;
  ElasticReport outcome;
  if (options.lineality) {
    start_over(scratch, removed);
    expected = expected_iterations(part, task, margin, scratch.lineality.point, scratch.x);
  }
  for (;;) {
    start_over(scratch, removed);
    outcome = resolve_restitution(part, task, scratch.restitution, scratch.propagation, scratch.x, scratch.impulses);
    // The detector is the second line: contacts so close to opposed that the first could not decide are opposed now.
    const bool again =
        outcome.status == ImpactStatus::kOpposed && options.lineality && options.friction != ImpactFriction::kCoupled &&
        project_out(part, scratch.propagation.opposing, scratch.propagation.opposing_weights, noise, scratch.lineality);
    if (!again) break;
  }
  const int dimension = part.gradients.equalities() - joints;
  report.lineality += dimension;
  report.lineality_parts += dimension > 0;
  report.energy_removed += removed;
  report.iterations += outcome.iterations;
  report.hastened_parts += outcome.hastened;
  if (outcome.iterations >= report.iterations_max) {
    report.iterations_max = outcome.iterations;
    report.expected_iterations = expected;
  }
  if (options.friction == ImpactFriction::kAfter && outcome.status == ImpactStatus::kResolved) {
    apply_friction_after(options.tolerance, scratch);
  }
  return outcome.status;
}

ImpactStatus resolve_inelastic(const InelasticLaw& law, ImpactWorkspace& scratch, ImpactReport& report) {
  const ImpactPart& part = scratch.part;
  double removed = 0;
  start_over(scratch, removed);
  report.energy_removed += removed;
  report.iterations += 1;
  report.iterations_max = std::max<std::int64_t>(report.iterations_max, 1);
  const double size = std::sqrt(part.squared_norm(scratch.start.data()));
  const InelasticTask projection{{}, scratch.targets, std::max(1e-2 * law.tolerance, kRounding) * size};
  const InelasticReport outcome =
      project_feasible(part, projection, scratch.propagation.inelastic, scratch.x, scratch.impulses);
  if (!outcome.feasible) return scratch.targets.empty() ? ImpactStatus::kIterationLimit : ImpactStatus::kSqueezed;
  // Friction needs a frame in which all contacts rest; without one, the normal response is all that is done.
  if (law.friction && scratch.targets.empty()) apply_friction_after(law.tolerance, scratch);
  return ImpactStatus::kResolved;
}

namespace {

// Impulses of joints alone: a linear system, dependent joints left out.
void distribute_joints(ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  const int n = part.joint_count();
  std::vector<double>& matrix = scratch.lineality.matrix;
  NonnegativeQpWorkspace& qp = scratch.lineality.qp;
  matrix.resize(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      matrix[static_cast<std::size_t>(i) * n + j] =
          part.gradients.gram_original(part.first_joint + i, part.first_joint + j);
    }
  }
  NonnegativeQp problem;
  problem.size = n;
  problem.A = matrix;
  qp.factor.reset(n);
  qp.passive.clear();
  for (int i = 0; i < n; ++i) {
    if (qp.factor.append(problem, qp.passive, i)) qp.passive.push_back(i);
  }
  qp.target.resize(n);
  const std::span<double> y(qp.target.data(), qp.passive.size());
  // Once more on what is left, for the last digits.
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < y.size(); ++k) {
      y[k] = part.gradients.velocity_original(part.first_joint + qp.passive[k], scratch.residual.data());
    }
    qp.factor.solve(y);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const int column = part.first_joint + qp.passive[k];
      scratch.extra[column] += y[k];
      part.gradients.apply_original(column, -y[k], scratch.residual.data());
    }
  }
}

// Impulses of contacts and joints, the former not negative, that make up `scratch.residual`: least squares over a cone.
// Contacts: all, or only those that lost something to equality constraints.
void distribute_over_cone(bool all, ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  LinealityWorkspace& l = scratch.lineality;
  scratch.bearing.clear();
  for (int i = 0; i < part.contact_count(); ++i) {
    if (all || part.gradients.squared_norm(i) < (1 - 1e-12) * part.gradients.squared_norm_original(i)) {
      scratch.bearing.push_back(i);
    }
  }
  const int contacts = static_cast<int>(scratch.bearing.size());
  for (int j = 0; j < part.joint_count(); ++j) {
    scratch.bearing.push_back(part.first_joint + j);
    scratch.bearing.push_back(part.first_joint + j);
  }
  const auto sign = [contacts](int k) { return k < contacts || (k - contacts) % 2 == 0 ? 1.0 : -1.0; };
  const int n = static_cast<int>(scratch.bearing.size());
  const double size = std::sqrt(part.squared_norm(scratch.residual.data()));
  l.matrix.resize(static_cast<std::size_t>(n) * n);
  l.linear.resize(n);
  l.tolerance.resize(n);
  l.weights.resize(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      l.matrix[static_cast<std::size_t>(i) * n + j] =
          sign(i) * sign(j) * part.gradients.gram_original(scratch.bearing[i], scratch.bearing[j]);
    }
    l.linear[i] = -sign(i) * part.gradients.velocity_original(scratch.bearing[i], scratch.residual.data());
    l.tolerance[i] = 1e-14 * size * std::sqrt(part.gradients.squared_norm_original(scratch.bearing[i]));
  }
  const NonnegativeQp problem{n, l.matrix, l.linear, l.tolerance};
  static_cast<void>(solve_nonnegative_qp(problem, l.qp, l.weights));  // what is left is measured by the caller
  for (int i = 0; i < n; ++i) {
    scratch.extra[scratch.bearing[i]] += sign(i) * l.weights[i];
    part.gradients.apply_original(scratch.bearing[i], -sign(i) * l.weights[i], scratch.residual.data());
  }
}

/// `scratch.residual` = x − x⁻ − Σ λ_c M⁻¹ n_c over the columns from `first` to the joints.
void set_residual(int first, ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  scratch.residual.resize(scratch.x.size());
  for (std::size_t k = 0; k < scratch.x.size(); ++k) scratch.residual[k] = scratch.x[k] - scratch.start[k];
  for (int c = first; c < part.first_joint; ++c) {
    if (scratch.impulses[c] != 0) part.gradients.apply_original(c, -scratch.impulses[c], scratch.residual.data());
  }
}

double distribute_at_once(double accepted, ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  scratch.extra.assign(part.gradients.count(), 0.0);
  set_residual(0, scratch);
  if (part.gradients.equalities() > 0) {
    if (part.opposed) {
      distribute_over_cone(false, scratch);
    } else {
      distribute_joints(scratch);
    }
  }
  const double unexplained = std::sqrt(part.squared_norm(scratch.residual.data()));
  if (!part.opposed || unexplained <= accepted) return unexplained;
  // What is left of nearly opposed gradients needs impulses so large that their sum drowns what they do. The normal
  // impulses are then those that come nearest to the whole change of velocity.
  scratch.first_extra.assign(scratch.extra.begin(), scratch.extra.end());
  scratch.extra.assign(part.gradients.count(), 0.0);
  set_residual(part.contact_count(), scratch);
  distribute_over_cone(true, scratch);
  const double second = std::sqrt(part.squared_norm(scratch.residual.data()));
  if (second > unexplained) {
    scratch.extra.swap(scratch.first_extra);
    return unexplained;
  }
  std::fill_n(scratch.impulses.begin(), part.contact_count(), 0.0);
  return second;
}

// From no impulses at all, one contact or joint after the other takes what it can of the residual, which therefore
// never grows. Slower to settle than the problem as a whole, but no impulse becomes larger than what it stops.
double distribute_one_by_one(ImpactWorkspace& scratch) {
  constexpr int kSweeps = 200;
  const ImpactPart& part = scratch.part;
  scratch.extra.assign(part.gradients.count(), 0.0);
  set_residual(part.contact_count(), scratch);
  const auto take = [&](int c, bool both_ways) {
    const double squared = part.gradients.squared_norm_original(c);
    if (!(squared > 0)) return 0.0;
    const double wanted = part.gradients.velocity_original(c, scratch.residual.data()) / squared;
    const double taken = both_ways ? wanted : std::max(wanted, -scratch.extra[c]);
    scratch.extra[c] += taken;
    part.gradients.apply_original(c, -taken, scratch.residual.data());
    return taken * taken * squared;
  };
  const double negligible = kRounding * kRounding * part.squared_norm(scratch.start.data());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double most = 0;
    for (int i = 0; i < part.contact_count(); ++i) most = std::max(most, take(i, false));
    for (int j = part.first_joint; j < part.gradients.count(); ++j) most = std::max(most, take(j, true));
    if (most <= negligible) break;
  }
  return std::sqrt(part.squared_norm(scratch.residual.data()));
}

}  // namespace

double distribute_equalities(ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  const double accepted = kUnexplained * std::sqrt(part.squared_norm(scratch.start.data()));
  const double fast = distribute_at_once(accepted, scratch);
  if (!part.opposed || fast <= accepted) return fast;
  scratch.first_extra.assign(scratch.extra.begin(), scratch.extra.end());
  const double slow = distribute_one_by_one(scratch);
  if (slow >= fast) {
    scratch.extra.swap(scratch.first_extra);
    return fast;
  }
  std::fill_n(scratch.impulses.begin(), part.contact_count(), 0.0);
  return slow;
}

}  // namespace achilles
