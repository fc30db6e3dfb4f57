#include "impact/propagation/lineality.hpp"

#include "math/disjoint_sets.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace achilles {
namespace {

// Directions along which contacts can push both ways up to this share count as opposed; a set that leaves more does so
// because it is not opposed.
constexpr double kPushError = 1e-3;

// Parts with more contacts are tried without their products first; with many more, products are not formed at all.
constexpr int kLarge = 100, kTooLarge = 2000;

// Singular values of a Gram matrix below this are rounding.
constexpr double kDigits = 1e-6;

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

void normalize(std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0)) return;
  for (double& weight : weights) weight /= sum;
}

// Weights λ ≥ 0 of the point of the convex hull nearest to 0: the least-squares solution of Σ λ_i n_i = 0, Σ λ_i = 1
// with λ ≥ 0 has the same direction.   [LawsonHanson74, ch. 23]
void solve_nearest_point(int n, LinealityWorkspace& scratch) {
  for (double& entry : scratch.matrix) entry += 1;
  scratch.linear.assign(n, -1.0);
  scratch.tolerance.assign(n, 1e-13);
  scratch.weights.resize(n);
  const NonnegativeQp problem{n, scratch.matrix, scratch.linear, scratch.tolerance};
  // The status is ignored: the caller checks the witnesses.
  static_cast<void>(solve_nonnegative_qp(problem, scratch.qp, scratch.weights));
  normalize(scratch.weights);
}

Margin witnessed_margin(const ImpactPart& part, const LinealityWorkspace& scratch) {
  return {smallest_opening(part, scratch.live, scratch.point), std::sqrt(part.squared_norm(scratch.point.data()))};
}

// No eigenvalue of the products of unit gradients exceeds the largest number of contacts at the bodies of one.
double largest_eigenvalue_bound(const ImpactPart& part, std::span<const int> live) {
  int most = 1;
  for (const int i : live) {
    int degree = 0;
    part.gradients.for_each_body(
        i, [&](std::uint32_t body) { degree += part.neighbour_begin[body + 1] - part.neighbour_begin[body]; });
    most = std::max(most, degree);
  }
  return most;
}

// For large parts: the velocity w of least ‖w‖_M with ⟨n_i, w⟩ ≥ 1 for all unit gradients, from its dual
//
//   minimize ½ ‖Σ λ_i n_i‖_M² − Σ λ_i,  λ ≥ 0,        w = Σ λ_i n_i,
//
// by accelerated projected gradients with restarts, [Beck09] and [ODonoghue15], which need no products of gradients.
// Any w on the way is a witness; stops at the first that opens every contact by `enough`. If contacts are opposed, λ
// grows for ever and its direction tends to weights that cancel.
Margin climb(const ImpactPart& part, double enough, LinealityWorkspace& scratch) {
  const std::size_t n = scratch.live.size();
  const double step = 1 / largest_eigenvalue_bound(part, scratch.live);
  std::vector<double>&lambda = scratch.weights, &y = scratch.linear;
  lambda.assign(n, 0.0);
  y.assign(n, 0.0);
  double momentum = 1;
  const std::size_t cap = 200 + 4 * n;
  for (std::size_t iteration = 1; iteration <= cap; ++iteration) {
    scratch.point.assign(part.dimension(), 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      if (y[k] == 0) continue;
      part.gradients.apply(scratch.live[k], y[k] / norm_of(part, scratch.live[k]), scratch.point.data());
    }
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum)), ahead = (momentum - 1) / next;
    double uphill = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const int i = scratch.live[k];
      const double slope = part.gradients.velocity(i, scratch.point.data()) / norm_of(part, i) - 1;
      const double now = std::max(0.0, y[k] - step * slope);
      uphill += (y[k] - now) * (now - lambda[k]);
      y[k] = std::max(0.0, now + ahead * (now - lambda[k]));
      lambda[k] = now;
    }
    momentum = uphill > 0 ? 1 : next;
    if (iteration % 32 != 0 && iteration != cap) continue;
    combine(part, scratch);
    if (smallest_opening(part, scratch.live, scratch.point) >= enough) break;
  }
  normalize(lambda);
  combine(part, scratch);
  return witnessed_margin(part, scratch);
}

}  // namespace

