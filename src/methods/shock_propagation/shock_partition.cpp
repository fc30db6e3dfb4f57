#include "methods/shock_propagation/shock_partition.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

namespace achilles {
namespace {

// Smaller blocks cost more phases than they save; and border contacts come after all layers of both blocks, so that
// errors across a cut decay more slowly than those within.
constexpr std::uint32_t kContactsPerBlock = 192;
constexpr std::uint32_t kContactsPerPart = 24;
constexpr std::uint32_t kSpacingStride = 8;  // contacts: the distance of the bodies of every eighth is measured

std::uint32_t count_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

/// Calls visit(index, contact) for the contacts of an island.
template <class Visit>
void for_each_contact(const ShockWorkspace& work, std::uint32_t island, const Visit& visit) {
  for (const std::uint32_t edge : work.islands.edges_of(island)) {
    if (edge < work.contacts.contacts.size()) visit(edge, work.contacts.contacts[edge]);
  }
}

std::uint32_t count_contacts(const ShockWorkspace& work, std::uint32_t island) {
  std::uint32_t count = 0;
  for_each_contact(work, island, [&](std::uint32_t, const Contact&) { ++count; });
  return count;
}

/// Lists the movable bodies of an island that have contacts. Returns the mean distance of those in contact [m].
double list_points(const World& world, const ShockWorkspace& work, std::uint32_t island, ShockPartition& partition) {
  const std::vector<Vec3>& position = world.bodies.position;
  const Vec3 up = -world.gravity.normalized();
  std::vector<BisectionPoint>& points = partition.pairing.points;
  points.clear();
  const auto list = [&](std::uint32_t body) {
    if (work.movable[body] == 0 || partition.cut.block_of[body] != Partition::kNoBlock) return;
    partition.cut.block_of[body] = 0;
    points.push_back({position[body] - up.dot(position[body]) * up, body});
  };
  double sum = 0;
  std::uint32_t count = 0, seen = 0;
  for_each_contact(work, island, [&](std::uint32_t, const Contact& contact) {
    list(contact.body_a);
    list(contact.body_b);
    if (seen++ % kSpacingStride != 0) return;
    if (work.movable[contact.body_a] == 0 || work.movable[contact.body_b] == 0) return;
    sum += (position[contact.body_b] - position[contact.body_a]).norm();
    ++count;
  });
  return count > 0 ? sum / count : std::numeric_limits<double>::infinity();
}

/// Contacts of one island in blocks.
class IslandBlocks {
 public:
  IslandBlocks(const ShockWorkspace& work, std::uint32_t island, ShockPartition& partition)
      : work_(work),
        island_(island),
        partition_(partition),
        pairing_(partition.pairing),
        count_(partition.body_blocks[island]) {}

  void make() {
    if (count_ <= 1) {
      add_single_block();
      return;
    }
    list_pairs();
    schedule();
    add_blocks();
  }

 private:
  [[nodiscard]] std::uint64_t key_of(std::uint32_t edge, const Contact& contact) const {
    const std::vector<std::uint32_t>& height = work_.stack.layers.height;
    const std::uint32_t layer = StackLayers::layer_of(height[contact.body_a], height[contact.body_b]);
    return std::uint64_t{layer} << 32U | edge;
  }

  void add_single_block() {
    ManifoldBlock block{island_, count_of(partition_.keys)};
    for_each_contact(work_, island_, [&](std::uint32_t edge, const Contact& contact) {
      partition_.keys.push_back(key_of(edge, contact));
    });
    block.last_key = count_of(partition_.keys);
    partition_.colour_start.push_back(count_of(partition_.blocks));
    partition_.blocks.push_back(block);
  }

  /// Index in the matrix of blocks of bodies.
  [[nodiscard]] std::uint32_t index_of(const BlockPair& pair) const { return pair.first * count_ + pair.second; }

  void list_pairs() {
    refill(pairing_.count, std::size_t{count_} * count_, 0U);
    pairing_.pair_of.clear();
    for_each_contact(work_, island_, [&](std::uint32_t, const Contact& contact) {
      const std::uint32_t pair = index_of(find_blocks(partition_.cut, contact.body_a, contact.body_b));
      pairing_.pair_of.push_back(pair);
      ++pairing_.count[pair];
    });
    if (count_ == 2) split_border();
    pairing_.pairs.clear();
    for (std::uint32_t pair = 0; pair < count_of(pairing_.count); ++pair) {
      if (pairing_.count[pair] > 0) pairing_.pairs.push_back({{pair / count_, pair % count_}, pairing_.count[pair]});
    }
  }

