#include "impact/propagation/lineality.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace achilles {
namespace {

double norm_of(const ImpactPart& part, int c) { return std::sqrt(part.gradients.squared_norm(c)); }

void list_live(const ImpactPart& part, std::vector<int>& live) {
  live.clear();
  for (int i = 0; i < part.contact_count(); ++i) {
    if (!part.removed[i]) live.push_back(i);
  }
}

// Smallest cosine between the velocity `point` and a unit gradient.
double smallest_opening(const ImpactPart& part, std::span<const int> live, const std::vector<double>& point) {
  const double length = std::sqrt(part.squared_norm(point.data()));
  if (!(length > 0)) return 0;
  double least = 1;
  for (const int i : live) {
    least = std::min(least, part.gradients.velocity(i, point.data()) / (norm_of(part, i) * length));
  }
  return least;
}

void combine(const ImpactPart& part, LinealityWorkspace& scratch) {
  scratch.point.assign(part.dimension(), 0.0);
  for (std::size_t k = 0; k < scratch.live.size(); ++k) {
    if (scratch.weights[k] == 0) continue;
    part.gradients.apply(scratch.live[k], scratch.weights[k] / norm_of(part, scratch.live[k]), scratch.point.data());
  }
}

// Weights λ ≥ 0 of the point of the convex hull nearest to 0: the least-squares solution of Σ λ_i n_i = 0, Σ λ_i = 1 with
// λ ≥ 0 has the same direction.   [LawsonHanson74, ch. 23]
void solve_nearest_point(int n, LinealityWorkspace& scratch) {
  for (double& entry : scratch.matrix) entry += 1;
  scratch.linear.assign(n, -1.0);
  scratch.tolerance.assign(n, 1e-13);
  scratch.weights.resize(n);
  const NonnegativeQp problem{n, scratch.matrix, scratch.linear, scratch.tolerance};
  // Whether it solved the problem is not asked: the caller checks the witnesses.
  static_cast<void>(solve_nonnegative_qp(problem, scratch.qp, scratch.weights));
  const double sum = std::accumulate(scratch.weights.begin(), scratch.weights.end(), 0.0);
  if (sum > 0) {
    for (double& weight : scratch.weights) weight /= sum;
  }
}

}  // namespace

Margin compute_margin(const ImpactPart& part, double enough, LinealityWorkspace& scratch) {
  list_live(part, scratch.live);
  const int n = static_cast<int>(scratch.live.size());
  if (n == 0) return {};
  scratch.weights.assign(n, 1.0 / n);
  combine(part, scratch);
  Margin margin{smallest_opening(part, scratch.live, scratch.point), std::sqrt(part.squared_norm(scratch.point.data()))};
  if (margin.lower >= enough) return margin;

  scratch.matrix.resize(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double entry = part.gradients.gram(scratch.live[i], scratch.live[j]) /
                           (norm_of(part, scratch.live[i]) * norm_of(part, scratch.live[j]));
      scratch.matrix[static_cast<std::size_t>(i) * n + j] = scratch.matrix[static_cast<std::size_t>(j) * n + i] = entry;
    }
  }
  solve_nearest_point(n, scratch);
  combine(part, scratch);
  return {smallest_opening(part, scratch.live, scratch.point), std::sqrt(part.squared_norm(scratch.point.data()))};
}

bool shave(ImpactPart& part, std::span<const int> opposed, double margin, double noise, LinealityWorkspace& scratch) {
  const int k = static_cast<int>(opposed.size());
  Eigen::MatrixXd gram(k, k);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      gram(i, j) = part.gradients.gram(opposed[i], opposed[j]) / (norm_of(part, opposed[i]) * norm_of(part, opposed[j]));
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  // Weights within the simplex have length at least 1/√k, so the direction in which the set nearly cancels has a singular
  // value of at most ρ √k. It is what separates the set from being opposed exactly, and it stays.
  const double threshold = 1.01 * margin * std::sqrt(k);
  bool grown = false;
  scratch.combination.resize(k);
  for (int e = k - 1; e >= 0; --e) {
    const double singular = std::sqrt(std::max(0.0, solver.eigenvalues()[e]));
    if (singular <= threshold) break;
    for (int i = 0; i < k; ++i) {
      scratch.combination[i] = solver.eigenvectors()(i, e) / (singular * norm_of(part, opposed[i]));
    }
    grown |= part.gradients.add_equality(opposed, scratch.combination, 1e-10);
  }
  part.gradients.project_columns();
  for (int i = 0; i < part.contact_count(); ++i) {
    const double left = part.gradients.squared_norm(i);
    part.removed[i] = !(left > noise * noise * part.gradients.squared_norm_original(i));
  }
  part.opposed |= grown;
  return grown;
}

