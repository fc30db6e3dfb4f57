// Cells of soft-step: bodies near each other, whose contacts one thread sweeps without waiting for others.
//
// Very many bodies are cut along a curve that fills space, into cells that a core's cache holds; what is between cells
// is swept colour by colour. Of some thousand a colour has too little to share: each lasts microseconds, and passing to
// the next is felt. They are cut into slabs across the axis along which they lie widest apart. A slab touches the one
// before and the one after. It has its own contacts and those with the one after, so that two rounds sweep all, every
// other slab and the rest, however many colours there are.
#pragma once

#include "time_control/step_workspace.hpp"

namespace achilles {

/// Whether so many bodies are cut into slabs.
[[nodiscard]] bool has_slabs(std::uint32_t movers);

/// Sorts the slots of bodies that impulses move along the axis across which slabs are cut.
void order_in_slabs(const World& world, SoftWorkspace& soft);

/// Cuts the ordered slots into cells; slabs have alike many contacts.
void cut_cells(SoftWorkspace& soft);

}  // namespace achilles
