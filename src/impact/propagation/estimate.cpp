#include "impact/propagation/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

struct Fit {
  double C, b, c, d;
};

Fit fit_of(const ElasticTask& task) {
  if (task.all_at_once) return {0.828, -0.133, 0.687, 0.950};
  switch (task.selection) {
    case Selection::kLexicographic:
      return {0.626, 0.476, 1.001, 0.960};
    case Selection::kMostViolated:
      return {0.782, 0.271, 0.828, 0.864};
    case Selection::kRandom:
      break;
  }
  return {0.693, 0.450, 0.903, 0.846};
}

}  // namespace

double expected_iterations(const ImpactPart& part, const ElasticTask& task, const Margin& margin,
                           std::span<const double> point, std::span<const double> x) {
  const auto live = static_cast<double>(std::count(part.removed.begin(), part.removed.end(), 0));
  if (live == 0 || point.size() != x.size()) return 0;
  const double squared = part.squared_norm(x.data()), squared_point = part.squared_norm(point.data());
  if (!(squared > 0) || !(squared_point > 0) || !(margin.upper > 0)) return 0;
  const double product = 0.5 * (squared + squared_point - part.squared_distance(x.data(), point.data()));
  const double cosine = std::clamp(product / std::sqrt(squared * squared_point), -1.0, 1.0);
  const Fit fit = fit_of(task);
  // A velocity along w needs nothing; the fit has seen none closer than this.
  const double turn = std::max(1 - cosine, 1e-3);
  return std::max(1.0, fit.C * std::pow(live, fit.b) * std::pow(turn, fit.c) * std::pow(1 / margin.upper, fit.d));
}

}  // namespace achilles
