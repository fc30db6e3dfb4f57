#include "time_control/soft_step/cells.hpp"

#include "math/refill.hpp"
#include "time_control/soft_step/sort_slots.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace achilles {
namespace {

/// Slots of a cell: with their lanes they fit the second-level cache of a core. All threads must find alike many cells.
constexpr std::uint32_t kMostOfCell = 1536, kFewCells = 4;

/// From here on; below, a core's cache holds all bodies anyway.
constexpr std::uint32_t kManyBodies = 8192;

constexpr std::uint32_t kSlabs = 8;             // even, so that both rounds have as many
constexpr std::uint32_t kFewestInSlabs = 1000;  // bodies
/// Along the axis: fine enough to cut by, and so wide that what rests hardly ever passes from one to the next.
constexpr std::size_t kPlaces = 64 * kSlabs;

void cut_evenly(SoftWorkspace& soft) {
  SoftCells& cells = soft.cells;
  const std::uint32_t wanted = (soft.movers + kMostOfCell - 1) / kMostOfCell;
  const std::uint32_t count = (wanted + kFewCells - 1) / kFewCells * kFewCells;
  const std::uint32_t size = (soft.movers + count - 1) / count;
  for (std::uint32_t slot = 1; slot <= soft.movers; ++slot) {
    const std::uint32_t cell = (slot - 1) / size;
    if (cell == cells.slot_start.size()) cells.slot_start.push_back(slot);
    cells.cell_of[slot - 1] = static_cast<std::uint16_t>(cell);
  }
}

/// Of each slot from 1 on: its own work and that of the contacts that its slab has if it ends there.
std::span<const std::uint32_t> weigh_slots(SoftWorkspace& soft) {
  refill(soft.place_of, soft.movers + std::size_t{1}, std::uint32_t{1});
  const std::span weights(soft.place_of);
  for (const auto& [body_a, body_b] : soft.edges) {
    const std::int32_t a = soft.slot_of[body_a], b = soft.slot_of[body_b];
    ++weights[static_cast<std::size_t>(std::min(a, b) > 0 ? std::min(a, b) : std::max(a, b))];
  }
  return weights.subspan(1);
}

void cut_slabs(SoftWorkspace& soft) {
  SoftCells& cells = soft.cells;
  const std::uint64_t all = soft.movers + soft.edges.size();
  const std::span<const std::uint32_t> weights = weigh_slots(soft);
  std::uint64_t before = 0;
  for (std::uint32_t slot = 1; slot <= soft.movers; ++slot) {
    const auto cell = static_cast<std::uint32_t>(before * kSlabs / all);
    while (cells.slot_start.size() <= cell) cells.slot_start.push_back(slot);
    cells.cell_of[slot - 1] = static_cast<std::uint16_t>(cell);
    before += weights[slot - 1];
  }
}

}  // namespace

bool has_slabs(std::uint32_t movers) { return movers >= kFewestInSlabs && movers < kManyBodies; }

void order_in_slabs(const World& world, SoftWorkspace& soft) {
  const auto bodies = std::span(soft.body_of).last(soft.movers);
  const auto count = static_cast<double>(soft.movers);
  Vec3 mean = Vec3::Zero(), square = Vec3::Zero();
  for (const std::uint32_t body : bodies) mean += world.bodies.position[body];
  mean /= count;
  for (const std::uint32_t body : bodies) square += (world.bodies.position[body] - mean).cwiseAbs2();
  Eigen::Index axis = 0;
  const double reach = 3 * std::sqrt(square.maxCoeff(&axis) / count);
  // What flew far away belongs to the outermost place.
  const double scale = reach > 0 ? static_cast<double>(kPlaces) / (2 * reach) : 0;
  const auto place_of = [&](std::uint32_t body) {
    // In a symmetric stack some lie at the mean: in the middle of a place, so that they stay in it.
    const double along = scale * (world.bodies.position[body][axis] - mean[axis] + reach) + 0.5;
    return static_cast<std::uint32_t>(std::clamp(along, 0.0, static_cast<double>(kPlaces - 1)));
  };
  sort_slots(kPlaces, place_of, soft);
}

void cut_cells(SoftWorkspace& soft) {
  SoftCells& cells = soft.cells;
  cells.slot_start.clear();
  cells.is_chain = has_slabs(soft.movers);
  if (cells.is_chain || soft.movers >= kManyBodies) {
    cells.cell_of.resize(soft.movers);
    cells.is_chain ? cut_slabs(soft) : cut_evenly(soft);
    cells.slot_start.push_back(soft.movers + 1);
  }
  const auto count = static_cast<std::uint32_t>(cells.size());
  cells.rounds[0] = cells.is_chain ? (count + 1) / 2 : count;
  cells.rounds[1] = count - cells.rounds[0];
}

}  // namespace achilles
