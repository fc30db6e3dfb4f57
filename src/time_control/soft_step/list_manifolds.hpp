// From contacts to manifolds, and who works on them when.
#pragma once

#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Splits the contacts of the workspace into manifolds, colours them, gives every body that contacts or joints tie a
/// slot and every manifold a lane, and finds the groups: in fixed blocks, the same for any number of threads.
void list_manifolds(const World& world, StepWorkspace& scratch);

}  // namespace achilles
