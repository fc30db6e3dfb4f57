// One island of the contact graph while a step of `shock-propagation` works on it, and how its phases are run.
#pragma once

#include "methods/shock_propagation/joints.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"
#include "stepping/step_workspace.hpp"

#include <limits>
#include <span>

namespace achilles {

inline constexpr double kInactive = -std::numeric_limits<double>::max();  // target of a point that cannot act

struct ShockIsland {
  ShockIsland(ShockWorkspace& work, std::size_t island)
      : index(island),
        first_block(work.partition.first_block(island)),
        blocks(std::span(work.partition.blocks).subspan(first_block, work.partition.last_block(island) - first_block)),
        colour_start(std::span(work.partition.colour_start)
                         .subspan(work.partition.island_start[island],
                                  work.partition.island_start[island + 1] - work.partition.island_start[island] + 1)),
        first_manifold(blocks.front().first),
        manifolds(std::span(work.manifolds).subspan(first_manifold, blocks.back().last - first_manifold)),
        joints(joints_of(work, island)) {}

  std::size_t index;
  std::uint32_t first_block;
  std::span<ManifoldBlock> blocks;
  std::span<const std::uint32_t> colour_start;  // first block of each, and one past the last
  std::uint32_t first_manifold;
  std::span<ContactManifold> manifolds;
  JointSweep joints;

  [[nodiscard]] std::size_t colours() const { return colour_start.size() - 1; }
  [[nodiscard]] std::size_t blocks_of(std::size_t colour) const {
    return colour_start[colour + 1] - colour_start[colour];
  }
  /// Index, in the island, of a block of a colour.
  [[nodiscard]] std::size_t block_at(std::size_t colour, std::size_t k) const {
    return colour_start[colour] - first_block + k;
  }
  /// The part of a list with one entry per block that belongs to this island.
  template <class T>
  [[nodiscard]] std::span<T> part_of(std::vector<T>& per_block) const {
    return std::span(per_block).subspan(first_block, blocks.size());
  }
  [[nodiscard]] std::span<ContactManifold> manifolds_of(std::size_t block) const {
    return manifolds.subspan(blocks[block].first - first_manifold, blocks[block].last - blocks[block].first);
  }
};

/// The contact points of an island that touch.
struct TouchingPoints {
  std::uint32_t count = 0;
  std::uint32_t remembered = 0;  // that the last step knew
  double squared_speed = 0;      // [m²/s²] sum over them, at the end of the last step

  [[nodiscard]] bool are_mostly_new() const { return 2 * remembered < count; }
};

inline TouchingPoints sum_touching_points(const ShockIsland& island, const ShockPartition& partition) {
  TouchingPoints sum;
  for (const ManifoldBlock& block : island.blocks) {
    for (std::uint32_t k = block.first_part; k < block.last_part; ++k) {
      sum.count += partition.parts[k].touching;
      sum.remembered += partition.parts[k].remembered;
      sum.squared_speed += partition.parts[k].squared_speed;
    }
  }
  return sum;
}

/// Calls run(phase, k) for all parts k < phase.count of the phases that list(visit) visits, phase after phase: an
/// island of several blocks on all threads, else on the calling one.
template <class List, class Run>
void run_phases(const ShockIsland& island, ShockWorkspace& work, const List& list, const Run& run) {
  if (island.blocks.size() == 1) {
    list([&](const Phase& phase) {
      for (std::size_t k = 0; k < phase.count; ++k) run(phase, k);
    });
    return;
  }
  PhaseList& now = work.phases;
  now.clear();
  list([&](const Phase& phase) { now.add(phase); });
  work.runner.run_stages(now.sizes, [&](std::size_t phase, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) run(now.phases[phase], k);
  });
}

/// Calls visit(island) for all islands: those of one block side by side, the others one after the other, each on all
/// threads.
template <class Visit>
void for_each_shock_island(ShockWorkspace& work, const Visit& visit) {
  const ShockPartition& partition = work.partition;
  work.runner.run(work.islands.size(), 1, [&](std::size_t island, std::size_t, std::size_t) {
    if (!partition.is_cut(island)) visit(island);
  });
  for (std::size_t island = 0; island < work.islands.size(); ++island) {
    if (partition.is_cut(island)) visit(island);
  }
}

inline SweepDirection direction_of(int sweep) { return sweep % 2 == 0 ? SweepDirection::kUp : SweepDirection::kDown; }

}  // namespace achilles
