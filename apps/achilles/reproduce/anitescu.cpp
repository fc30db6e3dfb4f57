#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> anitescu_experiments() { return {}; }

}  // namespace achilles::reproduce
