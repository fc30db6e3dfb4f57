// Which manifolds soft-step puts into one SIMD batch, and which blocks it sweeps at once.
#include "methods/soft_step/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace achilles {
namespace {

/// Bodies in a row, body 0 the ground; each touches some of those near it, a few touch one far away or the ground.
void make_row(std::uint32_t bodies, std::mt19937& random, SoftWorkspace& soft) {
  std::vector<std::uint8_t> movable(bodies + 1, 1);
  movable[0] = 0;
  soft.bodies.scripted = 0;
  soft.bodies.dynamic = bodies;
  soft.bodies.body_of.resize(bodies + 1);
  soft.bodies.slot_of.resize(bodies + 1);
  for (std::uint32_t k = 0; k <= bodies; ++k) {
    soft.bodies.body_of[k] = k;
    soft.bodies.slot_of[k] = static_cast<std::int32_t>(k);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t k = 1; k <= bodies; ++k) {
    for (std::uint32_t touches = random() % 5; touches > 0; --touches) {
      const std::uint32_t reach = random() % 200 == 0 ? bodies : 40, other = k + 1 + random() % reach;
      if (other <= bodies) pairs.emplace(k, other);
    }
    if (random() % 10 == 0) pairs.emplace(0U, k);
  }
  soft.manifolds.edges.clear();
  soft.manifolds.manifolds.clear();
  for (const auto& [a, b] : pairs) {
    soft.manifolds.edges.push_back({a, b});
    SoftManifold manifold;
    manifold.kind = static_cast<std::uint16_t>(random() % kManifoldKinds);
    soft.manifolds.manifolds.push_back(manifold);
  }
  color_edges(soft.manifolds.edges, movable, soft.manifolds.coloring);
  BlockRunner runner(1);
  cut_slots(soft.manifolds.edges, soft.bodies, soft.slots);
  lay_out_batches(runner, soft.bodies, soft.manifolds, soft.slots.partition, soft.layout, soft.planning);
}

/// Dynamic slots of the manifolds in these batches.
std::multiset<std::int32_t> list_slots(const SoftWorkspace& soft, std::size_t first, std::size_t last) {
  std::multiset<std::int32_t> slots;
  for (std::size_t at = first * kLanes; at < last * kLanes; ++at) {
    if (soft.layout.manifold_at[at] < 0) continue;
    const GraphEdge& edge = soft.manifolds.edges[static_cast<std::size_t>(soft.layout.manifold_at[at])];
    for (const std::uint32_t body : {edge.body_a, edge.body_b}) {
      if (soft.bodies.slot_of[body] > 0) slots.insert(soft.bodies.slot_of[body]);
    }
  }
  return slots;
}

bool has_doubles(const std::multiset<std::int32_t>& slots) {
  return std::adjacent_find(slots.begin(), slots.end()) != slots.end();
}

class SoftLayoutOfARow : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  SoftLayoutOfARow() {
    std::mt19937 random(GetParam());
    make_row(GetParam(), random, soft_);
  }
  SoftWorkspace soft_;
};

TEST_P(SoftLayoutOfARow, EveryManifoldHasOneSimdLaneAndItsRows) {
  std::vector<int> seen(soft_.manifolds.manifolds.size(), 0);
  const ContactBatches& batches = soft_.layout.batches;
  std::size_t points = 0;
  std::set<std::int32_t> twists, masses;
  for (std::size_t k = 0; k < soft_.layout.size(); ++k) {
    const ContactBatch& batch = batches.contacts[k];
    EXPECT_EQ(batch.first_point, points);
    points += batch.points;
    EXPECT_EQ(batch.points > 1, batch.twist >= 0);
    EXPECT_TRUE(batch.twist < 0 || twists.insert(batch.twist).second);
    EXPECT_TRUE(batch.masses < 0 || masses.insert(batch.masses).second);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t m = soft_.layout.manifold_at[k * kLanes + lane];
      if (m < 0) continue;
      ++seen[static_cast<std::size_t>(m)];
      const SoftManifold& manifold = soft_.manifolds.manifolds[static_cast<std::size_t>(m)];
      EXPECT_GE(batch.points, manifold.rows());
      EXPECT_TRUE(!manifold.needs_masses() || batch.masses >= 0);
    }
  }
  EXPECT_EQ(points, batches.points.size());
  EXPECT_EQ(twists.size(), batches.twists.size());
  EXPECT_EQ(masses.size(), batches.masses.size());
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
}

TEST_P(SoftLayoutOfARow, ManifoldsOfOneBatchShareNoDynamicBody) {
  for (std::size_t k = 0; k < soft_.layout.size(); ++k) EXPECT_FALSE(has_doubles(list_slots(soft_, k, k + 1)));
}

TEST_P(SoftLayoutOfARow, BlocksOfOneRoundAndBorderContactsOfOneColourShareNoDynamicBody) {
  const Partition& partition = soft_.slots.partition;
  std::size_t rank = 0;
  for (const std::uint32_t count : {partition.blocks_in_round(0), partition.blocks_in_round(1)}) {
    std::set<std::int32_t> others;
    for (const std::size_t last = rank + count; rank < last; ++rank) {
      const auto slots = list_slots(soft_, soft_.layout.block_start[rank], soft_.layout.block_start[rank + 1]);
      const std::set<std::int32_t> own(slots.begin(), slots.end());
      for (const std::int32_t slot : own) EXPECT_TRUE(others.insert(slot).second);
    }
  }
  const std::vector<std::uint32_t>& start = soft_.layout.color_start;
  EXPECT_EQ(start.front(), soft_.layout.block_start.back());
  EXPECT_EQ(start.back(), soft_.layout.size());
  for (std::size_t color = 0; color + 2 < start.size(); ++color) {
    EXPECT_FALSE(has_doubles(list_slots(soft_, start[color], start[color + 1])));
  }
}

