#include "graph/islands.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace achilles {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class IslandSearch {
 public:
  IslandSearch(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Islands& islands)
      : edges_(edges), movable_(movable), islands_(islands) {}

  void run() {
    islands_.searched = 0;
    if (nothing_changed()) return;
    if (islands_.tie.size() != movable_.size()) forget();
    find_broken_islands();
    dissolve_broken_islands();
    for (const GraphEdge& edge : edges_) {
      if (ties(edge)) join(edge.body_a, edge.body_b);
    }
    for (std::uint32_t body = 0; body < movable_.size(); ++body) {
      islands_.lowest[body] = find_root(islands_.parent, body);
    }
    sort_edges();
    islands_.known_edges.resize(edges_.size());
    std::copy(edges_.begin(), edges_.end(), islands_.known_edges.begin());
    islands_.known_movable.resize(movable_.size());
    std::copy(movable_.begin(), movable_.end(), islands_.known_movable.begin());
  }

 private:
  [[nodiscard]] bool ties(const GraphEdge& edge) const {
    return movable_[edge.body_a] != 0 && movable_[edge.body_b] != 0 && edge.body_a != edge.body_b;
  }

  [[nodiscard]] bool nothing_changed() const {
    return std::equal(movable_.begin(), movable_.end(), islands_.known_movable.begin(), islands_.known_movable.end()) &&
           std::equal(edges_.begin(), edges_.end(), islands_.known_edges.begin(), islands_.known_edges.end());
  }

  /// Every body by itself.
  void forget() {
    islands_.tie.resize(movable_.size());
    std::iota(islands_.tie.begin(), islands_.tie.end(), 0U);
    islands_.lowest = islands_.tie;
  }

  void find_broken_islands() {
    std::vector<std::uint32_t>& tie = islands_.tie;
    refill<std::uint8_t>(islands_.held, movable_.size(), 0);
    refill<std::uint8_t>(islands_.broken, movable_.size(), 0);
    for (const GraphEdge& edge : edges_) {
      if (!ties(edge)) continue;
      if (tie[edge.body_a] == edge.body_b) islands_.held[edge.body_a] = 1;
      if (tie[edge.body_b] == edge.body_a) islands_.held[edge.body_b] = 1;
    }
    for (std::size_t body = 0; body < tie.size(); ++body) {
      if (tie[body] != body && islands_.held[body] == 0) islands_.broken[islands_.lowest[body]] = 1;
    }
  }

  void dissolve_broken_islands() {
    islands_.parent.resize(movable_.size());
    refill(islands_.count, movable_.size(), 0U);
    for (std::uint32_t body = 0; body < movable_.size(); ++body) {
      const bool is_broken = islands_.broken[islands_.lowest[body]] != 0;
      if (is_broken) {
        islands_.tie[body] = body;
        ++islands_.searched;
      }
      islands_.parent[body] = is_broken ? body : islands_.lowest[body];
      ++islands_.count[islands_.parent[body]];
    }
  }

  /// Hangs the smaller tree, turned round to have its end of the edge for a root, on the other end.
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = find_root(islands_.parent, a), root_b = find_root(islands_.parent, b);
    if (root_a == root_b) return;
    if (islands_.count[root_a] > islands_.count[root_b]) std::swap(a, b);
    std::vector<std::uint32_t>& tie = islands_.tie;
    for (std::uint32_t body = a, towards = b, next = 0;; towards = body, body = next) {
      next = std::exchange(tie[body], towards);
      if (next == body) break;
    }
    const auto [low, high] = std::minmax(root_a, root_b);
    islands_.parent[high] = low;  // the root is the island's lowest body
    islands_.count[low] += islands_.count[high];
  }

  /// Numbers the islands by their lowest body, then sorts the edges by counting.
  void sort_edges() {
    islands_.island_of_root.assign(movable_.size(), kNone);
    islands_.island_of_edge.resize(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const bool a_moves = movable_[edges_[e].body_a] != 0;
      const bool b_moves = movable_[edges_[e].body_b] != 0;
      islands_.island_of_edge[e] = kNone;
      if (!a_moves && !b_moves) continue;
      islands_.island_of_edge[e] = islands_.lowest[a_moves ? edges_[e].body_a : edges_[e].body_b];
      islands_.island_of_root[islands_.island_of_edge[e]] = 0;
    }
    std::uint32_t count = 0;
    for (std::uint32_t& island : islands_.island_of_root) {
      if (island != kNone) island = count++;
    }
    refill(islands_.start, count + 1, 0U);
    for (std::uint32_t& island : islands_.island_of_edge) {
      if (island == kNone) continue;
      island = islands_.island_of_root[island];
      ++islands_.start[island + 1];
    }
    std::partial_sum(islands_.start.begin(), islands_.start.end(), islands_.start.begin());
    islands_.edges.resize(islands_.start.back());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (islands_.island_of_edge[e] != kNone)
        islands_.edges[islands_.start[islands_.island_of_edge[e]]++] = static_cast<std::uint32_t>(e);
    }
    // The fill moved every start to the next island's; move them back.
    for (std::size_t g = count; g > 0; --g) islands_.start[g] = islands_.start[g - 1];
    islands_.start[0] = 0;
  }

  std::span<const GraphEdge> edges_;
  std::span<const std::uint8_t> movable_;
  Islands& islands_;
};

}  // namespace

void find_islands(std::span<const GraphEdge> edges, std::span<const std::uint8_t> movable, Islands& islands) {
  IslandSearch(edges, movable, islands).run();
}

}  // namespace achilles
