// Stack layers of the bodies of a step, and the partition of its islands.
#pragma once

#include "methods/shock_propagation/shock_propagation.hpp"

namespace achilles {

/// Heights of the bodies from the contacts that touch, or touched in the last step; and the partition of the islands.
void find_layers(const World& world, const ShockPropagationOptions& options, ShockWorkspace& work);

}  // namespace achilles
