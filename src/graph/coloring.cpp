#include "graph/coloring.hpp"

#include "math/refill.hpp"

#include <algorithm>
#include <bit>

namespace achilles {
namespace {

constexpr std::uint8_t kOverflow = Coloring::kMostColors;

/// The first free colour for an edge between movable nodes, the last free one for an edge to the ground.
std::uint8_t choose_color(std::uint32_t used, bool grounded) {
  if (used == ~std::uint32_t{0}) return kOverflow;
  const int first = std::countr_one(used), last = 31 - std::countl_one(used);
  return static_cast<std::uint8_t>(grounded ? last : first);
}

/// Whether the colours are those of these edges already.
bool is_known(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, const Coloring& coloring) {
  return !coloring.start.empty() && std::ranges::equal(edges, coloring.known_edges) &&
         std::ranges::equal(movable, coloring.known_movable);
}

}  // namespace

void color_edges(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Coloring& coloring) {
  coloring.kept = is_known(edges, movable, coloring);
  if (coloring.kept) return;
  coloring.start.clear();  // known no more, until all is done
  copy_to(edges, coloring.known_edges);
  copy_to(movable, coloring.known_movable);
  refill(coloring.used, movable.size(), std::uint32_t{0});
  coloring.color_of.resize(edges.size());
  std::uint32_t counts[Coloring::kMostColors + 1] = {};
  const std::span used(coloring.used);
  const std::span color_of(coloring.color_of);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [a, b] = edges[e];
    // What does not move uses no colour. Without branches: which edges lead to the ground cannot be predicted.
    const std::uint32_t moves_a = movable[a] != 0 ? 1 : 0, moves_b = movable[b] != 0 ? 1 : 0;
    const std::uint8_t color = choose_color(used[a] | used[b], (moves_a & moves_b) == 0);
    color_of[e] = color;
    ++counts[color];
    if (color == kOverflow) continue;
    used[a] |= moves_a << color;
    used[b] |= moves_b << color;
  }
  // Colours without edges are left out.
  std::uint32_t next = 0;
  for (std::uint32_t color = 0; color <= Coloring::kMostColors; ++color) {
    coloring.rank[color] = static_cast<std::uint8_t>(coloring.start.size());
    if (counts[color] > 0 || color == kOverflow) coloring.start.push_back(next);
    next += counts[color];
  }
  coloring.start.push_back(next);
}

void list_by_color(Coloring& coloring) {
  std::uint32_t place[Coloring::kMostColors + 1];
  for (std::size_t color = 0; color <= coloring.colors(); ++color) place[color] = coloring.start[color];
  coloring.order.resize(coloring.color_of.size());
  for (std::uint32_t e = 0; e < coloring.color_of.size(); ++e) {
    coloring.order[place[coloring.rank[coloring.color_of[e]]]++] = e;
  }
}

}  // namespace achilles
