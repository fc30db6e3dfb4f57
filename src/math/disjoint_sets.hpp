// Disjoint sets as trees: every member points to another of its set, the root to itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace achilles {

/// Shortens the way as it goes.
inline std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t member) {
  while (parent[member] != member) {
    parent[member] = parent[parent[member]];
    member = parent[member];
  }
  return member;
}

/// The lowest member of a set is its root, whatever the order in which sets were joined.
inline void join_sets(std::vector<std::uint32_t>& parent, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
  parent[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

}  // namespace achilles
