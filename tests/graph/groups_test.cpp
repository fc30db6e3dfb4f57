#include "graph/groups.hpp"

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

// Groups in order of their lowest body, edges of a group in their own order, edges between immovable bodies left out:
// this says everything about the result, so it is compared whole.
RC_GTEST_PROP(Groups, AreTheConnectedComponentsOfTheMovableBodies, (std::uint64_t seed)) {
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
  Groups groups;
  find_groups(graph.edges, graph.movable, groups);
  RC_ASSERT(groups.size() == expected.size());
  std::size_t g = 0;
  for (const auto& [lowest, edges] : expected) {
    const auto found = groups.edges_of(g++);
    RC_ASSERT(std::vector<std::uint32_t>(found.begin(), found.end()) == edges);
  }
}

// No movable body is in two groups: that is what lets groups be solved at the same time.
RC_GTEST_PROP(Groups, ShareNoMovableBody, (std::uint64_t seed)) {
  const Graph graph = make_random(seed);
  Groups groups;
  find_groups(graph.edges, graph.movable, groups);
  std::map<std::uint32_t, std::size_t> owner;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t e : groups.edges_of(g)) {
      for (const std::uint32_t body : {graph.edges[e].body_a, graph.edges[e].body_b}) {
        if (graph.movable[body] == 0) continue;
        RC_ASSERT(owner.emplace(body, g).first->second == g);
      }
    }
  }
}

// What was in the workspace before, from a larger or a smaller graph, does not matter.
RC_GTEST_PROP(Groups, DoNotDependOnWhatTheWorkspaceHeldBefore, (std::uint64_t seed, std::uint64_t other)) {
  const Graph graph = make_random(seed);
  const Graph earlier = make_random(other);
  Groups fresh;
  find_groups(graph.edges, graph.movable, fresh);
  Groups used;
  find_groups(earlier.edges, earlier.movable, used);
  find_groups(graph.edges, graph.movable, used);
  RC_ASSERT(used.edges == fresh.edges);
  RC_ASSERT(used.start == fresh.start);
}

TEST(Groups, TwoStacksOnOneFloorAreTwoGroups) {
  const std::vector<GraphEdge> edges{{0, 1}, {0, 3}, {1, 2}, {3, 4}};
  const std::vector<std::uint8_t> movable{0, 1, 1, 1, 1};
  Groups groups;
  find_groups(edges, movable, groups);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups.edges, (std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST(Groups, OfNothingAreNone) {
  Groups groups;
  find_groups({}, {}, groups);
  EXPECT_EQ(groups.size(), 0U);
  const std::vector<std::uint8_t> movable{1, 1};
  find_groups({}, movable, groups);
  EXPECT_EQ(groups.size(), 0U);
}

// A chain in the worst order for merging, to see that depth is no problem.
TEST(Groups, LongChainIsOneGroup) {
  const std::uint32_t bodies = 200000;
  std::vector<GraphEdge> edges;
  for (std::uint32_t i = bodies - 1; i > 0; --i) edges.push_back({i, i - 1});
  const std::vector<std::uint8_t> movable(bodies, 1);
  Groups groups;
  find_groups(edges, movable, groups);
  EXPECT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups.edges_of(0).size(), edges.size());
}

}  // namespace
}  // namespace achilles
