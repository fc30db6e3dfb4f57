// From joints one by one to joints side by side.
#pragma once

#include "time_control/soft_step/joint_lanes.hpp"

namespace achilles {

struct SoftWorkspace;

/// Gives every joint a lane, colour after colour, those of the overflow alone.
void assign_joint_lanes(SoftWorkspace& soft);

}  // namespace achilles
