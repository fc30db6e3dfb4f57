#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> erleben_stacking_experiments() { return {}; }

}  // namespace achilles::reproduce
