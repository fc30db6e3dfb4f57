// A bounding volume tree over boxes that do not move, and the walks over it.
#pragma once

#include <achilles/math.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace achilles {

/// Two nodes to a cache line. Bounds are rounded outward to single precision, so a box that overlaps in doubles
/// overlaps here too.
struct BvhNode {
  std::array<float, 3> lower;  // [m]
  std::uint32_t index;         // leaf: first of its items; inner: right child, the left one being the next node
  std::array<float, 3> upper;  // [m]
  std::uint32_t count;         // leaf: number of items; inner: 0
};

/// Nodes in depth-first order, the root first; `items` lists the numbers of the boxes leaf by leaf.
struct Bvh {
  static constexpr std::size_t kMaxDepth = 80;  // build_bvh keeps to it, so that walks have a stack of fixed size
  std::vector<BvhNode> nodes;
  std::vector<std::uint32_t> items;
};

/// Splits by the surface area heuristic over 16 bins; O(n log n). Boxes must be finite.
[[nodiscard]] Bvh build_bvh(std::span<const Aabb> boxes, std::uint32_t leaf_size = 4);

/// Single precision, rounded so that the box only grows.
[[nodiscard]] float round_down(double x);
[[nodiscard]] float round_up(double x);

/// Squared distance from a point to the node's box, 0 inside.
[[nodiscard]] inline double squared_distance(const BvhNode& node, const Vec3& x) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double outside =
        std::max({0.0, static_cast<double>(node.lower[k]) - x[i], x[i] - static_cast<double>(node.upper[k])});
    sum += outside * outside;
  }
  return sum;
}

/// Calls visit(item) for every item whose leaf overlaps the box. Items near the box but outside may be visited too.
template <typename Visit>
void visit_overlaps(const Bvh& tree, const Aabb& box, Visit&& visit) {
  if (tree.nodes.empty()) return;
  const std::array<float, 3> lower = {round_down(box.lower.x()), round_down(box.lower.y()), round_down(box.lower.z())};
  const std::array<float, 3> upper = {round_up(box.upper.x()), round_up(box.upper.y()), round_up(box.upper.z())};
  std::array<std::uint32_t, Bvh::kMaxDepth> stack;
  std::size_t depth = 0;
  std::uint32_t n = 0;
  for (;;) {
    const BvhNode& node = tree.nodes[n];
    // Six comparisons without a branch: which of them fails cannot be predicted.
    int intersects = 1;
    for (std::size_t k = 0; k < 3; ++k) intersects &= int{node.lower[k] <= upper[k]} & int{lower[k] <= node.upper[k]};
    const bool overlaps = intersects != 0;
    if (overlaps && node.count == 0) {
      stack[depth++] = node.index;
      ++n;
      continue;
    }
    if (overlaps) {
      for (std::uint32_t i = 0; i < node.count; ++i) visit(tree.items[node.index + i]);
    }
    if (depth == 0) return;
    n = stack[--depth];
  }
}

/// Calls visit(item, limit²) near items first, skipping what is at least `limit²` [m²] away from x. The visitor lowers
/// the limit when it finds something nearer.
template <typename Visit>
void visit_nearest(const Bvh& tree, const Vec3& x, double& squared_limit, Visit&& visit) {
  struct Entry {
    std::uint32_t node;
    double squared_distance;
  };
  if (tree.nodes.empty()) return;
  std::array<Entry, Bvh::kMaxDepth> stack;
  std::size_t depth = 0;
  Entry entry{0, squared_distance(tree.nodes[0], x)};
  for (;;) {
    if (entry.squared_distance < squared_limit) {
      const BvhNode& node = tree.nodes[entry.node];
      if (node.count == 0) {
        Entry near{entry.node + 1, squared_distance(tree.nodes[entry.node + 1], x)};
        Entry far{node.index, squared_distance(tree.nodes[node.index], x)};
        if (far.squared_distance < near.squared_distance) std::swap(near, far);
        stack[depth++] = far;
        entry = near;
        continue;
      }
      for (std::uint32_t i = 0; i < node.count; ++i) visit(tree.items[node.index + i], squared_limit);
    }
    if (depth == 0) return;
    entry = stack[--depth];
  }
}

/// A ray x(t) = origin + t direction with what walking a tree needs. The direction need not have unit length.
struct Ray {
  Vec3 origin = Vec3::Zero();
  Vec3 direction = Vec3::UnitX();
};

/// Whether the ray meets the node's box at some t in [0, limit], with a hair of slack so that rounding loses nothing.
[[nodiscard]] bool intersects(const BvhNode& node, const Ray& ray, double limit);

/// Calls visit(item, limit) for every item whose leaf the ray may meet for t in [0, limit]. The visitor lowers the
/// limit when only nearer hits are of interest.
template <typename Visit>
void visit_along(const Bvh& tree, const Ray& ray, double& limit, Visit&& visit) {
  if (tree.nodes.empty()) return;
  std::array<std::uint32_t, Bvh::kMaxDepth> stack;
  std::size_t depth = 0;
  std::uint32_t n = 0;
  for (;;) {
    const BvhNode& node = tree.nodes[n];
    if (intersects(node, ray, limit)) {
      if (node.count == 0) {
        // The child whose centre comes first along the ray goes first, so that its hits cut the other off.
        const BvhNode &left = tree.nodes[n + 1], &right = tree.nodes[node.index];
        double ahead = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double gap = static_cast<double>(right.lower[k]) + static_cast<double>(right.upper[k]) -
                             static_cast<double>(left.lower[k]) - static_cast<double>(left.upper[k]);
          ahead += gap * ray.direction[static_cast<int>(k)];
        }
        stack[depth++] = ahead >= 0 ? node.index : n + 1;
        n = ahead >= 0 ? n + 1 : node.index;
        continue;
      }
      for (std::uint32_t i = 0; i < node.count; ++i) visit(tree.items[node.index + i], limit);
    }
    if (depth == 0) return;
    n = stack[--depth];
  }
}

}  // namespace achilles
