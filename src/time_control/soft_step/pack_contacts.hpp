// From contacts in double precision to lanes in single precision.
#pragma once

#include "time_control/soft_step/soft_step.hpp"

namespace achilles {

/// Splits the contacts of the workspace into manifolds, colours them and gives every body that takes part a slot.
void list_manifolds(const World& world, StepWorkspace& scratch);

/// Fills the lanes for substeps of length h, impulses of the last step included.
void pack_contacts(const World& world, const SoftStepOptions& options, double h, StepWorkspace& scratch);

}  // namespace achilles
