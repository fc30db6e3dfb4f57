// Colours for edges of a graph: edges of one colour share no movable node, so that they can be worked on at once.
#pragma once

#include "graph/islands.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

struct Coloring {
  static constexpr std::uint32_t kMostColors = 32;
  /// Edge indices, colour after colour; those that found no colour come last and must be worked on one by one. Filled
  /// by list_by_color.
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> start;  // per colour, one for the overflow, and one past the last

  [[nodiscard]] std::size_t colors() const { return start.size() - 2; }
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::size_t color) const {
    return std::span(order).subspan(start[color], start[color + 1] - start[color]);
  }
  [[nodiscard]] std::span<const std::uint32_t> overflow() const { return edges_of(colors()); }

  std::vector<std::uint32_t> used;          // per node that moves, a bit per colour of its edges
  std::vector<std::uint8_t> color_of;       // per edge: kMostColors where it found none
  std::uint8_t rank[kMostColors + 1] = {};  // of a color_of among those that have edges, as in `start`

  // What the last call knew: while that is the same, so are the colours. Only speed depends on it.
  std::vector<GraphEdge> known_edges;
  std::vector<std::uint8_t> known_movable;
  bool kept = false;  // the last call found it so
};

/// Greedy, in the order of the edges: the first colour free at both ends. Edges to a node that cannot move are coloured
/// from the other end of the list: they come last in a sweep, so that what stands on the ground has the last word.
/// The result depends on the edges alone; it is kept from call to call while these stay as they are.
void color_edges(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Coloring& coloring);

/// Fills coloring.order; within a colour edges keep their order.
void list_by_color(Coloring& coloring);

}  // namespace achilles
