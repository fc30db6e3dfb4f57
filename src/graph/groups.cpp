#include "graph/groups.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace achilles {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class GroupSearch {
 public:
  GroupSearch(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Groups& groups)
      : edges_(edges), movable_(movable), groups_(groups) {}

  void run() {
    groups_.searched = 0;
    if (nothing_changed()) return;
    if (groups_.tie.size() != movable_.size()) forget();
    find_broken_groups();
    dissolve_broken_groups();
    for (const GraphEdge& edge : edges_) {
      if (ties(edge)) join(edge.body_a, edge.body_b);
    }
    for (std::uint32_t body = 0; body < movable_.size(); ++body) {
      groups_.lowest[body] = find_root(groups_.parent, body);
    }
    sort_edges();
    groups_.known_edges.resize(edges_.size());
    std::copy(edges_.begin(), edges_.end(), groups_.known_edges.begin());
    groups_.known_movable.resize(movable_.size());
    std::copy(movable_.begin(), movable_.end(), groups_.known_movable.begin());
  }

 private:
  [[nodiscard]] bool ties(const GraphEdge& edge) const {
    return movable_[edge.body_a] != 0 && movable_[edge.body_b] != 0 && edge.body_a != edge.body_b;
  }

  [[nodiscard]] bool nothing_changed() const {
    return std::equal(movable_.begin(), movable_.end(), groups_.known_movable.begin(), groups_.known_movable.end()) &&
           std::equal(edges_.begin(), edges_.end(), groups_.known_edges.begin(), groups_.known_edges.end());
  }

  /// Every body by itself.
  void forget() {
    groups_.tie.resize(movable_.size());
    std::iota(groups_.tie.begin(), groups_.tie.end(), 0U);
    groups_.lowest = groups_.tie;
  }

  void find_broken_groups() {
    std::vector<std::uint32_t>& tie = groups_.tie;
    refill<std::uint8_t>(groups_.held, movable_.size(), 0);
    refill<std::uint8_t>(groups_.broken, movable_.size(), 0);
    for (const GraphEdge& edge : edges_) {
      if (!ties(edge)) continue;
      if (tie[edge.body_a] == edge.body_b) groups_.held[edge.body_a] = 1;
      if (tie[edge.body_b] == edge.body_a) groups_.held[edge.body_b] = 1;
    }
    for (std::size_t body = 0; body < tie.size(); ++body) {
      if (tie[body] != body && groups_.held[body] == 0) groups_.broken[groups_.lowest[body]] = 1;
    }
  }

  void dissolve_broken_groups() {
    groups_.parent.resize(movable_.size());
    refill(groups_.count, movable_.size(), 0U);
    for (std::uint32_t body = 0; body < movable_.size(); ++body) {
      const bool is_broken = groups_.broken[groups_.lowest[body]] != 0;
      if (is_broken) {
        groups_.tie[body] = body;
        ++groups_.searched;
      }
      groups_.parent[body] = is_broken ? body : groups_.lowest[body];
      ++groups_.count[groups_.parent[body]];
    }
  }

  /// Hangs the smaller tree, turned round to have its end of the edge for a root, on the other end.
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = find_root(groups_.parent, a), root_b = find_root(groups_.parent, b);
    if (root_a == root_b) return;
    if (groups_.count[root_a] > groups_.count[root_b]) std::swap(a, b);
    std::vector<std::uint32_t>& tie = groups_.tie;
    for (std::uint32_t body = a, towards = b, next = 0;; towards = body, body = next) {
      next = std::exchange(tie[body], towards);
      if (next == body) break;
    }
    const auto [low, high] = std::minmax(root_a, root_b);
    groups_.parent[high] = low;  // the root is the group's lowest body
    groups_.count[low] += groups_.count[high];
  }

  /// Numbers the groups by their lowest body, then sorts the edges by counting.
  void sort_edges() {
    groups_.group_of_root.assign(movable_.size(), kNone);
    groups_.group_of_edge.resize(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const bool a_moves = movable_[edges_[e].body_a] != 0;
      const bool b_moves = movable_[edges_[e].body_b] != 0;
      groups_.group_of_edge[e] = kNone;
      if (!a_moves && !b_moves) continue;
      groups_.group_of_edge[e] = groups_.lowest[a_moves ? edges_[e].body_a : edges_[e].body_b];
      groups_.group_of_root[groups_.group_of_edge[e]] = 0;
    }
    std::uint32_t count = 0;
    for (std::uint32_t& group : groups_.group_of_root) {
      if (group != kNone) group = count++;
    }
    refill(groups_.start, count + 1, 0U);
    for (std::uint32_t& group : groups_.group_of_edge) {
      if (group == kNone) continue;
      group = groups_.group_of_root[group];
      ++groups_.start[group + 1];
    }
    std::partial_sum(groups_.start.begin(), groups_.start.end(), groups_.start.begin());
    groups_.edges.resize(groups_.start.back());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (groups_.group_of_edge[e] != kNone)
        groups_.edges[groups_.start[groups_.group_of_edge[e]]++] = static_cast<std::uint32_t>(e);
    }
    // The fill moved every start to the next group's; move them back.
    for (std::size_t g = count; g > 0; --g) groups_.start[g] = groups_.start[g - 1];
    groups_.start[0] = 0;
  }

  std::span<const GraphEdge> edges_;
  std::span<const std::uint8_t> movable_;
  Groups& groups_;
};

}  // namespace

void find_groups(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Groups& groups) {
  GroupSearch(edges, movable, groups).run();
}

}  // namespace achilles
