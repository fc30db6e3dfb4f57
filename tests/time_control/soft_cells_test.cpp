// Which manifolds soft-step lays side by side, and which cells it sweeps at once.
#include "time_control/soft_step/cells.hpp"
#include "time_control/soft_step/order_lanes.hpp"

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
  soft.watched = 0;
  soft.movers = bodies;
  soft.body_of.resize(bodies + 1);
  soft.slot_of.resize(bodies + 1);
  for (std::uint32_t k = 0; k <= bodies; ++k) {
    soft.body_of[k] = k;
    soft.slot_of[k] = static_cast<std::int32_t>(k);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t k = 1; k <= bodies; ++k) {
    for (std::uint32_t touches = random() % 5; touches > 0; --touches) {
      const std::uint32_t reach = random() % 200 == 0 ? bodies : 40, other = k + 1 + random() % reach;
      if (other <= bodies) pairs.emplace(k, other);
    }
    if (random() % 10 == 0) pairs.emplace(0U, k);
  }
  soft.edges.clear();
  soft.manifolds.clear();
  for (const auto& [a, b] : pairs) {
    soft.edges.push_back({a, b});
    SoftManifold manifold;
    manifold.kind = static_cast<std::uint16_t>(random() % (2 * kPointsPerManifold));
    soft.manifolds.push_back(manifold);
  }
  color_edges(soft.edges, movable, soft.coloring);
  BlockRunner runner(1);
  cut_cells(soft);
  assign_lanes(runner, soft);
}

/// Slots that move of the manifolds in these lanes.
std::multiset<std::int32_t> list_slots(const SoftWorkspace& soft, std::size_t first, std::size_t last) {
  std::multiset<std::int32_t> slots;
  for (std::size_t at = first * kLanes; at < last * kLanes; ++at) {
    if (soft.manifold_at[at] < 0) continue;
    const GraphEdge& edge = soft.edges[static_cast<std::size_t>(soft.manifold_at[at])];
    for (const std::uint32_t body : {edge.body_a, edge.body_b}) {
      if (soft.slot_of[body] > 0) slots.insert(soft.slot_of[body]);
    }
  }
  return slots;
}

bool has_doubles(const std::multiset<std::int32_t>& slots) {
  return std::adjacent_find(slots.begin(), slots.end()) != slots.end();
}

class SoftCellsOfARow : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  SoftCellsOfARow() {
    std::mt19937 random(GetParam());
    make_row(GetParam(), random, soft_);
  }
  SoftWorkspace soft_;
};

TEST_P(SoftCellsOfARow, EveryManifoldHasOneLaneAndItsRows) {
  std::vector<int> seen(soft_.manifolds.size(), 0);
  for (std::size_t at = 0; at < soft_.manifold_at.size(); ++at) {
    if (soft_.manifold_at[at] < 0) continue;
    const auto m = static_cast<std::size_t>(soft_.manifold_at[at]);
    ++seen[m];
    const ContactLanes& lanes = soft_.lanes.contacts[at / kLanes];
    EXPECT_GE(lanes.points, soft_.manifolds[m].kind % kPointsPerManifold + 1);
    EXPECT_TRUE(soft_.manifolds[m].kind < kPointsPerManifold || lanes.masses >= 0);
    EXPECT_TRUE(lanes.points == 1 || lanes.patch >= 0);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
}

TEST_P(SoftCellsOfARow, WhatIsSideBySideSharesNoBodyThatMoves) {
  for (std::size_t k = 0; k < soft_.lanes.contacts.size(); ++k) EXPECT_FALSE(has_doubles(list_slots(soft_, k, k + 1)));
}

TEST_P(SoftCellsOfARow, WhatIsSweptAtOnceSharesNoBodyThatMoves) {
  std::size_t cell = 0;
  for (const std::uint32_t count : soft_.cells.rounds) {
    std::set<std::int32_t> others;
    for (const std::size_t last = cell + count; cell < last; ++cell) {
      const auto slots = list_slots(soft_, soft_.cells.lane_start[cell], soft_.cells.lane_start[cell + 1]);
      const std::set<std::int32_t> own(slots.begin(), slots.end());
      for (const std::int32_t slot : own) EXPECT_TRUE(others.insert(slot).second);
    }
  }
  for (std::size_t color = 0; color + 2 < soft_.start.size(); ++color) {
    EXPECT_FALSE(has_doubles(list_slots(soft_, soft_.start[color], soft_.start[color + 1])));
  }
}

TEST_P(SoftCellsOfARow, CellsChangeTheirOwnBodiesAndSlabsThoseOfTheNext) {
  const std::size_t width = soft_.cells.is_chain ? 2 : 1;
  for (std::size_t cell = 0; cell < soft_.cells.size(); ++cell) {
    const std::size_t place = soft_.cells.place_of(cell), end = std::min(cell + width, soft_.cells.size());
    for (const std::int32_t slot :
         list_slots(soft_, soft_.cells.lane_start[place], soft_.cells.lane_start[place + 1])) {
      EXPECT_GE(static_cast<std::uint32_t>(slot), soft_.cells.slot_start[cell]);
      EXPECT_LT(static_cast<std::uint32_t>(slot), soft_.cells.slot_start[end]);
    }
  }
}

TEST_P(SoftCellsOfARow, NineLanesOfTenAreFilled) {
  EXPECT_GT(static_cast<double>(soft_.manifolds.size()),
            0.9 * static_cast<double>(soft_.lanes.contacts.size() * kLanes));
}

INSTANTIATE_TEST_SUITE_P(InOnePieceInSlabsAndInCells, SoftCellsOfARow, ::testing::Values(300U, 1000U, 2500U, 9000U));

TEST(SoftCells, SlabsHaveAlikeManyContacts) {
  SoftWorkspace soft;
  std::mt19937 random(5);
  make_row(2000, random, soft);
  ASSERT_TRUE(soft.cells.is_chain);
  const auto slabs = static_cast<double>(soft.cells.size());
  const double mean = static_cast<double>(soft.cells.lane_start[soft.cells.size()]) / slabs;
  for (std::size_t cell = 0; cell < soft.cells.size(); ++cell) {
    const double lanes = soft.cells.lane_start[cell + 1] - soft.cells.lane_start[cell];
    EXPECT_NEAR(lanes / mean, 1, 0.15);
  }
}

}  // namespace
}  // namespace achilles
