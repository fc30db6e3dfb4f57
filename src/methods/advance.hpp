// One step of any method, with what all of them share around it.
#pragma once

#include "methods/method.hpp"

namespace achilles {

/// Advances the world by h [s] with the method: wakes what is disturbed, makes the step, and sets the clock: h later,
/// or at the time of a stop within the step. Numerical difficulty is a status in the report, not an exception.
[[nodiscard]] StepReport advance(World& world, Method& method, double h);

/// The step alone, where all that is disturbed has been woken.
[[nodiscard]] StepReport advance_woken(World& world, Method& method, double h);

}  // namespace achilles
