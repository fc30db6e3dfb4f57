// From lanes back to contacts in double precision: records of the step and the World's memory for the next.
#pragma once

#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Fills the records of all contact points with the impulses of the lanes, replaces the World's memory by the contacts
/// that touched and counts what began and ceased to touch: in fixed blocks, the same for any number of threads.
void record_soft_contacts(World& world, StepWorkspace& scratch, StepReport& report);

}  // namespace achilles
