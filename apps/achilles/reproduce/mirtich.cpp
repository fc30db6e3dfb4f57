#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

std::vector<Experiment> mirtich_experiments() { return {}; }

}  // namespace achilles::reproduce
