#include "graph/layers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace achilles {
namespace {

std::vector<std::uint32_t> heights_by_gravity(const std::vector<SupportEdge>& edges,
                                              const std::vector<std::uint8_t>& movable) {
  StackLayers layers;
  find_stack_layers(edges, movable, layers);
  return layers.height;
}

TEST(StackLayers, ColumnCountsUpFromTheGround) {
  const std::vector<SupportEdge> edges{{2, 3, 1}, {0, 1, 1}, {2, 1, -1}};
  EXPECT_EQ(heights_by_gravity(edges, {0, 1, 1, 1}), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

// [Erleben04, fig. 6.55]: a ball on the ridge of a canyon touches the fixed wall beside it and rests on three balls. By
// the shortest way to what is fixed it stands in the lowest layer, below those that carry it.
TEST(StackLayers, BallOnTheRidgeOfACanyonStandsAboveTheBallsItRestsOn) {
  const std::vector<SupportEdge> edges{{0, 1, 1}, {1, 2, 0.8}, {2, 3, 0.8}, {3, 4, 0.7}, {0, 4, 0.3}};
  const std::vector<std::uint8_t> movable{0, 1, 1, 1, 1};
  EXPECT_EQ(heights_by_gravity(edges, movable), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  StackLayers layers;
  find_distance_layers(edges, movable, layers);
  EXPECT_EQ(layers.height[4], 1U);
}

// [Erleben04, fig. 6.61]: what falls into a stack from the side is no foundation of it.
TEST(StackLayers, BodyThatNothingCarriesStandsAboveTheStackItFallsInto) {
  const std::vector<SupportEdge> edges{{0, 1, 1}, {1, 2, 1}, {3, 1, 0.05}, {3, 2, 0.5}};
  const std::vector<std::uint32_t> height = heights_by_gravity(edges, {0, 1, 1, 1});
  EXPECT_EQ(height[2], 2U);
  EXPECT_GT(height[3], height[2]);
}

TEST(StackLayers, BodiesThatRestOnEachOtherInARingShareALayer) {
  const std::vector<SupportEdge> edges{{0, 1, 1}, {1, 2, 0.5}, {2, 3, 0.5}, {3, 1, 0.5}, {3, 4, 1}};
  EXPECT_EQ(heights_by_gravity(edges, {0, 1, 1, 1, 1}), (std::vector<std::uint32_t>{0, 1, 1, 1, 2}));
}

TEST(StackLayers, CeilingCarriesNothing) {
  StackLayers layers;
  find_stack_layers(std::vector<SupportEdge>{{1, 0, 1}}, std::vector<std::uint8_t>{0, 1}, layers);
  EXPECT_EQ(layers.carried, 0U);
}

struct Heap {
  std::vector<SupportEdge> edges;
  std::vector<std::uint8_t> movable;
};

Heap make_heap(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(engine() % limit); };
  Heap heap;
  heap.movable.resize(2 + draw(30));
  for (std::uint8_t& movable : heap.movable) movable = draw(6) != 0 ? 1 : 0;
  const auto bodies = static_cast<std::uint32_t>(heap.movable.size());
  for (std::uint32_t k = draw(3 * bodies); k > 0; --k) {
    const std::uint32_t a = draw(bodies), b = draw(bodies);
    if (a == b || (heap.movable[a] == 0 && heap.movable[b] == 0)) continue;
    heap.edges.push_back({a, b, 0.1 * draw(21) - 1.0});
  }
  return heap;
}

/// reaches[i][j]: j rests on i, directly or through others. Warshall's closure.
std::vector<std::vector<bool>> close_support(const Heap& heap) {
  const std::size_t n = heap.movable.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  for (const SupportEdge& edge : heap.edges) {
    const std::uint32_t lower = edge.up >= 0.1 ? edge.body_a : edge.body_b;
    const std::uint32_t upper = edge.up >= 0.1 ? edge.body_b : edge.body_a;
    if (std::abs(edge.up) >= 0.1 && heap.movable[upper] != 0) reaches[lower][upper] = true;
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (heap.movable[k] == 0) continue;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
    }
  }
  return reaches;
}

// Against the closure of "rests on": what carries a body without being carried by it is lower, what does both is level.
RC_GTEST_PROP(StackLayers, ClimbWithEverySupportThatIsNotMutual, (std::uint64_t seed)) {
  const Heap heap = make_heap(seed);
  const std::vector<std::vector<bool>> reaches = close_support(heap);
  StackLayers layers;
  find_stack_layers(heap.edges, heap.movable, layers);
  const auto is_carried = [&](std::size_t body) {
    for (std::size_t i = 0; i < heap.movable.size(); ++i) {
      if (heap.movable[i] == 0 && reaches[i][body]) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < heap.movable.size(); ++i) {
    RC_ASSERT((layers.height[i] == 0) == (heap.movable[i] == 0));
    for (std::size_t j = 0; j < heap.movable.size(); ++j) {
      if (i == j || heap.movable[j] == 0) continue;
      const bool both = heap.movable[i] != 0 && is_carried(i) == is_carried(j);
      if (both && reaches[i][j] && reaches[j][i]) RC_ASSERT(layers.height[i] == layers.height[j]);
      if ((both || heap.movable[i] == 0) && reaches[i][j] && !reaches[j][i]) {
        RC_ASSERT(layers.height[i] < layers.height[j]);
      }
      if (heap.movable[i] != 0 && is_carried(i) && !is_carried(j)) RC_ASSERT(layers.height[i] < layers.height[j]);
    }
  }
}

}  // namespace
}  // namespace achilles
