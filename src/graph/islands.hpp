// Islands: connected parts of the contact graph, cut at bodies that cannot move, [Erleben04, sec. 5.2.5].
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

/// Edges sorted by island. Islands are numbered by their lowest body, edges of an island keep their order: the result
/// depends on the graph alone.
struct Islands {
  std::vector<std::uint32_t> edges;  // edge indices, island after island
  std::vector<std::uint32_t> start;  // edges of island g: edges[start[g] .. start[g + 1])
  [[nodiscard]] std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::size_t island) const {
    return std::span(edges).subspan(start[island], start[island + 1] - start[island]);
  }

  // What the last call knew and the next one starts from; only speed depends on it.
  std::vector<GraphEdge> known_edges;
  std::vector<std::uint8_t> known_movable;
  std::vector<std::uint32_t> lowest;  // per body: the lowest body of its island, itself where it has none
  std::vector<std::uint32_t> tie;     // per body: the next body on the way to the root of its island's spanning tree
  std::size_t searched = 0;           // bodies of islands that were searched anew

  // Scratch of find_islands.
  std::vector<std::uint8_t> held;    // per body: its tie is an edge still
  std::vector<std::uint8_t> broken;  // per lowest body: a tie of its island is gone
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> count;  // per lowest body: bodies of its island
  std::vector<std::uint32_t> island_of_root;
  std::vector<std::uint32_t> island_of_edge;
};

/// Edges with no movable end are left out. `movable` has one entry per body.
///
/// Incremental: where nothing came or went the result stands as it is. Every island keeps a spanning tree; while all
/// ties of the tree are edges still it cannot have come apart, and is only joined with others by new edges. An island
/// that lost a tie is searched anew, alone. Near-linear in bodies + edges at worst.
void find_islands(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Islands& islands);

}  // namespace achilles
