// Groups: connected parts of the contact graph, cut at bodies that cannot move, [Erleben04, sec. 5.3].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// An edge of the contact graph: two bodies that a contact or a joint ties together.
struct GraphEdge {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
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

  // Scratch of find_groups.
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> group_of_root;
  std::vector<std::uint32_t> group_of_edge;
};

/// Edges with no movable end are left out. `movable` has one entry per body. Near-linear in bodies + edges.
void find_groups(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Groups& groups);

}  // namespace achilles
