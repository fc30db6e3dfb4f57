// What the sweeps found, for the records of the step, the correction and the World's memory.
#pragma once

#include "methods/shock_propagation/shock_propagation.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"

namespace achilles {

/// Records of all points, the aims of the correction, and the World's memory of what touched, part by part as the
/// manifolds are swept: a core finds in its cache what it wrote there. was_pushed then is true of the bodies that
/// impulses acted on.
void conclude_sweeps(World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work,
                     StepReport& report);

[[nodiscard]] inline bool was_pushed(const RecordWorkspace& recording, std::size_t body) {
  for (const ThreadMarks& marks : recording.marks) {
    if (marks.pushed[body] != 0) return true;
  }
  return false;
}

}  // namespace achilles
