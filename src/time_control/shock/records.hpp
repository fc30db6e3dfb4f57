// What the sweeps found, told to the records of the step, to the correction and to the World's memory.
#pragma once

#include "time_control/shock/shock_propagation.hpp"
#include "time_control/shock/shock_workspace.hpp"

namespace achilles {

/// Records of all points, the aims of the correction, and the World's memory of what touched, piece by piece as the
/// patches are swept: a core finds in its cache what it wrote there. was_pushed then knows the bodies that impulses
/// acted on.
void conclude_sweeps(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch,
                     StepReport& report);

[[nodiscard]] inline bool was_pushed(const ShockWorkspace& shock, std::size_t body) {
  for (const ThreadMarks& marks : shock.marks) {
    if (marks.pushed[body] != 0) return true;
  }
  return false;
}

}  // namespace achilles
