#include "impact/propagation/desiderata.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

std::string_view violated_desideratum(const ImpactPart& part, const OperatorApplication& application,
                                      std::vector<double>& scratch) {
  constexpr double kRounding = 1e-12;
  const double squared = part.squared_norm(application.before.data());
  double total = std::sqrt(squared), impulse = 0;
  scratch.assign(application.before.begin(), application.before.end());
  for (std::size_t k = 0; k < application.struck.size(); ++k) {
    const int i = application.struck[k];
    const double lambda = application.impulses[k];
    if (lambda < 0) return "ONE";
    if (lambda > 0 && part.approach(i, application.before.data()) <= application.threshold) return "VIO";
    part.gradients.apply(i, lambda, scratch.data());
    total += lambda * std::sqrt(part.gradients.squared_norm(i));
    impulse += lambda;
  }
  if (std::sqrt(part.squared_distance(scratch.data(), application.after.data())) > kRounding * total) return "NORM";
  const double gain = part.squared_norm(application.after.data()) - squared;
  if ((application.elastic ? std::abs(gain) : gain) > kRounding * total * total) return "KIN";
  if (impulse == 0) {
    for (int i = 0; i < part.contact_count(); ++i) {
      if (part.approach(i, application.before.data()) > application.threshold) return "MOD";
    }
  }
  return {};
}

}  // namespace achilles
