// The lanes of one cell.
//
// One thread sweeps a cell, so that only the eight side by side must share no body. Colours give most of them: where
// consecutive lanes share none either, the core need not wait for the one before. What does not fill the last lanes of
// a colour would leave many empty, a cell having but some contacts of each; it is laid together whatever its colour.
#pragma once

#include "time_control/soft_step/soft_workspace.hpp"

namespace achilles {

/// The racks [first, last) of sorted manifolds, kLaneKinds for each colour, by kind downward.
struct CellRacks {
  std::size_t first = 0, last = 0;
  std::size_t round = 0;  // cells of the same round share no body that moves
};

inline constexpr std::size_t kLaneKinds = 2 * kPointsPerManifold;  // of manifolds

/// Lays the manifolds of a cell in soft.laid, those of one and those of several points apart, and plans its lanes in
/// soft.cell_plans, both from soft.rack_start[racks.first] on; returns how many plans there are. Needs
/// soft.open_lanes[racks.round] zero and leaves it so. What did not fill lanes comes first.
[[nodiscard]] std::uint32_t plan_cell(const CellRacks& racks, SoftWorkspace& soft);

}  // namespace achilles
