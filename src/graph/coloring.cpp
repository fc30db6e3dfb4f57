#include "graph/coloring.hpp"

#include "math/refill.hpp"

#include <bit>

namespace achilles {
namespace {

constexpr std::uint8_t kOverflow = Coloring::kMostColors;

/// The first free colour for an edge between movable nodes, the last free one for an edge to the ground.
std::uint8_t choose_color(std::uint32_t used, bool grounded) {
  if (used == ~std::uint32_t{0}) return kOverflow;
  return static_cast<std::uint8_t>(grounded ? 31 - std::countl_one(used) : std::countr_one(used));
}

}  // namespace

void color_edges(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Coloring& coloring) {
  refill(coloring.used, movable.size(), std::uint32_t{0});
  coloring.color_of.resize(edges.size());
  std::uint32_t counts[Coloring::kMostColors + 1] = {};
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [a, b] = edges[e];
    const bool moves_a = movable[a] != 0, moves_b = movable[b] != 0;
    const std::uint32_t used = (moves_a ? coloring.used[a] : 0) | (moves_b ? coloring.used[b] : 0);
    const std::uint8_t color = choose_color(used, !moves_a || !moves_b);
    coloring.color_of[e] = color;
    ++counts[color];
    if (color == kOverflow) continue;
    if (moves_a) coloring.used[a] |= std::uint32_t{1} << color;
    if (moves_b) coloring.used[b] |= std::uint32_t{1} << color;
  }
  // Colours without edges are left out.
  std::uint32_t place[Coloring::kMostColors + 1];
  coloring.start.clear();
  std::uint32_t next = 0;
  for (std::uint32_t color = 0; color <= Coloring::kMostColors; ++color) {
    place[color] = next;
    coloring.rank[color] = static_cast<std::uint8_t>(coloring.start.size());
    if (counts[color] > 0 || color == kOverflow) coloring.start.push_back(next);
    next += counts[color];
  }
  coloring.start.push_back(next);
  coloring.order.resize(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    coloring.order[place[coloring.color_of[e]]++] = static_cast<std::uint32_t>(e);
  }
}

}  // namespace achilles
