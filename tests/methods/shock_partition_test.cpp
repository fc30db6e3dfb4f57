#include "methods/shock_propagation/shock_partition.hpp"

#include "methods/shock_propagation/shock_workspace.hpp"

#include <achilles/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <span>

namespace achilles {
namespace {

/// Bodies on a wide grid, each in contact with its neighbours and with the ground, body 0; and one apart.
struct Field {
  World world;
  ShockWorkspace work;

  explicit Field(std::uint32_t across) {
    const std::uint32_t bodies = across * across + 3;
    world.gravity = Vec3(0, 0, -9.81);
    world.bodies.position.resize(bodies, Vec3::Zero());
    world.bodies.kind.resize(bodies, BodyKind::kDynamic);
    world.bodies.kind[0] = BodyKind::kFixed;
    work.movable.assign(bodies, 1);
    work.movable[0] = 0;
    work.stack.layers.height.assign(bodies, 1);
    work.stack.layers.height[0] = 0;
    std::mt19937_64 engine(7);
    const auto at = [&](std::uint32_t i, std::uint32_t j) { return 1 + i * across + j; };
    for (std::uint32_t i = 0; i < across; ++i) {
      for (std::uint32_t j = 0; j < across; ++j) {
        world.bodies.position[at(i, j)] = Vec3(i, j, std::uniform_real_distribution<double>(0, 1)(engine));
        touch(0, at(i, j));
        if (i + 1 < across) touch(at(i, j), at(i + 1, j));
        if (j + 1 < across) touch(at(i, j), at(i, j + 1));
        if (i + 1 < across && j + 1 < across) touch(at(i, j), at(i + 1, j + 1));
      }
    }
    touch(bodies - 2, bodies - 1);
    find_islands(work.edges, work.movable, work.islands);
  }

  std::uint32_t add(const Vec3& at, std::uint32_t height) {
    world.bodies.position.push_back(at);
    world.bodies.kind.push_back(BodyKind::kDynamic);
    work.movable.push_back(1);
    work.stack.layers.height.push_back(height);
    return static_cast<std::uint32_t>(work.movable.size()) - 1;
  }

  void touch(std::uint32_t a, std::uint32_t b) {
    Contact contact{};
    contact.body_a = a;
    contact.body_b = b;
    work.contacts.contacts.push_back(contact);
    work.edges.push_back({a, b});
  }

  const ShockPartition& cut() {
    partition_bodies(world, work, work.partition);
    (void)make_manifold_blocks(work, work.partition);
    return work.partition;
  }
};

std::uint32_t contact_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

TEST(ShockPartitionBlocks, BlocksOfAColourShareNoMovableBody) {
  Field field(20);
  const ShockPartition& partition = field.cut();
  ASSERT_EQ(field.work.islands.size(), 2U);
  ASSERT_TRUE(partition.is_cut(0));
  for (std::size_t colour = 0; colour + 1 < partition.colour_start.size(); ++colour) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t b = partition.colour_start[colour]; b < partition.colour_start[colour + 1]; ++b) {
      std::set<std::uint32_t> own;
      for (std::uint32_t k = partition.blocks[b].first_key; k < partition.blocks[b].last_key; ++k) {
        const Contact& contact = field.work.contacts.contacts[contact_of(partition.keys[k])];
        for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
          if (body != 0) own.insert(body);
        }
      }
      for (const std::uint32_t body : own) EXPECT_TRUE(seen.insert(body).second) << "body " << body;
    }
  }
}

TEST(ShockPartitionBlocks, EveryContactIsInOneBlockOfItsIsland) {
  Field field(17);
  const ShockPartition& partition = field.cut();
  std::vector<std::uint32_t> all;
  for (const ManifoldBlock& block : partition.blocks) {
    for (std::uint32_t k = block.first_key; k < block.last_key; ++k) {
      all.push_back(contact_of(partition.keys[k]));
      EXPECT_EQ(field.work.islands.island_of_edge[all.back()], block.island);
    }
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), field.work.contacts.contacts.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k);
}

