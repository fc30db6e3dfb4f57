#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> drumwright_experiments() { return {}; }

}  // namespace achilles::reproduce
