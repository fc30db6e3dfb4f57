// Chains of contacts, as certificates bound by them what bodies are moved out of each other by.
#include "record/certify/chains.hpp"
#include "support/scenes.hpp"

#include <achilles/world.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace achilles {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A fixed ground, body 0, and balls.
World make_world(int balls) {
  World world;
  world.add_body(testing::make_ground());
  for (int k = 1; k <= balls; ++k) {
    world.add_body(testing::make_body("ball" + std::to_string(k), {Sphere{0.1}}, Vec3(k, 0, 1)));
  }
  return world;
}

TEST(ContactChains, LayersOfAStackAreItsBodiesCountedFromTheGround) {
  ContactChains chains;
  chains.find(make_world(4), Pairs{{2, 3}, {0, 1}, {1, 2}, {4, 3}});
  for (std::uint32_t k = 1; k <= 4; ++k) {
    EXPECT_EQ(chains.layers()[k], k);
    EXPECT_EQ(chains.reach(k), 4U);
  }
}

TEST(ContactChains, ShortestWayToTheGroundCounts) {
  ContactChains chains;
  chains.find(make_world(4), Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}});
  EXPECT_EQ(chains.layers()[2], 2U);
  EXPECT_EQ(chains.layers()[3], 2U);
  EXPECT_EQ(chains.layers()[4], 1U);
}

// Fixed bodies end chains: what stands on the same ground does not hang together by it.
TEST(ContactChains, DoNotGoThroughWhatCannotMove) {
  ContactChains chains;
  chains.find(make_world(2), Pairs{{0, 1}, {0, 2}});
  EXPECT_EQ(chains.reach(1), 1U);
  EXPECT_EQ(chains.reach(2), 1U);
}

// A row of n in the air, in any order: its ends are (n − 1) / 2 links from its middle.
TEST(ContactChains, ReachOfAFreeRowIsAtLeastHalfOfIt) {
  ContactChains chains;
  chains.find(make_world(5), Pairs{{3, 1}, {1, 5}, {5, 2}, {2, 4}});
  for (std::uint32_t k = 1; k <= 5; ++k) {
    EXPECT_EQ(chains.layers()[k], 1U);
    EXPECT_GE(chains.reach(k), 2U);
    EXPECT_LE(chains.reach(k), 4U);
  }
}

TEST(ContactChains, OfABodyAloneAreOne) {
  ContactChains chains;
  chains.find(make_world(1), Pairs{});
  EXPECT_EQ(chains.layers()[1], 1U);
  EXPECT_EQ(chains.reach(1), 1U);
  EXPECT_EQ(chains.reach(0), 1U);
}

}  // namespace
}  // namespace achilles
