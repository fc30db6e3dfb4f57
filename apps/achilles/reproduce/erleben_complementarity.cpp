#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> erleben_complementarity_experiments() { return {}; }

}  // namespace achilles::reproduce
