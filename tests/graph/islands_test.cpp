#include "graph/islands.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace achilles {
namespace {

struct Graph {
  std::vector<GraphEdge> edges;
  std::vector<std::uint8_t> movable;
};

Graph make_random(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(engine() % limit); };
  Graph graph;
  graph.movable.resize(1 + draw(40));
  for (std::uint8_t& movable : graph.movable) movable = draw(4) != 0 ? 1 : 0;
  const auto bodies = static_cast<std::uint32_t>(graph.movable.size());
  graph.edges.resize(draw(2 * bodies));
  for (GraphEdge& edge : graph.edges) edge = {draw(bodies), draw(bodies)};
  return graph;
}

/// Labels by relaxation: every edge between movable bodies hands the lower label on until nothing changes.
std::vector<std::uint32_t> label_by_brute_force(const Graph& graph) {
  std::vector<std::uint32_t> label(graph.movable.size());
  for (std::uint32_t i = 0; i < label.size(); ++i) label[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const GraphEdge& edge : graph.edges) {
      if (graph.movable[edge.body_a] == 0 || graph.movable[edge.body_b] == 0) continue;
      const std::uint32_t lowest = std::min(label[edge.body_a], label[edge.body_b]);
      for (const std::uint32_t body : {edge.body_a, edge.body_b}) {
        changed = changed || label[body] != lowest;
        label[body] = lowest;
      }
    }
  }
  return label;
}

// Islands in order of their lowest body, edges of an island in their own order, edges between immovable bodies left
// out: this says everything about the result, so it is compared whole.
RC_GTEST_PROP(Islands, AreTheConnectedComponentsOfTheMovableBodies, (std::uint64_t seed)) {
  const Graph graph = make_random(seed);
  const std::vector<std::uint32_t> label = label_by_brute_force(graph);
  std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    const GraphEdge& edge = graph.edges[e];
    if (graph.movable[edge.body_a] != 0) {
      expected[label[edge.body_a]].push_back(e);
    } else if (graph.movable[edge.body_b] != 0) {
      expected[label[edge.body_b]].push_back(e);
    }
  }
  Islands islands;
  find_islands(graph.edges, graph.movable, islands);
  RC_ASSERT(islands.size() == expected.size());
  std::size_t g = 0;
  for (const auto& [lowest, edges] : expected) {
    const auto found = islands.edges_of(g++);
    RC_ASSERT(std::vector<std::uint32_t>(found.begin(), found.end()) == edges);
  }
}

// No movable body is in two islands: that is what lets islands be solved at the same time.
RC_GTEST_PROP(Islands, ShareNoMovableBody, (std::uint64_t seed)) {
  const Graph graph = make_random(seed);
  Islands islands;
  find_islands(graph.edges, graph.movable, islands);
  std::map<std::uint32_t, std::size_t> owner;
  for (std::size_t g = 0; g < islands.size(); ++g) {
    for (const std::uint32_t e : islands.edges_of(g)) {
      for (const std::uint32_t body : {graph.edges[e].body_a, graph.edges[e].body_b}) {
        if (graph.movable[body] == 0) continue;
        RC_ASSERT(owner.emplace(body, g).first->second == g);
      }
    }
  }
}

// What was in the workspace before, from a larger or a smaller graph, does not matter.
RC_GTEST_PROP(Islands, DoNotDependOnWhatTheWorkspaceHeldBefore, (std::uint64_t seed, std::uint64_t other)) {
  const Graph graph = make_random(seed);
  const Graph earlier = make_random(other);
  Islands fresh;
  find_islands(graph.edges, graph.movable, fresh);
  Islands used;
  find_islands(earlier.edges, earlier.movable, used);
  find_islands(graph.edges, graph.movable, used);
  RC_ASSERT(used.edges == fresh.edges);
  RC_ASSERT(used.start == fresh.start);
}

