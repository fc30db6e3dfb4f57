#include "graph/partition.hpp"

#include "graph/islands.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

namespace achilles {
namespace {

std::uint32_t draw(std::mt19937& random, std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; }

std::vector<Vec3> scatter(std::mt19937& random, std::size_t count, const Vec3& size) {
  std::uniform_real_distribution<double> unit(-0.5, 0.5);
  std::vector<Vec3> positions(count);
  for (Vec3& position : positions) position = size.cwiseProduct(Vec3(unit(random), unit(random), unit(random)));
  return positions;
}

std::vector<std::uint32_t> list_nodes(std::size_t count) {
  std::vector<std::uint32_t> nodes(count);
  std::iota(nodes.begin(), nodes.end(), 0U);
  return nodes;
}

/// Every node of the range is in one block, blocks are consecutive, and nodes before the range are in none.
void expect_consecutive(NodeRange nodes, const Partition& partition) {
  ASSERT_GT(partition.size(), 0U);
  EXPECT_EQ(partition.start.front(), nodes.first);
  EXPECT_EQ(partition.start.back(), nodes.last);
  for (std::uint32_t node = 0; node < nodes.first; ++node) EXPECT_EQ(partition.block_of[node], Partition::kNoBlock);
  for (std::uint32_t node = nodes.first; node < nodes.last; ++node) {
    const std::uint32_t block = partition.block_of[node];
    ASSERT_LT(block, partition.size());
    EXPECT_GE(node, partition.start[block]);
    EXPECT_LT(node, partition.start[block + 1]);
  }
}

TEST(Partition, EvenBlocksCoverAllNodesAndOnlyTheLastIsSmaller) {
  for (const std::uint32_t count : {1U, 7U, 8U, 9U, 100U, 1537U}) {
    for (const std::uint32_t blocks : {1U, 2U, 8U, 13U}) {
      Partition partition;
      cut_evenly({3, count + 3}, blocks, partition);
      expect_consecutive({3, count + 3}, partition);
      EXPECT_LE(partition.size(), blocks);
      const std::uint32_t size = partition.start[1] - partition.start[0];
      for (std::uint32_t block = 0; block + 1 < partition.size(); ++block) {
        EXPECT_EQ(partition.start[block + 1] - partition.start[block], size);
      }
      EXPECT_LE(partition.start[partition.size()] - partition.start[partition.size() - 1], size);
    }
  }
}

// A block ends at the first node whose predecessors weigh its share or more: it is off by one node's weight at most.
TEST(Partition, WeightedBlocksDifferFromTheirShareByOneNode) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const std::uint32_t count = 200 + draw(random, 800), blocks = 1 + draw(random, 12);
    std::vector<std::uint32_t> weights(count);
    for (std::uint32_t& weight : weights) weight = 1 + draw(random, 6);
    Partition partition;
    cut_by_weight({1, count + 1}, weights, blocks, partition);
    expect_consecutive({1, count + 1}, partition);
    ASSERT_EQ(partition.size(), blocks);
    const double share = std::accumulate(weights.begin(), weights.end(), 0.0) / blocks;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      double weight = 0;
      for (std::uint32_t node = partition.start[block]; node < partition.start[block + 1]; ++node) {
        weight += weights[node - 1];
      }
      EXPECT_NEAR(weight, share, 6);
    }
  }
}

std::vector<GraphEdge> draw_contacts(std::mt19937& random, std::uint32_t nodes, std::uint32_t reach) {
  std::vector<GraphEdge> contacts;
  for (std::uint32_t node = 1; node < nodes; ++node) {
    contacts.push_back({node, std::min(node + 1 + draw(random, reach), nodes - 1)});
    if (draw(random, 8) == 0) contacts.push_back({0, node});
  }
  return contacts;
}

/// The nodes of the contacts that each block has; those in no block may be shared.
std::vector<std::set<std::uint32_t>> list_nodes_of_blocks(const Partition& partition,
                                                          const std::vector<GraphEdge>& contacts) {
  std::vector<std::set<std::uint32_t>> nodes(partition.size());
  for (const auto& [a, b] : contacts) {
    const std::uint32_t owner = find_owner(partition, find_blocks(partition, a, b));
    if (owner == Partition::kNoBlock) continue;
    for (const std::uint32_t node : {a, b}) {
      if (partition.block_of[node] != Partition::kNoBlock) nodes[owner].insert(node);
    }
  }
  return nodes;
}

