#include "graph/layers.hpp"

#include "math/refill.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

constexpr std::uint32_t kUnvisited = std::numeric_limits<std::uint32_t>::max();
constexpr double kLevel = 0.1;  // normals within about 6 degrees of level carry nothing

/// Neighbours of every body, where `link(edge, out)` calls out(from, to) for its directions.
template <class Link>
void list_neighbours(std::span<const SupportEdge> edges, std::size_t bodies, StackLayers& layers, const Link& link) {
  refill(layers.start, bodies + 2, 0U);
  for (const SupportEdge& edge : edges)
    link(edge, [&](std::uint32_t from, std::uint32_t) { ++layers.start[from + 2]; });
  std::partial_sum(layers.start.begin(), layers.start.end(), layers.start.begin());
  layers.neighbours.resize(layers.start.back());
  for (const SupportEdge& edge : edges) {
    link(edge, [&](std::uint32_t from, std::uint32_t to) { layers.neighbours[layers.start[from + 1]++] = to; });
  }
}

std::span<const std::uint32_t> neighbours_of(const StackLayers& layers, std::uint32_t body) {
  return std::span(layers.neighbours).subspan(layers.start[body], layers.start[body + 1] - layers.start[body]);
}

/// Calls out(lower, upper) where one body rests on the other.
template <class Out>
void order(const SupportEdge& edge, const Out& out) {
  if (edge.up >= kLevel) out(edge.body_a, edge.body_b);
  if (edge.up <= -kLevel) out(edge.body_b, edge.body_a);
}

/// Marks the bodies that can be reached upwards from one that cannot move.
void mark_carried(std::span<const SupportEdge> edges, std::span<const std::uint8_t> movable, StackLayers& layers) {
  list_neighbours(edges, movable.size(), layers, [](const SupportEdge& edge, const auto& add) { order(edge, add); });
  refill(layers.is_carried, movable.size(), std::uint8_t{0});
  layers.stack.clear();
  for (std::uint32_t body = 0; body < movable.size(); ++body) {
    if (movable[body] == 0) layers.stack.push_back(body);
  }
  while (!layers.stack.empty()) {
    const std::uint32_t lower = layers.stack.back();
    layers.stack.pop_back();
    for (const std::uint32_t upper : neighbours_of(layers, lower)) {
      if (movable[upper] == 0 || layers.is_carried[upper] != 0) continue;
      layers.is_carried[upper] = 1;
      layers.stack.push_back(upper);
    }
  }
}

/// Tarjan's strongly connected components over "rests on", without recursion. They come out lowest first, so that a
/// height is known when its component is complete.
class Heights {
 public:
  Heights(std::span<const std::uint8_t> movable, StackLayers& layers) : movable_(movable), layers_(layers) {
    refill(layers_.height, movable.size(), 0U);
    refill(layers_.order, movable.size(), kUnvisited);
    refill(layers_.low, movable.size(), kUnvisited);
    layers_.position.resize(movable.size());
    layers_.stack.clear();
    layers_.path.clear();
  }

  void visit(std::uint32_t root) {
    if (layers_.order[root] != kUnvisited) return;
    enter(root);
    while (!layers_.path.empty()) {
      const std::uint32_t body = layers_.path.back();
      if (!descend(body)) leave(body);
    }
  }

 private:
  void enter(std::uint32_t body) {
    layers_.order[body] = layers_.low[body] = next_++;
    layers_.position[body] = layers_.start[body];
    layers_.stack.push_back(body);
    layers_.path.push_back(body);
  }

  /// Enters the next body that this one rests on; false when all have been seen.
  bool descend(std::uint32_t body) {
    while (layers_.position[body] < layers_.start[body + 1]) {
      const std::uint32_t lower = layers_.neighbours[layers_.position[body]++];
      if (movable_[lower] == 0) continue;
      if (layers_.order[lower] == kUnvisited) {
        enter(lower);
        return true;
      }
      if (layers_.height[lower] == 0) layers_.low[body] = std::min(layers_.low[body], layers_.order[lower]);
    }
    return false;
  }

  void leave(std::uint32_t body) {
    layers_.path.pop_back();
    if (!layers_.path.empty()) {
      std::uint32_t& low = layers_.low[layers_.path.back()];
      low = std::min(low, layers_.low[body]);
    }
    if (layers_.low[body] != layers_.order[body]) return;
    const auto first = std::find(layers_.stack.rbegin(), layers_.stack.rend(), body).base() - 1;
    std::uint32_t below = 0;
    for (auto member = first; member != layers_.stack.end(); ++member) {
      for (const std::uint32_t lower : neighbours_of(layers_, *member)) below = std::max(below, layers_.height[lower]);
    }
    for (auto member = first; member != layers_.stack.end(); ++member) layers_.height[*member] = below + 1;
    layers_.stack.erase(first, layers_.stack.end());
  }

  std::span<const std::uint8_t> movable_;
  StackLayers& layers_;
  std::uint32_t next_ = 0;
};

/// Puts the bodies that nothing carries above those that are carried.
void lift_falling(std::span<const std::uint8_t> movable, StackLayers& layers) {
  layers.carried = 0;
  for (std::size_t body = 0; body < movable.size(); ++body) {
    if (layers.is_carried[body] != 0) layers.carried = std::max(layers.carried, layers.height[body]);
  }
  for (std::size_t body = 0; body < movable.size(); ++body) {
    if (movable[body] != 0 && layers.is_carried[body] == 0) layers.height[body] += layers.carried;
  }
}

}  // namespace

void find_stack_layers(std::span<const SupportEdge> edges, std::span<const std::uint8_t> movable, StackLayers& layers) {
  mark_carried(edges, movable, layers);
  // What is carried does not rest on what falls, and the other way round.
  list_neighbours(edges, movable.size(), layers, [&](const SupportEdge& edge, const auto& add) {
    order(edge, [&](std::uint32_t lower, std::uint32_t upper) {
      if (movable[upper] == 0) return;
      if (movable[lower] == 0 || layers.is_carried[lower] == layers.is_carried[upper]) add(upper, lower);
    });
  });
  Heights heights(movable, layers);
  for (std::uint32_t body = 0; body < movable.size(); ++body) {
    if (movable[body] != 0) heights.visit(body);
  }
  lift_falling(movable, layers);
}

void find_distance_layers(std::span<const SupportEdge> edges, std::span<const std::uint8_t> movable,
                          StackLayers& layers) {
  list_neighbours(edges, movable.size(), layers, [](const SupportEdge& edge, const auto& add) {
    add(edge.body_a, edge.body_b);
    add(edge.body_b, edge.body_a);
  });
  refill(layers.height, movable.size(), 1U);
  refill(layers.is_carried, movable.size(), std::uint8_t{0});
  layers.path.clear();
  for (std::uint32_t body = 0; body < movable.size(); ++body) {
    if (movable[body] != 0) continue;
    layers.height[body] = 0;
    layers.path.push_back(body);
  }
  for (std::size_t k = 0; k < layers.path.size(); ++k) {
    const std::uint32_t body = layers.path[k];
    for (const std::uint32_t other : neighbours_of(layers, body)) {
      if (movable[other] == 0 || layers.is_carried[other] != 0) continue;
      layers.is_carried[other] = 1;
      layers.height[other] = layers.height[body] + 1;
      layers.path.push_back(other);
    }
  }
  lift_falling(movable, layers);
}

}  // namespace achilles
