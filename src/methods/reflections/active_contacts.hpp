// Which contacts take part in the impact of a step.
#pragma once

#include "methods/reflections/workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Leaves in scratch.contacts the contacts of the present pose, and the islands that they and the joints make: points
/// that touch, and points that close their gap on the way to where free motion leads, provided that their pair touches
/// there. The latter decides, since the plane through a point ahead of a body is no obstacle; the geometry is that of
/// the present pose, in which masses and velocities are known. Points that touch already may have to bear an impact: a
/// ball that flies off one wall must find the one behind it, [Vouga17, fig. 2]. The velocities of the World and
/// scratch.motion must be those of free motion.
void find_active_contacts(World& world, double tolerance, double h, ReflectionsScratch& scratch);

}  // namespace achilles