TEST(Partition, BlocksOfOneRoundShareNoNode) {
  std::mt19937 random(5);
  for (const bool is_chain : {false, true}) {
    const std::uint32_t nodes = 1000;
    const std::vector<GraphEdge> contacts = draw_contacts(random, nodes, 90);
    Partition partition;
    partition.is_chain = is_chain;
    cut_evenly({1, nodes}, 9, partition);
    const auto nodes_of = list_nodes_of_blocks(partition, contacts);
    EXPECT_EQ(partition.blocks_in_round(0) + partition.blocks_in_round(1), partition.size());
    std::set<std::uint32_t> ranks;
    for (const std::size_t round : {std::size_t{0}, std::size_t{1}}) {
      std::set<std::uint32_t> seen;
      for (std::uint32_t block = 0; block < partition.size(); ++block) {
        const std::uint32_t rank = partition.rank_of(block);
        if (partition.round_of(rank) != round) continue;
        EXPECT_TRUE(ranks.insert(rank).second);
        for (const std::uint32_t node : nodes_of[block]) EXPECT_TRUE(seen.insert(node).second) << node;
      }
    }
    EXPECT_EQ(ranks.size(), partition.size());
    EXPECT_EQ(*ranks.rbegin() + 1, partition.size());
  }
}

TEST(Partition, ContactsOfABlockStayWithinItAndThoseOfAChainReachTheNext) {
  std::mt19937 random(6);
  for (const bool is_chain : {false, true}) {
    const std::uint32_t nodes = 600;
    const std::vector<GraphEdge> contacts = draw_contacts(random, nodes, 200);
    Partition partition;
    partition.is_chain = is_chain;
    cut_evenly({1, nodes}, 6, partition);
    const auto nodes_of = list_nodes_of_blocks(partition, contacts);
    std::size_t borders = 0;
    for (std::uint32_t block = 0; block < partition.size(); ++block) {
      for (const std::uint32_t node : nodes_of[block]) {
        const std::uint32_t past = partition.block_of[node] - block;
        EXPECT_LE(past, is_chain ? 1U : 0U);
        borders += past;
      }
    }
    EXPECT_EQ(borders > 0, is_chain);
  }
}

TEST(Partition, ContactWithANodeInNoBlockIsInsideTheBlockOfTheOther) {
  Partition partition;
  cut_evenly({1, 9}, 2, partition);
  EXPECT_EQ(find_blocks(partition, 0, 7), (BlockPair{1, 1}));
  EXPECT_EQ(find_blocks(partition, 7, 0), (BlockPair{1, 1}));
  EXPECT_EQ(find_blocks(partition, 7, 1), (BlockPair{0, 1}));
  EXPECT_EQ(find_owner(partition, {0, 1}), Partition::kNoBlock);
  EXPECT_EQ(find_owner(partition, {1, 1}), 1U);
}

TEST(SpatialOrder, SortIsStableAndByKeys) {
  std::mt19937 random(8);
  std::vector<std::uint32_t> nodes = list_nodes(500), keys(500);
  for (std::uint32_t& key : keys) key = draw(random, 20);
  std::vector<std::uint32_t> expected = nodes;
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  KeySortWorkspace work;
  sort_by_key(
      std::span(nodes), 20, [&](std::uint32_t node) { return keys[node]; }, work);
  EXPECT_EQ(nodes, expected);
}

// The Morton key interleaves the bits of three integers; on a grid with one node per cube both can be counted.
TEST(SpatialOrder, MortonKeysOfAGridInterleaveItsCoordinates) {
  std::vector<Vec3> positions;
  for (int k = 0; k < 512; ++k) positions.emplace_back(k % 8, k / 8 % 8, k / 64);
  const MortonOrder order(positions, list_nodes(512));
  const auto along = [&](const Vec3& position) { return order.key_of(position); };
  for (const Vec3& position : positions) {
    // Keys of the three coordinates alone share no bit with each other beyond those of the lowest corner.
    const std::uint32_t corner = along(Vec3(0, 0, 0)), key = along(position);
    const std::uint32_t x = along(Vec3(position.x(), 0, 0)), y = along(Vec3(0, position.y(), 0));
    const std::uint32_t z = along(Vec3(0, 0, position.z()));
    constexpr std::uint32_t kX = 0x09249249U;
    EXPECT_EQ((x ^ corner) & ~kX, 0U);
    EXPECT_EQ((y ^ corner) & ~(kX << 1), 0U);
    EXPECT_EQ((z ^ corner) & ~(kX << 2), 0U);
    EXPECT_EQ(key, (x & kX) | (y & (kX << 1)) | (z & (kX << 2)));
    EXPECT_LT(key, order.count());
  }
}

double sum_steps(const std::vector<Vec3>& positions, const std::vector<std::uint32_t>& nodes) {
  double sum = 0;
  for (std::size_t k = 1; k < nodes.size(); ++k) sum += (positions[nodes[k]] - positions[nodes[k - 1]]).norm();
  return sum;
}

// n nodes in a cube are n^(−1/3) apart; random ones 0.66 of its edge [Robbins' constant].
TEST(SpatialOrder, NeighboursOnTheMortonCurveAreNearInSpace) {
  std::mt19937 random(9);
  const std::vector<Vec3> positions = scatter(random, 8000, Vec3(1, 1, 1));
  std::vector<std::uint32_t> nodes = list_nodes(positions.size());
  const double before = sum_steps(positions, nodes);
  KeySortWorkspace work;
  const MortonOrder order(positions, nodes);
  sort_by_key(
      std::span(nodes), order.count(), [&](std::uint32_t node) { return order.key_of(positions[node]); }, work);
  EXPECT_NEAR(before / 8000, 0.66, 0.02);
  EXPECT_LT(sum_steps(positions, nodes) / 8000, 3 * std::cbrt(1.0 / 8000));
}

