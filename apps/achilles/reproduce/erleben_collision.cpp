#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> erleben_collision_experiments() { return {}; }

}  // namespace achilles::reproduce