// A column is as narrow as its bodies: a load passes through it in one sweep only if it is left whole.
TEST(ShockPartitionBlocks, ColumnIsNotCut) {
  Field field(0);
  for (std::uint32_t k = 0; k < 1000; ++k) {
    const std::uint32_t top = field.add(Vec3(0, 0, k), k + 1);
    if (k > 0) field.touch(top - 1, top);
  }
  find_islands(field.work.edges, field.work.movable, field.work.islands);
  const ShockPartition& partition = field.cut();
  for (std::size_t island = 0; island < field.work.islands.size(); ++island) EXPECT_FALSE(partition.is_cut(island));
}

// Five balls upon each ball of a field whose middle is a row of columns: all of a column are in one block, so that
// every column is swept from the ground to its top in one go, as its neighbours are.
TEST(ShockPartitionBlocks, ColumnsOfAFieldStayWhole) {
  const std::uint32_t across = 15, high = 5;
  Field field(across);
  for (std::uint32_t k = 1; k <= across * across; ++k) {
    for (std::uint32_t level = 1; level < high; ++level) {
      const Vec3 foot = field.world.bodies.position[k];
      const std::uint32_t top = field.add(Vec3(foot.x(), foot.y(), level), level + 1);
      field.touch(level == 1 ? k : top - 1, top);
    }
  }
  find_islands(field.work.edges, field.work.movable, field.work.islands);
  const ShockPartition& partition = field.cut();
  ASSERT_TRUE(partition.is_cut(0));
  std::uint32_t next = across * across + 3;
  for (std::uint32_t k = 1; k <= across * across; ++k) {
    for (std::uint32_t level = 1; level < high; ++level)
      EXPECT_EQ(partition.cut.block_of[next++], partition.cut.block_of[k]);
  }
}

// A tower of 24 columns in a ring, of which two lie on the cut. They go to different sides, and the ring is parted at
// two places that share no body.
TEST(ShockPartitionBlocks, RingIsHalvedAndItsTwoEndsSweptAtOnce) {
  const std::uint32_t across = 24, high = 10;
  Field field(0);
  const std::size_t first = field.work.movable.size();
  for (std::uint32_t level = 0; level < high; ++level) {
    for (std::uint32_t k = 0; k < across; ++k) {
      const double angle = 2 * std::numbers::pi * k / across;
      const std::uint32_t body = field.add(Vec3(4 * std::cos(angle), 4 * std::sin(angle), level), level + 1);
      if (level > 0) field.touch(body - across, body);
      if (k > 0) field.touch(body - 1, body);
      if (k + 1 == across) field.touch(body - k, body);
    }
  }
  find_islands(field.work.edges, field.work.movable, field.work.islands);
  const ShockPartition& partition = field.cut();
  const std::size_t island = field.work.islands.island_of_edge.back();
  ASSERT_EQ(partition.body_blocks[island], 2U);
  const auto blocks = std::span(partition.cut.block_of).subspan(first);
  EXPECT_EQ(std::count(blocks.begin(), blocks.end(), 0U), across * high / 2);
  ASSERT_EQ(partition.island_start[island + 1] - partition.island_start[island], 2U);
  const std::uint32_t border = partition.colour_start[partition.island_start[island] + 1];
  ASSERT_EQ(partition.last_block(island) - border, 2U);
  std::set<std::uint32_t> bodies[2];
  for (std::uint32_t part = 0; part < 2; ++part) {
    const ManifoldBlock& block = partition.blocks[border + part];
    EXPECT_EQ(block.last_key - block.first_key, high);
    for (std::uint32_t k = block.first_key; k < block.last_key; ++k) {
      const Contact& contact = field.work.contacts.contacts[contact_of(partition.keys[k])];
      EXPECT_NE(partition.cut.block_of[contact.body_a], partition.cut.block_of[contact.body_b]);
      bodies[part].insert({contact.body_a, contact.body_b});
    }
  }
  EXPECT_TRUE(
      std::none_of(bodies[0].begin(), bodies[0].end(), [&](std::uint32_t body) { return bodies[1].contains(body); }));
}

}  // namespace
}  // namespace achilles
