// Groups: connected parts of the contact graph, cut at bodies that cannot move, [Erleben04, sec. 5.2.5].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// An edge of the contact graph: two bodies that a contact or a joint ties together.
struct GraphEdge {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  bool operator==(const GraphEdge&) const = default;
};

/// Edges sorted by group. Groups are numbered by their lowest body, edges of a group keep their order: the result
/// depends on the graph alone.
struct Groups {
  std::vector<std::uint32_t> edges;  // edge indices, group after group
  std::vector<std::uint32_t> start;  // edges of group g: edges[start[g] .. start[g + 1])
  [[nodiscard]] std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::size_t group) const {
    return std::span(edges).subspan(start[group], start[group + 1] - start[group]);
  }

  // What the last call knew and the next one starts from; only speed depends on it.
  std::vector<GraphEdge> known_edges;
  std::vector<std::uint8_t> known_movable;
  std::vector<std::uint32_t> lowest;  // per body: the lowest body of its group, itself where it has none
  std::vector<std::uint32_t> tie;     // per body: the next body on the way to the root of its group's spanning tree
  std::size_t searched = 0;           // bodies of groups that were searched anew

  // Scratch of find_groups.
  std::vector<std::uint8_t> held;    // per body: its tie is an edge still
  std::vector<std::uint8_t> broken;  // per lowest body: a tie of its group is gone
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> count;  // per lowest body: bodies of its group
  std::vector<std::uint32_t> group_of_root;
  std::vector<std::uint32_t> group_of_edge;
};

/// Edges with no movable end are left out. `movable` has one entry per body.
///
/// Incremental: where nothing came or went the result stands as it is. Every group keeps a spanning tree; while all
/// ties of the tree are edges still it cannot have come apart, and is only joined with others by new edges. A group
/// that lost a tie is searched anew, alone. Near-linear in bodies + edges at worst.
void find_groups(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Groups& groups);

}  // namespace achilles
