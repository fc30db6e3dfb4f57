#include "reproduce/experiment.hpp"

#include <algorithm>
#include <iterator>

namespace achilles::reproduce {
namespace {

int number_of(const Experiment& experiment) { return std::stoi(experiment.id.substr(1)); }

}  // namespace

std::vector<Experiment> erleben_experiments() {
  std::vector<Experiment> all;
  for (auto part : {erleben_complementarity_experiments(), erleben_collision_experiments(),
                    erleben_stacking_experiments(), erleben_propagation_experiments(), erleben_cost_experiments()}) {
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  all.push_back(erleben_map_experiment());
  all.push_back(erleben_script_experiment());
  std::stable_sort(all.begin(), all.end(),
                   [](const Experiment& a, const Experiment& b) { return number_of(a) < number_of(b); });
  return all;
}

}  // namespace achilles::reproduce
