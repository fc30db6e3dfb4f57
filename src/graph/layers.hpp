// Stack layers: which bodies of the contact graph carry which, [Erleben04, sec. 6.4.2].
//
// A body's height is 0 when it cannot move, else one more than that of the highest body it rests on. The thesis takes
// the shortest way to a fixed body instead (eq. 6.77), which puts balls on the ridge of a canyon into the lowest layer
// although they rest on three others (fig. 6.55), and suggests what is done here: heights follow gravity.
//
// Support: body b rests on a where the contact normal from a to b points up. Contacts that are nearly level order
// nothing.
//
// Cycles: bodies that rest on each other in a ring, over tilted contacts, share one height. They are solved together.
//
// Falling bodies: those that nothing fixed carries stand above all carried bodies, whatever they touch. What falls into
// a stack never counts as its foundation (the ripples of fig. 6.61).
#pragma once

#include "graph/islands.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// A touching contact as the analysis of stacks sees it.
struct SupportEdge {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  double up = 0;  // upward component of the normal from a to b
};

struct StackLayers {
  std::vector<std::uint32_t> height;  // per body; bodies without contacts have the height of what falls
  std::uint32_t carried = 0;          // the largest height of a body that something fixed carries

  /// Layer that a contact of bodies of these heights belongs to: it is solved with the lower body held, or with both
  /// free where the heights are equal.
  [[nodiscard]] static std::uint32_t layer_of(std::uint32_t height_a, std::uint32_t height_b) {
    return (height_a > height_b ? height_a : height_b) - 1;
  }

  // Scratch.
  std::vector<std::uint32_t> start, neighbours;  // per body: what it rests on
  std::vector<std::uint32_t> order, low, stack, path, position;
  std::vector<std::uint8_t> is_carried;
};

/// Heights that follow gravity. `movable` has one entry per body; edges need a movable end each. Linear in bodies and
/// edges; allocates only while growing.
void find_stack_layers(std::span<const SupportEdge> edges, std::span<const std::uint8_t> movable, StackLayers& layers);

/// Heights as the fewest contacts to a body that cannot move, [Erleben04, figs. 6.50-6.51].
void find_distance_layers(std::span<const SupportEdge> edges, std::span<const std::uint8_t> movable,
                          StackLayers& layers);

}  // namespace achilles
