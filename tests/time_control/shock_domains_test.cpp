#include "time_control/shock/domains.hpp"

#include "time_control/shock/shock_workspace.hpp"

#include <achilles/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace achilles {
namespace {

/// Bodies on a wide grid, each in contact with its neighbours and with the ground, body 0; and one apart.
struct Field {
  World world;
  StepWorkspace scratch;

  explicit Field(std::uint32_t across) {
    const std::uint32_t bodies = across * across + 3;
    world.gravity = Vec3(0, 0, -9.81);
    world.bodies.position.resize(bodies, Vec3::Zero());
    world.bodies.kind.resize(bodies, BodyKind::kDynamic);
    world.bodies.kind[0] = BodyKind::kFixed;
    scratch.movable.assign(bodies, 1);
    scratch.movable[0] = 0;
    scratch.shock = std::make_shared<ShockWorkspace>();
    scratch.shock->layers.height.assign(bodies, 1);
    scratch.shock->layers.height[0] = 0;
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
    find_groups(scratch.edges, scratch.movable, scratch.groups);
  }

  void touch(std::uint32_t a, std::uint32_t b) {
    Contact contact{};
    contact.body_a = a;
    contact.body_b = b;
    scratch.contacts.contacts.push_back(contact);
    scratch.edges.push_back({a, b});
  }

  const PatchDomains& cut() {
    find_cells(world, scratch, scratch.shock->domains);
    (void)cut_domains(world, scratch, scratch.shock->domains);
    return scratch.shock->domains;
  }
};

std::uint32_t contact_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

TEST(ShockDomains, BlocksOfAStageShareNoMovableBody) {
  Field field(20);
  const PatchDomains& domains = field.cut();
  ASSERT_EQ(field.scratch.groups.size(), 2U);
  ASSERT_TRUE(domains.is_cut(0));
  for (std::size_t stage = 0; stage + 1 < domains.stage_start.size(); ++stage) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t b = domains.stage_start[stage]; b < domains.stage_start[stage + 1]; ++b) {
      std::set<std::uint32_t> own;
      for (std::uint32_t k = domains.blocks[b].first_key; k < domains.blocks[b].last_key; ++k) {
        const Contact& contact = field.scratch.contacts.contacts[contact_of(domains.keys[k])];
        for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
          if (body != 0) own.insert(body);
        }
      }
      for (const std::uint32_t body : own) EXPECT_TRUE(seen.insert(body).second) << "body " << body;
    }
  }
}

TEST(ShockDomains, EveryContactIsInOneBlockOfItsGroup) {
  Field field(17);
  const PatchDomains& domains = field.cut();
  std::vector<std::uint32_t> all;
  for (const PatchBlock& block : domains.blocks) {
    for (std::uint32_t k = block.first_key; k < block.last_key; ++k) {
      all.push_back(contact_of(domains.keys[k]));
      EXPECT_EQ(field.scratch.groups.group_of_edge[all.back()], block.group);
    }
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), field.scratch.contacts.contacts.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], k);
}

// A column is as narrow as its bodies: weight passes through it in one sweep only if it is left whole.
TEST(ShockDomains, ColumnIsNotCut) {
  Field field(0);
  for (std::uint32_t k = 0; k < 1000; ++k) {
    field.world.bodies.position.emplace_back(0, 0, k);
    field.world.bodies.kind.push_back(BodyKind::kDynamic);
    field.scratch.movable.push_back(1);
    field.scratch.shock->layers.height.push_back(k + 1);
    if (k > 0) field.touch(k + 2, k + 3);
  }
  find_groups(field.scratch.edges, field.scratch.movable, field.scratch.groups);
  const PatchDomains& domains = field.cut();
  for (std::size_t group = 0; group < field.scratch.groups.size(); ++group) EXPECT_FALSE(domains.is_cut(group));
}

// Five balls upon each ball of a field whose middle is a row of columns: all of a column are in one cell, so that every
// column is swept from the ground to its top in one go, as its neighbours are.
TEST(ShockDomains, ColumnsOfAFieldStayWhole) {
  const std::uint32_t across = 15, high = 5;
  Field field(across);
  for (std::uint32_t k = 1; k <= across * across; ++k) {
    for (std::uint32_t level = 1; level < high; ++level) {
      const Vec3& foot = field.world.bodies.position[k];
      field.world.bodies.position.emplace_back(foot.x(), foot.y(), level);
      field.world.bodies.kind.push_back(BodyKind::kDynamic);
      field.scratch.movable.push_back(1);
      field.scratch.shock->layers.height.push_back(level + 1);
      const auto top = static_cast<std::uint32_t>(field.scratch.movable.size()) - 1;
      field.touch(level == 1 ? k : top - 1, top);
    }
  }
  find_groups(field.scratch.edges, field.scratch.movable, field.scratch.groups);
  const PatchDomains& domains = field.cut();
  ASSERT_TRUE(domains.is_cut(0));
  std::uint32_t next = across * across + 3;
  for (std::uint32_t k = 1; k <= across * across; ++k) {
    for (std::uint32_t level = 1; level < high; ++level) EXPECT_EQ(domains.cell_of[next++], domains.cell_of[k]);
  }
}

}  // namespace
}  // namespace achilles
