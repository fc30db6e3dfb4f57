// The tree of boxes by itself.
#include "collision/broad_phase/aabb_tree.hpp"

#include "collision/broad_phase/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace achilles {
namespace {

using namespace broad_phase_test;

std::vector<BoxF> draw_boxes(std::mt19937_64& random, int count) {
  std::vector<BoxF> boxes;
  for (const BroadPhaseProxy& proxy : make_population(random, count, 10)) boxes.push_back(round_outward(proxy.box));
  return boxes;
}

std::vector<std::uint32_t> make_ids(std::size_t count) {
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0U);
  return ids;
}

TEST(AabbTree, RoundingOutwardNeverLosesAnythingOfTheBox) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const double scale = std::pow(10.0, draw_vector(random, -20, 20).x());
    const Vec3 lower = scale * draw_vector(random, -1, 1);
    const Aabb box{lower, lower + scale * 1e-9 * draw_vector(random, 0, 1)};
    const BoxF rounded = round_outward(box);
    ASSERT_TRUE(rounded.contains(box));
    // One unit in the last place of single precision is at most 2^-23 of the number.
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = box.lower[static_cast<Eigen::Index>(k)];
      ASSERT_LE(std::abs(rounded.lower[k] - x), std::ldexp(std::abs(x), -23) + 1e-44);
    }
  }
}

TEST(AabbTree, LinksAndBoxesStayConsistentThroughInsertionsAndRemovals) {
  std::mt19937_64 random(2);
  const auto boxes = draw_boxes(random, 300);
  AabbTree tree;
  std::vector<bool> inside(boxes.size(), false);
  for (int step = 0; step < 3000; ++step) {
    const auto id = static_cast<std::uint32_t>(random() % boxes.size());
    inside[id] ? tree.remove(id) : tree.insert(id, boxes[id]);
    inside[id] = !inside[id];
    ASSERT_EQ(tree.contains(id), inside[id]);
    if (step % 50 == 0) {
      ASSERT_TRUE(tree.is_consistent());
    }
  }
  for (std::uint32_t id = 0; id < boxes.size(); ++id) {
    if (inside[id]) tree.remove(id);
  }
  EXPECT_TRUE(tree.empty());
}

// The boxes are those of another scene after the call, so the tree must be consistent again and cost what its own sum
// of areas says, over that of the build; with its first boxes back it is as good as new.
TEST(AabbTree, BoxesChangedInPlaceLeaveItConsistentAndItSaysHowWornItIs) {
  std::mt19937_64 random(5);
  const auto first = draw_boxes(random, 300), second = draw_boxes(random, 300);
  AabbTree tree;
  tree.build(make_ids(first.size()), first);
  const double built = tree.compute_cost();
  for (std::uint32_t id = 0; id < second.size(); ++id) tree.set_box(id, second[id]);
  const double worn = tree.refit_all();
  EXPECT_TRUE(tree.is_consistent());
  EXPECT_GT(worn, 2.0);  // neighbours are anywhere now
  EXPECT_NEAR(worn, tree.compute_cost() / built, 1e-6 * worn);
  for (std::uint32_t id = 0; id < first.size(); ++id) tree.set_box(id, first[id]);
  EXPECT_EQ(tree.refit_all(), 1.0);
  EXPECT_TRUE(tree.is_consistent());
}

TEST(AabbTree, SortedInsertionDoesNotDegradeToAList) {
  // A row of unit boxes fed from left to right, the worst order for a tree that never rotates: its inner nodes then
  // hold 2, 3, .. n boxes, with an area that grows like n². Built top-down the row costs n log n.
  constexpr std::uint32_t kCount = 1024;
  std::vector<BoxF> boxes;
  AabbTree fed;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    boxes.push_back(round_outward({Vec3(i, 0, 0), Vec3(i + 0.9, 1, 1)}));
    fed.insert(i, boxes.back());
  }
  AabbTree built;
  built.build(make_ids(kCount), boxes);
  EXPECT_TRUE(fed.is_consistent());
  EXPECT_TRUE(built.is_consistent());
  // n/2 at depth 1 .. 1 at depth log n, each level the area of the whole row: 4 n log2 n + ends.
  EXPECT_LE(built.compute_cost(), 4.2 * kCount * 10 + 2 * kCount);
  EXPECT_LE(fed.compute_cost(), 2 * built.compute_cost());
}

TEST(AabbTree, ManyCoincidingBoxesAreAllFound) {
  constexpr std::uint32_t kCount = 3000;
  const BoxF box = round_outward({Vec3::Zero(), Vec3::Ones()});
  const std::vector<BoxF> boxes(kCount, box);
  AabbTree built;
  built.build(make_ids(kCount), boxes);
  AabbTree fed;
  for (std::uint32_t i = 0; i < kCount; ++i) fed.insert(i, box);
  for (const AabbTree* tree : {&built, &fed}) {
    std::vector<std::uint32_t> found;
    tree->for_each_overlap(box, [&](std::uint32_t id) { found.push_back(id); });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, make_ids(kCount));
    EXPECT_TRUE(tree->is_consistent());
  }
}

}  // namespace
}  // namespace achilles
