#include "impact/propagation/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {

double expected_iterations(const ImpactPart& part, const ElasticTask& task, const Margin& margin,
                           std::span<const double> point, std::span<const double> x) {
  static_cast<void>(task);
  const double size = std::sqrt(part.squared_norm(x.data())), length = std::sqrt(part.squared_norm(point.data()));
  if (!(size > 0) || !(length > 0) || !(margin.lower > 0)) return 0;
  return std::numbers::pi / (4 * margin.lower);
}

}  // namespace achilles
