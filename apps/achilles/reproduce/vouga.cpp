#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> vouga_experiments() { return {}; }

}  // namespace achilles::reproduce
