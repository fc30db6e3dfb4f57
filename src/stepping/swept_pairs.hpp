// Pairs of colliders that can meet within a frame: their swept boxes meet, [Mirtich95, sec. 3.2]. Kept up to date as
// bodies change their ways, at no cost to those that do not.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"

#include <achilles/world.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

struct SweptPair {
  ColliderPair pair;
  std::array<std::int32_t, 2> next{-1, -1};  // further pairs of the two bodies
};

/// Scratch: contents mean nothing between frames.
struct SweptPairs {
  std::vector<std::uint32_t> first_collider;  // per body, and one past the last
  std::vector<std::int32_t> first_pair;       // per body
  std::vector<std::uint32_t> body_of;         // per collider
  std::vector<BroadPhaseProxy> proxies;       // per collider: what it sweeps, and some room
  std::vector<SweptPair> pairs;
  BroadPhaseWorkspace broad_phase;
  std::vector<ColliderPair> found;

  /// No pairs yet; proxies are to be written.
  void begin(const World& world);

  /// All pairs whose proxies meet.
  void find_all(std::span<const IgnoredPair> ignored, BlockRunner& runner);

  /// Adds the pairs of a collider whose proxy has grown.
  void find_more(std::uint32_t collider, std::span<const IgnoredPair> ignored);

  [[nodiscard]] std::array<std::uint32_t, 2> bodies_of(std::int32_t index) const {
    const ColliderPair& pair = pairs[static_cast<std::size_t>(index)].pair;
    return {body_of[pair.a], body_of[pair.b]};
  }

  /// Calls visit(index) for every pair of a body.
  template <class Visit>
  void for_each_of(std::uint32_t body, const Visit& visit) const {
    for (std::int32_t k = first_pair[body]; k >= 0;) {
      const SweptPair& one = pairs[static_cast<std::size_t>(k)];
      const std::int32_t next = one.next[body_of[one.pair.a] == body ? 0 : 1];
      visit(k);
      k = next;
    }
  }

 private:
  void add(const ColliderPair& pair);
};

}  // namespace achilles
