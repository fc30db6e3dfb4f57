// What collision detection sees of the world at one instant.
#pragma once

#include "geometry/geometry.hpp"

#include <achilles/shape.hpp>

#include <cstdint>

namespace achilles {

/// One placed piece of a body.
struct Collider {
  const Geometry* geometry = nullptr;
  Transform X_WG;
  std::uint32_t body = 0;  // dense body index; pieces of one body never collide with each other
  std::uint32_t material = 0;
  bool movable = true;  // two pieces that cannot move never collide
  /// [m] speculative distance ahead of its surface, e.g. how far it can come within a step. Contacts of a pair are
  /// reported up to a gap of the common margin plus the reach of both, so that one fast body does not make every pair
  /// of a scene look far.
  double reach = 0;
  CollisionFilter filter = {};
};

/// Unordered pair of bodies that must not collide (rules, joints). Kept sorted with first < second.
struct IgnoredPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  auto operator<=>(const IgnoredPair&) const = default;
};

}  // namespace achilles
