#include "graph/coloring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace achilles {
namespace {

std::vector<GraphEdge> make_random_edges(std::mt19937& random, std::uint32_t nodes, std::size_t count) {
  std::uniform_int_distribution<std::uint32_t> node(0, nodes - 1);
  std::vector<GraphEdge> edges;
  while (edges.size() < count) {
    const GraphEdge edge{node(random), node(random)};
    if (edge.body_a != edge.body_b) edges.push_back(edge);
  }
  return edges;
}

TEST(Coloring, EdgesOfOneColorShareNoMovableNodeAndEveryEdgeIsThereOnce) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(trial);
    std::vector<std::uint8_t> movable(nodes);
    for (std::uint8_t& entry : movable) entry = random() % 4 == 0 ? 0 : 1;
    const std::vector<GraphEdge> edges = make_random_edges(random, nodes, random() % 800);
    Coloring coloring;
    color_edges(edges, movable, coloring);
    list_by_color(coloring);
    std::multiset<std::uint32_t> seen(coloring.order.begin(), coloring.order.end());
    ASSERT_EQ(seen.size(), edges.size());
    for (std::uint32_t e = 0; e < edges.size(); ++e) ASSERT_EQ(seen.count(e), 1u);
    for (std::size_t color = 0; color < coloring.colors(); ++color) {
      std::set<std::uint32_t> taken;
      for (const std::uint32_t e : coloring.edges_of(color)) {
        for (const std::uint32_t node : {edges[e].body_a, edges[e].body_b}) {
          ASSERT_TRUE(movable[node] == 0 || taken.insert(node).second);
        }
      }
    }
  }
}

// A node of degree d needs d colours: the rest has to wait for the overflow.
TEST(Coloring, NodeWithMoreEdgesThanColorsOverflows) {
  std::vector<GraphEdge> edges;
  for (std::uint32_t k = 1; k <= 50; ++k) edges.push_back({0, k});
  Coloring coloring;
  color_edges(edges, std::vector<std::uint8_t>(51, 1), coloring);
  list_by_color(coloring);
  EXPECT_EQ(coloring.colors(), Coloring::kMostColors);
  EXPECT_EQ(coloring.overflow().size(), 50 - Coloring::kMostColors);
}

TEST(Coloring, ContactsWithTheGroundComeLast) {
  // A row of boxes on the ground (node 0), each touching the next.
  std::vector<GraphEdge> edges;
  std::vector<std::uint8_t> movable(11, 1);
  movable[0] = 0;
  for (std::uint32_t k = 1; k <= 10; ++k) edges.push_back({0, k});
  for (std::uint32_t k = 1; k < 10; ++k) edges.push_back({k, k + 1});
  Coloring coloring;
  color_edges(edges, movable, coloring);
  list_by_color(coloring);
  ASSERT_EQ(coloring.colors(), 3u);
  for (const std::uint32_t e : coloring.edges_of(2)) EXPECT_EQ(edges[e].body_a, 0u);
  EXPECT_EQ(coloring.edges_of(2).size(), 10u);
}

// Edges that come, go and change, and what can move: after any of it colours are those of a first call.
TEST(Coloring, ColorsAreKeptWhileTheGraphIsTheSameAndThoseOfAFreshCallOtherwise) {
  std::mt19937 random(11);
  constexpr std::uint32_t kNodes = 40;
  std::vector<std::uint8_t> movable(kNodes, 1);
  std::vector<GraphEdge> edges = make_random_edges(random, kNodes, 90);
  Coloring coloring;
  color_edges(edges, movable, coloring);
  EXPECT_FALSE(coloring.kept);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint32_t change = random() % 5;
    if (change == 1) movable[random() % kNodes] ^= 1;
    if (change == 2) edges.push_back(make_random_edges(random, kNodes, 1).front());
    if (change == 3) edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(random() % edges.size()));
    if (change == 4) std::swap(edges.front().body_a, edges.front().body_b);
    Coloring fresh;
    color_edges(edges, movable, coloring);
    color_edges(edges, movable, fresh);
    EXPECT_EQ(coloring.kept, change == 0);
    EXPECT_EQ(coloring.color_of, fresh.color_of);
    EXPECT_EQ(coloring.start, fresh.start);
    EXPECT_EQ(coloring.used, fresh.used);
    EXPECT_TRUE(std::ranges::equal(coloring.rank, fresh.rank));
  }
}

TEST(Coloring, NothingToColorGivesNoColors) {
  Coloring coloring;
  color_edges({}, std::vector<std::uint8_t>(3, 1), coloring);
  list_by_color(coloring);
  EXPECT_EQ(coloring.colors(), 0u);
  EXPECT_TRUE(coloring.overflow().empty());
}

}  // namespace
}  // namespace achilles