Margin compute_margin(const ImpactPart& part, double enough, LinealityWorkspace& scratch) {
  list_live(part, scratch.live);
  const int n = static_cast<int>(scratch.live.size());
  if (n == 0) return {};
  scratch.weights.assign(n, 1.0 / n);
  combine(part, scratch);
  Margin margin = witnessed_margin(part, scratch);
  if (margin.lower >= enough) return margin;
  if (n > kLarge) {
    margin = climb(part, enough, scratch);
    if (margin.lower >= enough || n > kTooLarge) return margin;
  }

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
  return witnessed_margin(part, scratch);
}

namespace {

// A direction e of the span is opposed when contacts can push along e and along −e. With e = Σ v_i n_i / s from the
// singular vectors of the set and Σ w_i n_i ≈ 0 to fill up negative coefficients, the push along e is off by
// ‖Σ w_i n_i‖ max_i |v_i| / (s w_i).
double push_error(const Eigen::Ref<const Eigen::VectorXd>& v, double singular, std::span<const double> weights,
                  double cancellation) {
  double most = 0;
  for (Eigen::Index i = 0; i < v.size(); ++i) most = std::max(most, std::abs(v[i]) / weights[i]);
  return cancellation * most / singular;
}

void mark_removed(ImpactPart& part, double noise) {
  for (int i = 0; i < part.contact_count(); ++i) {
    part.removed[i] = !(part.gradients.squared_norm(i) > noise * noise * part.gradients.squared_norm_original(i));
  }
}

// A gradient of which little is left after projection has lost as many digits; what that makes of Σ w_i n_i.
double rounding_of(const ImpactPart& part, std::span<const int> contacts, std::span<const double> weights) {
  constexpr double kRounding = 1e-15;
  double sum = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int i = contacts[k];
    sum += weights[k] * kRounding * std::sqrt(part.gradients.squared_norm_original(i) / part.gradients.squared_norm(i));
  }
  return sum;
}

// What the nearest point leans on. Left to themselves, contacts whose weights are at least w cancel up to ρ and the sum
// of the weights left out, so that each is opposed by the others up to that over w. Contacts that are hardly there
// steer the nearest point between others that oppose each other, and are not opposed themselves: the longest list
// without them.
void find_support(const ImpactPart& part, double rho, LinealityWorkspace& scratch) {
  std::vector<double>& sorted = scratch.combination;
  sorted.assign(scratch.weights.begin(), scratch.weights.end());
  std::sort(sorted.begin(), sorted.end());
  double least = 0.5 * sorted.back(), left_out = rho + rounding_of(part, scratch.live, scratch.weights);
  for (const double weight : sorted) {
    if (weight > 0 && left_out <= kPushError * weight) {
      least = weight;
      break;
    }
    left_out += weight;
  }
  scratch.support.clear();
  scratch.support_weights.clear();
  for (std::size_t k = 0; k < scratch.live.size(); ++k) {
    if (scratch.weights[k] < least) continue;
    scratch.support.push_back(scratch.live[k]);
    scratch.support_weights.push_back(scratch.weights[k]);
  }
}

}  // namespace