TEST_P(SoftLayoutOfARow, ContactsOfABlockMoveItsOwnBodiesAndInAChainThoseOfTheNext) {
  const Partition& partition = soft_.slots.partition;
  const std::uint32_t width = partition.is_chain ? 2 : 1;
  for (std::uint32_t block = 0; block < partition.size(); ++block) {
    const std::uint32_t rank = partition.rank_of(block), end = std::min(block + width, partition.size());
    for (const std::int32_t slot :
         list_slots(soft_, soft_.layout.block_start[rank], soft_.layout.block_start[rank + 1])) {
      EXPECT_GE(static_cast<std::uint32_t>(slot), partition.start[block]);
      EXPECT_LT(static_cast<std::uint32_t>(slot), partition.start[end]);
    }
  }
}

TEST_P(SoftLayoutOfARow, NineSimdLanesOfTenAreFilled) {
  EXPECT_GT(static_cast<double>(soft_.manifolds.manifolds.size()),
            0.9 * static_cast<double>(soft_.layout.size() * kLanes));
}

INSTANTIATE_TEST_SUITE_P(WholeInAChainAndInBlocks, SoftLayoutOfARow, ::testing::Values(300U, 1000U, 2500U, 9000U));

TEST(SoftLayout, BlocksOfAChainHaveAlikeManyContacts) {
  SoftWorkspace soft;
  std::mt19937 random(5);
  make_row(2000, random, soft);
  ASSERT_TRUE(soft.slots.partition.is_chain);
  const std::uint32_t blocks = soft.slots.partition.size();
  const double mean = static_cast<double>(soft.layout.block_start[blocks]) / blocks;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const double batches = soft.layout.block_start[block + 1] - soft.layout.block_start[block];
    EXPECT_NEAR(batches / mean, 1, 0.15);
  }
}

TEST(SoftSlots, CountDynamicBodiesUpAndScriptedOnesDownFromZero) {
  World world;
  const std::vector<BodyKind> kinds = {BodyKind::kFixed,   BodyKind::kDynamic,  BodyKind::kScripted,
                                       BodyKind::kDynamic, BodyKind::kScripted, BodyKind::kDynamic};
  std::vector<std::uint8_t> movable;
  for (const BodyKind kind : kinds) {
    world.bodies.kind.push_back(kind);
    world.bodies.position.push_back(Vec3::Zero());
    movable.push_back(kind == BodyKind::kDynamic ? 1 : 0);
  }
  SoftBodyWorkspace bodies;
  KeySortWorkspace sort;
  for (int step = 0; step < 2; ++step) {
    bodies.slot_of = {1, 1, 1, 0, 1, 1};  // body 3 touches nothing
    assign_slots(world, movable, bodies, sort);
    EXPECT_EQ(bodies.slot_of, (std::vector<std::int32_t>{0, 1, -1, 0, -2, 2}));
    EXPECT_EQ(bodies.dynamic, 2U);
    EXPECT_EQ(bodies.scripted, 2U);
    ASSERT_EQ(bodies.body_of.size(), 5U);
    for (std::uint32_t body = 1; body < kinds.size(); ++body) {
      if (bodies.slot_of[body] == 0) continue;
      EXPECT_EQ(bodies.body_of[static_cast<std::size_t>(2 + bodies.slot_of[body])], body);
    }
  }
}

TEST(SoftSlots, ManyBodiesGetSlotsNearThoseOfTheirNeighboursAndEachOneSlot) {
  std::mt19937 random(9);
  for (const std::uint32_t count : {600U, 3000U, 9000U}) {
    World world;
    std::uniform_real_distribution<double> unit(0, 1);
    for (std::uint32_t k = 0; k < count; ++k) {
      world.bodies.kind.push_back(BodyKind::kDynamic);
      world.bodies.position.push_back(Vec3(10 * unit(random), unit(random), unit(random)));
    }
    SoftBodyWorkspace bodies;
    KeySortWorkspace sort;
    bodies.slot_of.assign(count, 1);
    assign_slots(world, std::vector<std::uint8_t>(count, 1), bodies, sort);
    std::vector<std::int32_t> slots = bodies.slot_of;
    std::sort(slots.begin(), slots.end());
    double steps = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      ASSERT_EQ(slots[k], static_cast<std::int32_t>(k + 1));
      EXPECT_EQ(bodies.slot_of[bodies.body_of[k + 1]], static_cast<std::int32_t>(k + 1));
      if (k > 0) {
        steps +=
            std::abs(world.bodies.position[bodies.body_of[k + 1]].x() - world.bodies.position[bodies.body_of[k]].x());
      }
    }
    // Bodies in random order are 10/3 apart along the axis.
    EXPECT_LT(steps / count, 0.5);
  }
}

}  // namespace
}  // namespace achilles