  /// Splits the border of two blocks into two pairs that share no body, where that can be: with a single one all
  /// threads but one would wait. The second has the place below the diagonal of the matrix.
  void split_border() {
    constexpr std::uint32_t kFirst = 1, kSecond = 2;
    BorderWorkspace& border = pairing_.border;
    join_border_contacts(kFirst);
    std::uint32_t &first = pairing_.count[kFirst] = 0, &second = pairing_.count[kSecond] = 0;
    for (const BorderContact& contact : border.contacts) {
      const std::uint32_t root = find_root(border.parent, contact.body_a);
      if (border.part[root] == 0) {
        border.part[root] = first <= second ? kFirst : kSecond;
        pairing_.count[border.part[root]] += border.count[root];
      }
      pairing_.pair_of[contact.at] = border.part[root];
    }
  }

  /// Lists the contacts of a pair of blocks, and joins those that share a body.
  void join_border_contacts(std::uint32_t pair) {
    BorderWorkspace& border = pairing_.border;
    for (std::vector<std::uint32_t>* list : {&border.parent, &border.count, &border.part}) {
      list->resize(partition_.cut.block_of.size());
    }
    border.contacts.clear();
    std::uint32_t at = 0;
    for_each_contact(work_, island_, [&](std::uint32_t, const Contact& contact) {
      if (pairing_.pair_of[at] == pair) border.contacts.push_back({at, contact.body_a, contact.body_b});
      ++at;
    });
    for (const BorderContact& contact : border.contacts) {
      for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
        border.parent[body] = body;
        border.count[body] = border.part[body] = 0;
      }
    }
    for (const BorderContact& contact : border.contacts) join_sets(border.parent, contact.body_a, contact.body_b);
    for (const BorderContact& contact : border.contacts) ++border.count[find_root(border.parent, contact.body_a)];
  }

  /// Neighbours in a colour are halves of one block: a thread that takes the first half of every colour stays in one
  /// part of the island.
  void schedule() {
    schedule_pairs(count_, pairing_.pairs, pairing_.used);
    if (count_ > 2) return;
    // The two parts of a border that was split share no body.
    for (PairContacts& pair : pairing_.pairs) pair.phase = std::min(pair.phase, 1U);
    std::sort(pairing_.pairs.begin(), pairing_.pairs.end(), [this](const PairContacts& p, const PairContacts& q) {
      return std::tuple(p.phase, index_of(p.pair)) < std::tuple(q.phase, index_of(q.pair));
    });
  }

  void add_blocks() {
    std::uint32_t next = count_of(partition_.keys), colour = Partition::kNoBlock;
    partition_.keys.resize(next + pairing_.pair_of.size());
    pairing_.block_of.resize(pairing_.count.size());
    for (const PairContacts& pair : pairing_.pairs) {
      if (pair.phase != colour) partition_.colour_start.push_back(count_of(partition_.blocks));
      colour = pair.phase;
      pairing_.block_of[index_of(pair.pair)] = count_of(partition_.blocks);
      partition_.blocks.push_back({island_, next, next});
      next += pair.count;
    }
    std::size_t at = 0;
    for_each_contact(work_, island_, [&](std::uint32_t edge, const Contact& contact) {
      ManifoldBlock& block = partition_.blocks[pairing_.block_of[pairing_.pair_of[at++]]];
      partition_.keys[block.last_key++] = key_of(edge, contact);
    });
  }