namespace {

// Makes equality constraints of the directions in which contacts [begin, end) of the sorted support oppose themselves.
// `cancellation`: how nearly the whole support cancels.
bool project_out_connected(ImpactPart& part, std::size_t begin, std::size_t end, double cancellation,
                           LinealityWorkspace& scratch) {
  const int k = static_cast<int>(end - begin);
  const std::span<const int> opposed = std::span<const int>(scratch.support).subspan(begin, end - begin);
  const std::span<const double> weights = std::span<const double>(scratch.support_weights).subspan(begin, end - begin);
  scratch.gram.resize(k, k);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      scratch.gram(i, j) =
          part.gradients.gram(opposed[i], opposed[j]) / (norm_of(part, opposed[i]) * norm_of(part, opposed[j]));
    }
  }
  scratch.eigen.compute(scratch.gram);
  bool grown = false;
  scratch.combination.resize(k);
  for (int e = k - 1; e >= 0; --e) {
    const double singular = std::sqrt(std::max(0.0, scratch.eigen.eigenvalues()[e]));
    const bool opposes = singular > kDigits &&
                         push_error(scratch.eigen.eigenvectors().col(e), singular, weights, cancellation) <= kPushError;
    // The strongest direction goes even if it is not opposed so well: the set as a whole is too close to be left.
    if (!opposes && e < k - 1) continue;
    for (int i = 0; i < k; ++i) {
      scratch.combination[i] = scratch.eigen.eigenvectors()(i, e) / (singular * norm_of(part, opposed[i]));
    }
    grown |= part.gradients.add_equality(opposed, scratch.combination, 1e-6);
  }
  return grown;
}

// Sorts the support by the sets that move common bodies; connected[k] is the first place of the set of place k.
void sort_support(const ImpactPart& part, LinealityWorkspace& scratch) {
  std::vector<std::uint32_t>& parent = scratch.parent;
  parent.resize(part.bodies.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto first_body = [&part](int i) {
    std::uint32_t first = GradientSet::kNone;
    part.gradients.for_each_body(i, [&](std::uint32_t body) { first = std::min(first, body); });
    return first;
  };
  for (const int i : scratch.support) {
    const std::uint32_t first = first_body(i);
    part.gradients.for_each_body(i, [&](std::uint32_t body) { join_sets(parent, first, body); });
  }
  std::vector<std::size_t>& order = scratch.order;
  order.resize(scratch.support.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  scratch.connected.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    scratch.connected[k] = find_root(parent, first_body(scratch.support[k]));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t k, std::size_t l) { return scratch.connected[k] < scratch.connected[l]; });
  const std::vector<int> support = scratch.support;
  const std::vector<double> weights = scratch.support_weights;
  const std::vector<std::uint32_t> connected = scratch.connected;
  for (std::size_t k = 0; k < order.size(); ++k) {
    scratch.support[k] = support[order[k]];
    scratch.support_weights[k] = weights[order[k]];
    scratch.connected[k] = connected[order[k]];
  }
}

}  // namespace

bool project_out(ImpactPart& part, std::span<const int> opposed, std::span<const double> weights, double noise,
                 LinealityWorkspace& scratch) {
  if (opposed.empty()) return false;
  if (opposed.data() != scratch.support.data()) {
    scratch.support.assign(opposed.begin(), opposed.end());
    scratch.support_weights.assign(weights.begin(), weights.end());
  }
  sort_support(part, scratch);
  const std::span<const int> support = scratch.support;
  scratch.point.assign(part.dimension(), 0.0);
  for (std::size_t k = 0; k < support.size(); ++k) {
    part.gradients.apply(support[k], scratch.support_weights[k] / norm_of(part, support[k]), scratch.point.data());
  }
  const double cancellation =
      std::sqrt(part.squared_norm(scratch.point.data())) + rounding_of(part, support, scratch.support_weights);
  bool grown = false;
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= scratch.support.size(); ++end) {
    if (end < scratch.support.size() && scratch.connected[end] == scratch.connected[begin]) continue;
    grown |= project_out_connected(part, begin, end, cancellation, scratch);
    begin = end;
  }
  part.gradients.project_columns();
  link_neighbours(part);
  mark_removed(part, noise);
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
    find_support(part, report.margin.upper, scratch);
    if (!project_out(part, scratch.support, scratch.support_weights, noise, scratch)) break;
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
  link_neighbours(part);
  mark_removed(part, noise);
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
  std::vector<double>& gram = scratch.copy;
  gram.assign(scratch.matrix.begin(), scratch.matrix.end());
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
