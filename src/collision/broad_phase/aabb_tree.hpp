// A dynamic tree of boxes: what overlaps this box, what does this ray pass through, in logarithmic time.
#pragma once

#include "math/huge_vector.hpp"

#include <achilles/math.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// A box in single precision that holds the box it was made from: half the memory traffic, and what is lost in
/// sharpness is won back where the caller culls with exact boxes.
struct BoxF {
  std::array<float, 3> lower{};
  std::array<float, 3> upper{};

  [[nodiscard]] bool overlaps(const BoxF& other) const {
    // Six comparisons without a branch: which of them fails cannot be predicted.
    int overlap = 1;
    for (std::size_t k = 0; k < 3; ++k) overlap &= int{lower[k] <= other.upper[k]} & int{other.lower[k] <= upper[k]};
    return overlap != 0;
  }
  [[nodiscard]] bool contains(const Aabb& box) const {
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      inside = inside && lower[axis] <= box.lower[k] && box.upper[k] <= upper[axis];
    }
    return inside;
  }
};

/// The smallest single-precision box around `box`.
[[nodiscard]] BoxF round_outward(const Aabb& box);

/// Binary tree over boxes named by dense ids. Nodes lie in one array; leaves come and go one by one, each insertion
/// descending by the surface area heuristic and rotating subtrees on its way back up.
class AabbTree {
 public:
  static constexpr std::int32_t kNone = -1;

  void clear();
  /// Replaces everything by a tree built top-down over all boxes: ids[i] gets boxes[i]. Better and faster than n
  /// insertions.
  void build(std::span<const std::uint32_t> ids, std::span<const BoxF> boxes);
  /// The id must not be in the tree.
  void insert(std::uint32_t id, const BoxF& box);
  /// The id must be in the tree.
  void remove(std::uint32_t id);
  /// Gives an id of the tree another box and leaves it where it is: for many at once. Until refit_all the boxes above
  /// are wrong.
  void set_box(std::uint32_t id, const BoxF& box);
  /// Refits the boxes of all inner nodes; returns the wear of the tree: its cost over that of the last build.
  double refit_all();

  [[nodiscard]] bool contains(std::uint32_t id) const { return id < leaf_of_.size() && leaf_of_[id] != kNone; }
  [[nodiscard]] BoxF box(std::uint32_t id) const { return at(leaf_of_[id]).box(); }
  [[nodiscard]] bool empty() const { return root_ == kNone; }
  /// Sum of the surface areas of inner nodes, what the heuristic minimizes. [m²]
  [[nodiscard]] double compute_cost() const;
  /// Whether every link, box and id is consistent; for tests.
  [[nodiscard]] bool is_consistent() const;

  /// Calls visit(id) for every leaf whose box overlaps `box`, in an order that depends on the history of the tree.
  template <class Visit>
  void for_each_overlap(const BoxF& box, Visit&& visit) const {
    if (root_ == kNone || !at(root_).box().overlaps(box)) return;
    at(root_).is_leaf() ? visit(at(root_).id) : visit_overlaps(at(root_).below, box, visit);
  }

  /// Calls visit(id) for every leaf whose box and all boxes above it satisfy `enter(const BoxF&)`. `enter` may grow
  /// stricter during the traversal, as the search for the nearest does.
  template <class Enter, class Visit>
  void traverse(Enter&& enter, Visit&& visit) const {
    if (root_ != kNone) traverse_from(root_, enter, visit);
  }

 private:
  // A leaf has nothing below it.
  struct Node {
    std::array<float, 3> lower;
    std::int32_t below;  // twins
    std::array<float, 3> upper;
    std::uint32_t id;  // of a leaf

    [[nodiscard]] bool is_leaf() const { return below == kNone; }
    [[nodiscard]] BoxF box() const { return {lower, upper}; }
  };
  /// The two below a node: one line of the cache. A node has the number 2 t or 2 t + 1, with t that of its twins; the
  /// root has no sibling.
  struct alignas(64) Twins {
    Node nodes[2];
  };

  /// Both are looked at when their line comes, and what is below them is prefetched before its turn.
  template <class Visit>
  void visit_overlaps(std::int32_t start, const BoxF& box, Visit&& visit) const {
    std::array<std::int32_t, 64> stack;
    std::size_t depth = 0;
    stack[depth++] = start;
    while (depth > 0) {
      const Twins& twins = twins_[index(stack[--depth])];
      const bool overlap[2] = {twins.nodes[0].box().overlaps(box), twins.nodes[1].box().overlaps(box)};
      for (const std::size_t side : {1U, 0U}) {
        if (!overlap[side]) continue;
        const Node& node = twins.nodes[side];
        if (node.is_leaf()) {
          visit(node.id);
        } else if (depth < stack.size()) {
          __builtin_prefetch(&twins_[index(node.below)]);
          stack[depth++] = node.below;
        } else {
          visit_overlaps(node.below, box, visit);
        }
      }
    }
  }

  // A depth-first walk needs as many places as the tree is deep, which nothing bounds; when the local ones are used up
  // the walk goes on by recursion, so that it neither allocates nor fails.
  template <class Enter, class Visit>
  void traverse_from(std::int32_t start, Enter&& enter, Visit&& visit) const {
    std::array<std::int32_t, 64> stack;
    std::size_t depth = 0;
    stack[depth++] = start;
    while (depth > 0) {
      const Node& node = at(stack[--depth]);
      if (!enter(node.box())) continue;
      if (node.is_leaf()) {
        visit(node.id);
      } else if (depth + 2 <= stack.size()) {
        stack[depth++] = right_of(node);
        stack[depth++] = left_of(node);
      } else {
        traverse_from(left_of(node), enter, visit);
        traverse_from(right_of(node), enter, visit);
      }
    }
  }

  static std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] const Node& at(std::int32_t node) const { return twins_[index(node) / 2].nodes[index(node) % 2]; }
  [[nodiscard]] Node& at(std::int32_t node) { return twins_[index(node) / 2].nodes[index(node) % 2]; }
  static std::int32_t left_of(const Node& node) { return 2 * node.below; }
  static std::int32_t right_of(const Node& node) { return 2 * node.below + 1; }
  [[nodiscard]] std::int32_t& parent_of(std::int32_t node) { return parents_[index(node) / 2]; }
  [[nodiscard]] std::int32_t parent_of(std::int32_t node) const { return parents_[index(node) / 2]; }
  std::int32_t allocate();
  void release(std::int32_t twins);
  void put_leaf(std::int32_t node, std::uint32_t id, const BoxF& box);
  void put_below(std::int32_t node, std::int32_t twins);
  void put(std::int32_t node, const Node& contents);
  void refit(std::int32_t node);
  void refit_and_rotate_upward(std::int32_t node);
  void rotate(std::int32_t node);
  [[nodiscard]] std::int32_t find_sibling(const BoxF& box) const;
  struct BuildItem {
    std::array<float, 3> center;
    std::uint32_t place;  // in ids and boxes
  };
  void build_range(std::int32_t node, std::span<BuildItem> items, std::span<const std::uint32_t> ids,
                   std::span<const BoxF> boxes);
  double refit_below(std::int32_t node);

  HugeVector<Twins> twins_;
  std::vector<std::int32_t> parents_;  // of twins, beside them: only changes need them
  std::vector<std::int32_t> leaf_of_;  // id → node
  std::vector<BuildItem> items_;       // scratch of build
  double built_cost_ = 0;              // half of compute_cost() after the last build
  std::int32_t root_ = kNone;
  std::int32_t free_ = kNone;  // chained through parents_
};

}  // namespace achilles