LinealityReport remove_lineality(ImpactPart& part, double margin, double noise, LinealityWorkspace& scratch) {
  LinealityReport report;
  const int before = part.gradients.equalities();
  for (int round = 0; round <= part.dimension(); ++round) {
    report.margin = compute_margin(part, margin, scratch);
    ++report.rounds;
    if (report.margin.upper > margin) break;
    scratch.support.clear();
    for (std::size_t k = 0; k < scratch.live.size(); ++k) {
      if (scratch.weights[k] > 1e-9) scratch.support.push_back(scratch.live[k]);
    }
    if (!shave(part, scratch.support, margin, noise, scratch)) break;
  }
  report.dimension = part.gradients.equalities() - before;
  return report;
}

void remove_joints(ImpactPart& part, double noise) {
  for (int j = 0; j < part.joint_count(); ++j) {
    const int column = part.first_joint + j;
    const double one = 1;
    part.gradients.add_equality({&column, 1}, {&one, 1}, 1e-9);
  }
  part.gradients.project_columns();
  for (int i = 0; i < part.contact_count(); ++i) {
    part.removed[i] = !(part.gradients.squared_norm(i) > noise * noise * part.gradients.squared_norm_original(i));
  }
}

double compute_friction_margin(const ImpactPart& part, LinealityWorkspace& scratch) {
  constexpr int kFacets = 8;
  list_live(part, scratch.live);
  // Facet f of contact i: n_i + µ_i (cos, sin) · T_i / cos(π/8), which contains the cone.
  struct Facet {
    int contact;
    double t1, t2;
  };
  const auto facet = [&](int index) {
    const int i = scratch.live[index / kFacets];
    const ImpactContact& contact = part.contacts[i];
    const double reach = contact.tangent < 0 ? 0 : contact.friction / std::cos(std::numbers::pi / kFacets);
    const double angle = 2 * std::numbers::pi * (index % kFacets) / kFacets;
    return Facet{i, reach * std::cos(angle), reach * std::sin(angle)};
  };
  const auto product = [&](const Facet& p, const Facet& q) {
    const GradientSet& g = part.gradients;
    const int tp = part.contacts[p.contact].tangent, tq = part.contacts[q.contact].tangent;
    double sum = g.gram(p.contact, q.contact);
    if (tq >= 0) sum += q.t1 * g.gram(p.contact, tq) + q.t2 * g.gram(p.contact, tq + 1);
    if (tp >= 0) sum += p.t1 * g.gram(tp, q.contact) + p.t2 * g.gram(tp + 1, q.contact);
    if (tp < 0 || tq < 0) return sum;
    return sum + p.t1 * (q.t1 * g.gram(tp, tq) + q.t2 * g.gram(tp, tq + 1)) +
           p.t2 * (q.t1 * g.gram(tp + 1, tq) + q.t2 * g.gram(tp + 1, tq + 1));
  };
  const int n = kFacets * static_cast<int>(scratch.live.size());
  scratch.matrix.resize(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i) {
    const Facet p = facet(i);
    for (int j = 0; j <= i; ++j) {
      const Facet q = facet(j);
      const double entry = product(p, q) / (norm_of(part, p.contact) * norm_of(part, q.contact));
      scratch.matrix[static_cast<std::size_t>(i) * n + j] = scratch.matrix[static_cast<std::size_t>(j) * n + i] = entry;
    }
  }
  const std::vector<double> gram = scratch.matrix;
  solve_nearest_point(n, scratch);
  // The witness is the velocity Σ λ n itself: by how much it opens every facet, over its length.
  double squared = 0, least = 1;
  for (int i = 0; i < n; ++i) {
    double opening = 0;
    for (int j = 0; j < n; ++j) opening += gram[static_cast<std::size_t>(i) * n + j] * scratch.weights[j];
    squared += opening * scratch.weights[i];
    least = i == 0 ? opening : std::min(least, opening);
  }
  if (n == 0) return 1;
  return squared > 0 ? least / std::sqrt(squared) : 0;
}

}  // namespace achilles
