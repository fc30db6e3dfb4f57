// Domains: a large group of `shock-propagation` cut into cells, so that its patches can be swept on several threads in
// an order that depends on the scene alone.
//
//   cells    the bodies of a group, halved again and again where it is widest across gravity: columns, because weight
//            must pass from top to bottom in one sweep. A group that is small or slender is one cell.
//   blocks   contacts inside one cell, or between the same two cells; swept one after the other, lowest layer first
//   stages   blocks that share no cell: first all cells, then the pairs, coloured greedily from the largest on; where
//            there are but two cells, what lies between them is two blocks if such can be made that share no body
#pragma once

#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <vector>

namespace achilles {

/// Patches that one thread sweeps in their order.
struct PatchBlock {
  std::uint32_t group = 0;
  std::uint32_t first_key = 0, last_key = 0;  // contacts, as a range of PatchDomains::keys
  std::uint32_t first = 0, last = 0;          // patches
  std::uint32_t first_piece = 0, last_piece = 0;
  bool bounces = false;  // whether restitution asks something of one of its patches
};

/// Part of a block, for work that does not pass from patch to patch.
struct PatchPiece {
  std::uint32_t block = 0;
  std::uint32_t first_key = 0, last_key = 0;
  std::uint32_t first = 0, last = 0;  // patches
  std::uint32_t first_record = 0;     // of its points, and the first place of those that the next step is to know:
  std::uint32_t first_cached = 0;     // what a thread writes lies together, not as contacts do
  std::uint32_t touching = 0;         // points that touch,
  std::uint32_t remembered = 0;       // those of them that the last step knew,
  double unrest = 0;                  // [m²/s²] and the squares of the speeds it left them with, summed
};

struct PatchDomains {
  std::vector<std::uint64_t> keys;         // layer and contact, block after block
  std::vector<PatchBlock> blocks;          // group after group, stage after stage
  std::vector<std::uint32_t> stage_start;  // per stage its first block, and one past the last
  std::vector<std::uint32_t> group_start;  // per group its first stage, and one past the last
  // Block after block, as the threads share blocks in the stages: a thread that takes an equal part of this list takes
  // what it sweeps.
  std::vector<PatchPiece> pieces;

  [[nodiscard]] std::uint32_t first_block(std::size_t group) const { return stage_start[group_start[group]]; }
  [[nodiscard]] std::uint32_t last_block(std::size_t group) const { return stage_start[group_start[group + 1]]; }
  [[nodiscard]] bool is_cut(std::size_t group) const { return last_block(group) - first_block(group) > 1; }

  std::vector<std::uint32_t> cells;    // per group, how many
  std::vector<std::uint32_t> cell_of;  // per body of a group in several

  // What the last cut was made from; only speed depends on it.
  struct Known {
    std::vector<GraphEdge> edges;
    std::vector<std::uint8_t> movable;
    std::vector<std::uint32_t> height, cells, cell_of;
  };
  Known known;

  // Scratch: bodies of the group at hand with their places, what lies between which cells.
  struct Place {
    Vec3 at = Vec3::Zero();  // [m] across gravity
    std::uint32_t body = 0;
  };
  struct Between {
    std::uint32_t count = 0, cells = 0, stage = 0;  // cells: row and column of the matrix of cells
  };
  struct BorderContact {
    std::uint32_t at = 0, body_a = 0, body_b = 0;  // at: in cells_of
  };
  std::vector<Place> places;
  std::vector<Between> between;
  std::vector<BorderContact> border;                   // between two cells, and per body,
  std::vector<std::uint32_t> parent, count, place_of;  // with whom it is linked across it, at the root how often, where
  std::vector<std::uint32_t> block_of;                 // per pair of cells, row after row
  std::vector<std::uint32_t> cells_of;                 // per contact of the group, its place in that matrix
  std::vector<std::uint64_t> used;                     // per cell, a bit for each stage
  std::vector<std::uint64_t> share_keys;
};

/// Cells of all groups.
void find_cells(const World& world, const StepWorkspace& scratch, PatchDomains& domains);

/// Contacts of all groups in blocks and stages, after find_layers and find_cells. The keys of a block are sorted and
/// its patches numbered later. Where nothing came, went or changed its height or cell the last cut stands, sorted as it
/// is, and the answer is false.
[[nodiscard]] bool cut_domains(const World& world, const StepWorkspace& scratch, PatchDomains& domains);

}  // namespace achilles
