// The partition of the islands of `shock-propagation` (graph/partition.hpp), and their contacts in blocks, so that
// manifolds are swept on several threads in an order that depends on the scene alone.
//
//   partition  the bodies of an island, bisected across gravity: columns stay whole, because a load must pass from top
//              to bottom in one sweep. A small or slender island is one block.
//   blocks     contacts inside one block of bodies, or border contacts between the same two; swept one after the other,
//              lowest layer first
//   colours    blocks of manifolds that share no block of bodies: first what lies inside, then the borders, coloured
//              greedily from the largest on. Of two blocks of bodies the border contacts are two blocks of manifolds
//              where these share no body
#pragma once

#include "graph/partition.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <vector>

namespace achilles {

struct ShockWorkspace;  // shock_workspace.hpp

/// Manifolds that one thread sweeps in their order.
struct ManifoldBlock {
  std::uint32_t island = 0;
  std::uint32_t first_key = 0, last_key = 0;  // contacts, as a range of ShockPartition::keys
  std::uint32_t first = 0, last = 0;          // manifolds
  std::uint32_t first_part = 0, last_part = 0;
  std::uint32_t first_body = 0, last_body = 0;  // as a range of ShockPartition::bodies
  bool bounces = false;                         // whether one of its manifolds has a target of restitution
};

/// Part of a block, for work that does not pass from manifold to manifold.
struct BlockPart {
  std::uint32_t block = 0;
  std::uint32_t first_key = 0, last_key = 0;
  std::uint32_t first = 0, last = 0;  // manifolds
  std::uint32_t first_record = 0;     // of its points, and the first place of those that the next step is to know:
  std::uint32_t first_cached = 0;     // what a thread writes lies together, not as contacts do
  std::uint32_t touching = 0;         // points that touch,
  std::uint32_t remembered = 0;       // those of them that the last step knew,
  double squared_speed = 0;           // [m²/s²] and the squares of the speeds it left them with, summed
};

/// A contact between the two blocks of bodies of an island, while its border is split.
struct BorderContact {
  std::uint32_t at = 0, body_a = 0, body_b = 0;  // at: in PairWorkspace::pair_of
};

/// Border contacts that hang together by shared bodies: per body.
struct BorderWorkspace {
  std::vector<BorderContact> contacts;
  std::vector<std::uint32_t> parent, count;  // of the set of a body, and at its root how many contacts it has
  std::vector<std::uint32_t> part;           // at the root: index of the pair that has them, 0 before it is chosen
};

/// The pairs of blocks of bodies of one island that have contacts.
struct PairWorkspace {
  std::vector<BisectionPoint> points;
  std::vector<PairContacts> pairs;
  std::vector<std::uint32_t> count;     // per pair of blocks, row after row of their matrix
  std::vector<std::uint32_t> block_of;  // the same: the block of manifolds
  std::vector<std::uint32_t> pair_of;   // per contact of the island, index in that matrix
  std::vector<std::uint64_t> used;      // schedule_pairs
  BorderWorkspace border;
};

struct ShockPartition {
  std::vector<std::uint32_t> body_blocks;  // per island, how many
  Partition cut;                           // of the bodies of all islands; blocks are numbered from 0 in each

  std::vector<std::uint64_t> keys;          // layer and contact, block after block
  std::vector<ManifoldBlock> blocks;        // island after island, colour after colour
  std::vector<std::uint32_t> colour_start;  // per colour its first block, and one past the last
  std::vector<std::uint32_t> island_start;  // per island its first colour, and one past the last
  // Block after block, as the threads share blocks in the phases: a thread that takes an equal part of this list takes
  // what it sweeps.
  std::vector<BlockPart> parts;
  std::vector<std::uint32_t> bodies;  // that move, block after block, each in one that pushes it

  [[nodiscard]] std::uint32_t first_block(std::size_t island) const { return colour_start[island_start[island]]; }
  [[nodiscard]] std::uint32_t last_block(std::size_t island) const { return colour_start[island_start[island + 1]]; }
  [[nodiscard]] bool is_cut(std::size_t island) const { return last_block(island) - first_block(island) > 1; }

  /// What the blocks were made from; only speed depends on it.
  struct Known {
    std::vector<GraphEdge> edges;
    std::vector<std::uint8_t> movable;
    std::vector<std::uint32_t> height, body_blocks, block_of;
  };
  Known known;

  // Scratch.
  PairWorkspace pairing;
  std::vector<std::uint64_t> share_keys;
  std::vector<std::uint8_t> is_listed;  // per body
};

/// Blocks of bodies of all islands.
void partition_bodies(const World& world, const ShockWorkspace& work, ShockPartition& partition);

/// Contacts of all islands in blocks and colours, after the layers and partition_bodies. The keys of a block are sorted
/// and its manifolds numbered later. Where nothing came, went or changed its height or block the present blocks are
/// kept, sorted as they are, and the result is false.
[[nodiscard]] bool make_manifold_blocks(const ShockWorkspace& work, ShockPartition& partition);

}  // namespace achilles