TEST(SpatialOrder, SlicesLieAcrossTheLongestAxisAndHoldWhatFlewFarAway) {
  std::mt19937 random(10);
  std::vector<Vec3> positions = scatter(random, 2000, Vec3(2, 30, 5));
  positions.emplace_back(0, 1e6, 0);
  const AxisOrder order(positions, list_nodes(2000), 64);
  std::vector<std::uint32_t> keys;
  std::sort(positions.begin(), positions.end(), [](const Vec3& p, const Vec3& q) { return p.y() < q.y(); });
  for (const Vec3& position : positions) keys.push_back(order.key_of(position));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(keys.back(), 63U);
  EXPECT_EQ(order.key_of(Vec3(0, -1e6, 0)), 0U);
  // Uniform in [−15, 15]: three standard deviations are 26, so that the nodes take 0.58 of the slices.
  EXPECT_NEAR(keys[1999] - keys[0], 64 * 30 / (6 * 30 / std::sqrt(12)), 3);
}

/// Columns of nodes on a square grid.
std::vector<BisectionPoint> make_columns(int across, int high, std::mt19937& random) {
  std::vector<BisectionPoint> points;
  std::uniform_real_distribution<double> tilt(-0.02, 0.02);
  for (int k = 0; k < across * across * high; ++k) {
    const int column = k / high;
    points.push_back({Vec3(column % across + tilt(random), column / across + tilt(random), 0),
                      static_cast<std::uint32_t>(points.size())});
  }
  return points;
}

TEST(Bisection, BlocksAreAlikeAndNoColumnIsCut) {
  std::mt19937 random(11);
  for (const int across : {6, 9, 16}) {
    const int high = 5;
    std::vector<BisectionPoint> points = make_columns(across, high, random);
    Partition partition;
    partition.block_of.assign(points.size(), Partition::kNoBlock);
    const std::uint32_t blocks = bisect(points, {8, Vec3::UnitZ(), 1.0}, partition);
    EXPECT_GT(blocks, 1U);
    EXPECT_LE(blocks, 8U);
    std::vector<std::size_t> sizes(blocks, 0);
    for (std::size_t node = 0; node < points.size(); ++node) {
      ASSERT_LT(partition.block_of[node], blocks);
      ++sizes[partition.block_of[node]];
      EXPECT_EQ(partition.block_of[node], partition.block_of[node / high * high]);
    }
    // Three halvings, each off by one column of a row at most.
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 3 * *std::min_element(sizes.begin(), sizes.end()));
  }
}

TEST(Bisection, DoesNotDependOnTheOrderOfThePoints) {
  std::mt19937 random(12);
  std::vector<BisectionPoint> points = make_columns(10, 3, random);
  Partition one, other;
  one.block_of.resize(points.size());
  other.block_of.resize(points.size());
  const BisectionRule rule{16, Vec3::UnitZ(), 1.0};
  const std::uint32_t blocks = bisect(points, rule, one);
  std::shuffle(points.begin(), points.end(), random);
  EXPECT_EQ(bisect(points, rule, other), blocks);
  EXPECT_EQ(one.block_of, other.block_of);
}

TEST(Bisection, SlenderTowerStaysWhole) {
  std::mt19937 random(13);
  std::vector<BisectionPoint> points = make_columns(2, 50, random);
  Partition partition;
  partition.block_of.resize(points.size());
  EXPECT_EQ(bisect(points, {8, Vec3::UnitZ(), 1.0}, partition), 1U);
  EXPECT_EQ(bisect({}, {8, Vec3::UnitZ(), 1.0}, partition), 0U);
}

TEST(SchedulePairs, PairsOfOnePhaseShareNoBlockAndInnerContactsComeFirst) {
  std::mt19937 random(14);
  for (int trial = 0; trial < 100; ++trial) {
    const std::uint32_t blocks = 2 + draw(random, kMostScheduled - 1);
    std::vector<PairContacts> pairs;
    for (std::uint32_t a = 0; a < blocks; ++a) {
      for (std::uint32_t b = a; b < blocks; ++b) {
        if (a == b || trial == 0 || draw(random, 3) == 0) pairs.push_back({{a, b}, 1 + draw(random, 40), 0});
      }
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    std::vector<std::uint64_t> used;
    schedule_pairs(blocks, pairs, used);
    std::uint32_t phase = 0;
    std::set<std::uint32_t> taken;
    for (const PairContacts& one : pairs) {
      ASSERT_GE(one.phase, phase);
      ASSERT_LT(one.phase, 64U);
      if (one.phase > phase) taken.clear();
      phase = one.phase;
      EXPECT_EQ(one.pair.is_inside(), phase == 0);
      EXPECT_TRUE(taken.insert(one.pair.first).second);
      if (phase > 0) {
        EXPECT_TRUE(taken.insert(one.pair.second).second);
      }
    }
  }
}

}  // namespace
}  // namespace achilles