  const ShockWorkspace& work_;
  std::uint32_t island_;
  ShockPartition& partition_;
  PairWorkspace& pairing_;
  std::uint32_t count_;  // blocks of bodies
};

void cut_into_parts(std::uint32_t block, ShockPartition& partition) {
  ManifoldBlock& whole = partition.blocks[block];
  whole.first_part = count_of(partition.parts);
  for (std::uint32_t key = whole.first_key; key < whole.last_key; key += kContactsPerPart) {
    partition.parts.push_back({block, key, std::min(key + kContactsPerPart, whole.last_key)});
  }
  whole.last_part = count_of(partition.parts);
}

/// Every block has a place in its colour, from 0 to 1; parts of an island by the places of their blocks.
void make_parts(ShockPartition& partition) {
  constexpr std::uint64_t kWhole = std::uint64_t{1} << 20U;
  partition.parts.clear();
  for (std::size_t island = 0; island + 1 < partition.island_start.size(); ++island) {
    partition.share_keys.clear();
    for (std::uint32_t colour = partition.island_start[island]; colour < partition.island_start[island + 1]; ++colour) {
      const std::uint32_t first = partition.colour_start[colour], last = partition.colour_start[colour + 1];
      for (std::uint32_t block = first; block < last; ++block) {
        partition.share_keys.push_back(kWhole * (block - first) / (last - first) << 32U | block);
      }
    }
    std::sort(partition.share_keys.begin(), partition.share_keys.end());
    for (const std::uint64_t key : partition.share_keys) cut_into_parts(static_cast<std::uint32_t>(key), partition);
  }
}

/// Bodies of every block that no block before it has; those that joints alone hold go to the first of their island.
void list_bodies(const ShockWorkspace& work, ShockPartition& partition) {
  partition.bodies.clear();
  refill(partition.is_listed, work.movable.size(), std::uint8_t{0});
  const auto list = [&](std::uint32_t edge) {
    for (const std::uint32_t body : {work.edges[edge].body_a, work.edges[edge].body_b}) {
      if (work.movable[body] == 0 || partition.is_listed[body] != 0) continue;
      partition.is_listed[body] = 1;
      partition.bodies.push_back(body);
    }
  };
  for (std::size_t k = 0; k < partition.blocks.size(); ++k) {
    ManifoldBlock& block = partition.blocks[k];
    block.first_body = count_of(partition.bodies);
    for (std::uint32_t key = block.first_key; key < block.last_key; ++key) {
      list(static_cast<std::uint32_t>(partition.keys[key]));
    }
    if (k == 0 || block.island != partition.blocks[k - 1].island) {
      for (const std::uint32_t edge : work.islands.edges_of(block.island)) {
        if (edge >= work.contacts.contacts.size()) list(edge);
      }
    }
    block.last_body = count_of(partition.bodies);
  }
}

bool is_known(const ShockWorkspace& work, const ShockPartition& partition) {
  const ShockPartition::Known& known = partition.known;
  return known.body_blocks == partition.body_blocks && known.edges == work.edges && known.movable == work.movable &&
         known.height == work.stack.layers.height && known.block_of == partition.cut.block_of;
}

void keep_known(const ShockWorkspace& work, ShockPartition& partition) {
  ShockPartition::Known& known = partition.known;
  copy_to(partition.body_blocks, known.body_blocks);
  copy_to(work.edges, known.edges);
  copy_to(work.movable, known.movable);
  copy_to(work.stack.layers.height, known.height);
  copy_to(partition.cut.block_of, known.block_of);
}

}  // namespace

void partition_bodies(const World& world, const ShockWorkspace& work, ShockPartition& partition) {
  refill(partition.cut.block_of, world.bodies.size(), Partition::kNoBlock);
  partition.body_blocks.resize(work.islands.size());
  for (std::uint32_t island = 0; island < work.islands.size(); ++island) {
    const std::uint32_t most = std::min(count_contacts(work, island) / kContactsPerBlock, kMostScheduled);
    if (most <= 1) {
      partition.body_blocks[island] = 1;
      continue;
    }
    const double spacing = list_points(world, work, island, partition);
    const BisectionRule rule{std::bit_floor(most), -world.gravity.normalized(), spacing};
    partition.body_blocks[island] = bisect(partition.pairing.points, rule, partition.cut);
  }
}

bool make_manifold_blocks(const ShockWorkspace& work, ShockPartition& partition) {
  if (is_known(work, partition)) return false;
  keep_known(work, partition);
  partition.keys.clear();
  partition.blocks.clear();
  partition.colour_start.clear();
  partition.island_start.clear();
  for (std::uint32_t island = 0; island < work.islands.size(); ++island) {
    partition.island_start.push_back(count_of(partition.colour_start));
    IslandBlocks(work, island, partition).make();
  }
  partition.island_start.push_back(count_of(partition.colour_start));
  partition.colour_start.push_back(count_of(partition.blocks));
  make_parts(partition);
  list_bodies(work, partition);
  return true;
}

}  // namespace achilles
