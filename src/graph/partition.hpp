// Partition: the nodes of a contact graph that impulses move, cut into blocks, so that threads work on the contacts of
// different blocks at once, in an order that depends on the nodes and contacts alone, never on the threads.
//
//   order     MortonOrder, AxisOrder: keys by which nodes near each other in space become neighbours in a sequence
//   cut       cut_evenly, cut_by_weight: consecutive blocks of such a sequence; bisect: halves of a set, again and
//   again contacts  inside a block when it has all their nodes that move, else border contacts between two blocks:
//   find_blocks rounds    a chain: a block also has its border contacts with the next, and every other block is worked
//   on at once phases    schedule_pairs: border contacts between the same two blocks together, after all that lies
//   inside blocks
//
// Memory is reused: a cut as large as the one before allocates nothing.
#pragma once

#include <achilles/math.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// Nodes of a sequence: the first and one past the last.
struct NodeRange {
  std::uint32_t first = 0, last = 0;
  [[nodiscard]] std::uint32_t size() const { return last - first; }
};

struct Partition {
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

  std::vector<std::uint32_t> block_of;  // per node; kNoBlock: impulses do not move it
  /// Of each block of a sequence its first node, and one past the last. Empty after bisect, and where nothing is cut.
  std::vector<std::uint32_t> start;
  /// Consecutive blocks of a sequence along which contacts reach from one block to the next: a block has its border
  /// contacts with the next, too.
  bool is_chain = false;

  [[nodiscard]] std::uint32_t size() const { return start.empty() ? 0 : static_cast<std::uint32_t>(start.size()) - 1; }
  /// Blocks of one round share no node with each other's contacts: of a chain every other block, else all.
  [[nodiscard]] std::uint32_t blocks_in_round(std::size_t round) const {
    const std::uint32_t first = is_chain ? (size() + 1) / 2 : size();
    return round == 0 ? first : size() - first;
  }
  /// Number of a block when they are counted round after round, and the round of such a number.
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t block) const {
    return is_chain ? block / 2 + (block % 2 == 0 ? 0 : blocks_in_round(0)) : block;
  }
  [[nodiscard]] std::size_t round_of(std::uint32_t rank) const { return rank < blocks_in_round(0) ? 0 : 1; }
};

/// The blocks that a contact lies between, first ≤ second.
struct BlockPair {
  std::uint32_t first = 0, second = 0;
  [[nodiscard]] bool is_inside() const { return first == second; }
  bool operator==(const BlockPair&) const = default;
};

/// At least one of the nodes must be in a block; a node in none does not count.
[[nodiscard]] inline BlockPair find_blocks(const Partition& partition, std::uint32_t node_a, std::uint32_t node_b) {
  const std::uint32_t a = partition.block_of[node_a], b = partition.block_of[node_b];
  if (a == Partition::kNoBlock) return {b, b};
  if (b == Partition::kNoBlock) return {a, a};
  return a < b ? BlockPair{a, b} : BlockPair{b, a};
}

/// The block that works on a contact: the only one it touches, or of a chain the first of two neighbours; kNoBlock for
/// a border contact that no block has.
[[nodiscard]] inline std::uint32_t find_owner(const Partition& partition, const BlockPair& pair) {
  return pair.second <= pair.first + (partition.is_chain ? 1 : 0) ? pair.first : Partition::kNoBlock;
}

/// Cuts a sequence into at most `blocks` blocks of equally many nodes; the last may have fewer. Nodes before the range
/// are in no block.
void cut_evenly(NodeRange nodes, std::uint32_t blocks, Partition& partition);

/// The same with equal sums of the weights, each to within the largest weight. `weights` has one positive entry per
/// node of the range.
void cut_by_weight(NodeRange nodes, std::span<const std::uint32_t> weights, std::uint32_t blocks, Partition& partition);

/// Cubes of space numbered along a Morton curve, about as many as nodes. They cover three standard deviations about the
/// mean position; nodes beyond belong to the outermost cubes. Keys are below count().
class MortonOrder {
 public:
  MortonOrder(const std::vector<Vec3>& positions, std::span<const std::uint32_t> nodes);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t key_of(const Vec3& position) const;

 private:
  Vec3 corner_;
  double scale_ = 0, most_ = 0;
  std::size_t count_ = 0;
};

/// `count` slices across the axis along which the nodes have the largest spread, likewise.
class AxisOrder {
 public:
  AxisOrder(const std::vector<Vec3>& positions, std::span<const std::uint32_t> nodes, std::size_t count);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t key_of(const Vec3& position) const;

 private:
  Eigen::Index axis_ = 0;
  double mean_ = 0, reach_ = 0, scale_ = 0;
  std::size_t count_;
};

struct KeySortWorkspace {
  std::vector<std::uint32_t> keys, start, sorted;
};

/// Sorts nodes by key_of(node) < keys; nodes of one key keep their order. Linear.
template <class KeyOf>
void sort_by_key(std::span<std::uint32_t> nodes, std::size_t keys, const KeyOf& key_of, KeySortWorkspace& work) {
  work.start.resize(keys + 1);
  std::fill(work.start.begin(), work.start.end(), 0U);
  work.keys.resize(nodes.size());
  work.sorted.resize(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) ++work.start[(work.keys[k] = key_of(nodes[k])) + 1];
  for (std::size_t key = 1; key <= keys; ++key) work.start[key] += work.start[key - 1];
  for (std::size_t k = 0; k < nodes.size(); ++k) work.sorted[work.start[work.keys[k]]++] = nodes[k];
  std::copy(work.sorted.begin(), work.sorted.end(), nodes.begin());
}

/// A node of a set that is bisected: its position, in the plane across which nothing is cut.
struct BisectionPoint {
  Vec3 at = Vec3::Zero();  // [m] without its component along `up`
  std::uint32_t node = 0;
};

struct BisectionRule {
  std::uint32_t most_blocks = 1;  // a power of two
  Vec3 up = Vec3::UnitZ();        // cuts are parallel to it: columns along it stay whole
  double spacing = 0;             // [m] mean distance of nodes in contact
};

/// Halves the set where it is widest, and its halves, until there are most_blocks or a part is slender or cannot be cut
/// without cutting a column. Sets block_of of the nodes, from 0 on, and returns the number of blocks. Reorders the
/// points; the result does not depend on their order. block_of must have an entry for every node.
[[nodiscard]] std::uint32_t bisect(std::span<BisectionPoint> points, const BisectionRule& rule, Partition& partition);

/// Contacts between the same two blocks, or inside one.
struct PairContacts {
  BlockPair pair;
  std::uint32_t count = 0;
  std::uint32_t phase = 0;
};

/// At most so many blocks can be scheduled: a greedy colouring of their pairs takes up to 2 (kMostScheduled − 1) − 1
/// colours, and a 64-bit mask holds those.
inline constexpr std::uint32_t kMostScheduled = 32;

/// Gives pairs their phases and sorts them by phase, then by blocks. Phase 0 is all that lies inside blocks; pairs of
/// one later phase share no block; the pairs with most contacts come first. `used` is scratch.
void schedule_pairs(std::uint32_t blocks, std::span<PairContacts> pairs, std::vector<std::uint64_t>& used);

}  // namespace achilles
