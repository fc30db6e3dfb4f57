// The order in which soft-step works: of bodies, so that those near each other lie near each other in memory, and of
// manifolds, so that what one colour or one cell holds is worked on side by side.
#pragma once

#include "time_control/step_workspace.hpp"

namespace achilles {

/// Sorts the slots of bodies that impulses move by the place where they are, along a curve that fills space. Where
/// there are few they stay in the order of the bodies.
void order_slots(const World& world, SoftWorkspace& soft);

/// Gives every manifold a lane. Many bodies are cut into cells of consecutive slots; manifolds within a cell come
/// first, with those of what does not move, cell after cell, and within it colour after colour. The others are
/// shared: colour after colour, eight to the lanes, those of the overflow alone. Manifolds with alike many points lie
/// together, and within a colour those of near bodies: whichever thread has a part of a colour had the same bodies in
/// the colours before. While slots, colours and numbers of points are those of the call before, so are the lanes: they
/// stay as they are.
void assign_lanes(BlockRunner& runner, SoftWorkspace& soft);

}  // namespace achilles
