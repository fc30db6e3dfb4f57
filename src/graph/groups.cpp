#include "graph/groups.hpp"

#include "math/refill.hpp"

#include <limits>
#include <numeric>
#include <utility>

namespace achilles {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t body) {
  while (parent[body] != body) {
    parent[body] = parent[parent[body]];
    body = parent[body];
  }
  return body;
}

}  // namespace

void find_groups(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Groups& groups) {
  groups.parent.resize(movable.size());
  std::iota(groups.parent.begin(), groups.parent.end(), 0U);
  for (const GraphEdge& edge : edges) {
    if (movable[edge.body_a] == 0 || movable[edge.body_b] == 0) continue;
    const std::uint32_t a = find_root(groups.parent, edge.body_a);
    const std::uint32_t b = find_root(groups.parent, edge.body_b);
    groups.parent[std::max(a, b)] = std::min(a, b);  // the root is the group's lowest body
  }

  // Number the groups by their lowest body, then sort the edges by counting.
  groups.group_of_root.assign(movable.size(), kNone);
  groups.group_of_edge.resize(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const bool a_moves = movable[edges[e].body_a] != 0;
    const bool b_moves = movable[edges[e].body_b] != 0;
    groups.group_of_edge[e] = kNone;
    if (!a_moves && !b_moves) continue;
    groups.group_of_edge[e] = find_root(groups.parent, a_moves ? edges[e].body_a : edges[e].body_b);
    groups.group_of_root[groups.group_of_edge[e]] = 0;
  }
  std::uint32_t count = 0;
  for (std::uint32_t& group : groups.group_of_root) {
    if (group != kNone) group = count++;
  }
  refill(groups.start, count + 1, 0U);
  for (std::uint32_t& group : groups.group_of_edge) {
    if (group == kNone) continue;
    group = groups.group_of_root[group];
    ++groups.start[group + 1];
  }
  std::partial_sum(groups.start.begin(), groups.start.end(), groups.start.begin());
  groups.edges.resize(groups.start.back());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (groups.group_of_edge[e] != kNone)
      groups.edges[groups.start[groups.group_of_edge[e]]++] = static_cast<std::uint32_t>(e);
  }
  // The fill moved every start to the next group's; move them back.
  for (std::size_t g = count; g > 0; --g) groups.start[g] = groups.start[g - 1];
  groups.start[0] = 0;
}

}  // namespace achilles