/// Edges come and go, bodies fall asleep and wake, now and then there are more or fewer of them.
void change(std::mt19937_64& engine, Graph& graph) {
  const auto draw = [&](std::size_t limit) { return static_cast<std::uint32_t>(engine() % limit); };
  if (draw(50) == 0) graph.movable.resize(1 + draw(60), 1);
  const std::size_t bodies = graph.movable.size();
  std::erase_if(graph.edges, [&](const GraphEdge& edge) { return edge.body_a >= bodies || edge.body_b >= bodies; });
  for (std::uint32_t k = draw(4); k > 0 && !graph.edges.empty(); --k) {
    graph.edges.erase(graph.edges.begin() + draw(graph.edges.size()));
  }
  for (std::uint32_t k = draw(4); k > 0 && graph.edges.size() < 2 * bodies; --k) {
    graph.edges.insert(graph.edges.begin() + draw(graph.edges.size() + 1), {draw(bodies), draw(bodies)});
  }
  if (draw(10) == 0) {
    std::uint8_t& movable = graph.movable[draw(bodies)];
    movable = movable != 0 ? 0 : 1;
  }
}

// Islands kept over a thousand steps are those of a relaxation that knows nothing of the step before.
TEST(Islands, KeptOverAThousandRandomStepsAreThoseOfBruteForce) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 engine(seed);
    Graph graph = make_random(seed);
    Islands islands;
    for (int step = 0; step < 1000; ++step) {
      if (step % 7 != 0) change(engine, graph);
      find_islands(graph.edges, graph.movable, islands);
      const std::vector<std::uint32_t> label = label_by_brute_force(graph);
      Islands fresh;
      find_islands(graph.edges, graph.movable, fresh);
      ASSERT_EQ(islands.edges, fresh.edges) << seed << " " << step;
      ASSERT_EQ(islands.start, fresh.start) << seed << " " << step;
      ASSERT_EQ(islands.lowest, label) << seed << " " << step;
    }
  }
}

// A column of three on the left, a ring of four on the right. A ring that opens holds together by its other side or is
// searched anew; the column is let alone in any case, and nothing at all is done where nothing changed.
TEST(Islands, OnlyAIslandThatLostATieIsSearchedAnew) {
  const std::vector<std::uint8_t> movable{0, 1, 1, 1, 1, 1, 1, 1};
  const std::vector<GraphEdge> whole{{0, 1}, {1, 2}, {2, 3}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
  int searched = 0;
  for (std::size_t gone = 3; gone < whole.size(); ++gone) {
    Islands islands;
    find_islands(whole, movable, islands);
    find_islands(whole, movable, islands);
    EXPECT_EQ(islands.searched, 0U);
    std::vector<GraphEdge> open = whole;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
    find_islands(open, movable, islands);
    EXPECT_EQ(islands.size(), 2U);
    EXPECT_TRUE(islands.searched == 0 || islands.searched == 4) << islands.searched;
    searched += islands.searched > 0 ? 1 : 0;
  }
  EXPECT_EQ(searched, 3);  // a tree of four bodies has three ties
}

TEST(Islands, TwoStacksOnOneFloorAreTwoIslands) {
  const std::vector<GraphEdge> edges{{0, 1}, {0, 3}, {1, 2}, {3, 4}};
  const std::vector<std::uint8_t> movable{0, 1, 1, 1, 1};
  Islands islands;
  find_islands(edges, movable, islands);
  ASSERT_EQ(islands.size(), 2U);
  EXPECT_EQ(islands.edges, (std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST(Islands, OfNothingAreNone) {
  Islands islands;
  find_islands({}, {}, islands);
  EXPECT_EQ(islands.size(), 0U);
  const std::vector<std::uint8_t> movable{1, 1};
  find_islands({}, movable, islands);
  EXPECT_EQ(islands.size(), 0U);
}

// A chain in the worst order for merging, to see that depth is no problem.
TEST(Islands, LongChainIsOneIsland) {
  const std::uint32_t bodies = 200000;
  std::vector<GraphEdge> edges;
  for (std::uint32_t i = bodies - 1; i > 0; --i) edges.push_back({i, i - 1});
  const std::vector<std::uint8_t> movable(bodies, 1);
  Islands islands;
  find_islands(edges, movable, islands);
  EXPECT_EQ(islands.size(), 1U);
  EXPECT_EQ(islands.edges_of(0).size(), edges.size());
}

}  // namespace
}  // namespace achilles
