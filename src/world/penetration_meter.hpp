// How deep the bodies of a World interpenetrate, looked at again and again.
#pragma once

#include "collision/overlaps.hpp"
#include "parallel/blocks.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace achilles {

/// Follows a World from look to look, any World: it knows pieces by their geometry, place and pose, bit for bit, so
/// that changes need not be reported to it. Costs about 350 bytes per piece, and a look at each of them.
class PenetrationMeter {
 public:
  /// Throws std::invalid_argument when a pose is not finite.
  [[nodiscard]] MeasuredPenetration measure(const World& world, BlockRunner& runner, DetectWorkspace& scratch);

  /// Calls act(body_a, body_b, depth [m]) for every two pieces that overlapped in the last look.
  template <class Act>
  void for_each_overlap(const Act& act) const {
    for (const auto& [pair, depth] : overlaps_.list()) act(colliders_[pair.a].body, colliders_[pair.b].body, depth);
  }

 private:
  /// All that a piece's collider follows from.
  struct Seen {
    std::shared_ptr<const Geometry> geometry;  // held, so that no other comes to lie at its address
    Transform X_CG;
    Vec3 position = Vec3::Zero();  // of its body
    Quat orientation = Quat::Identity();
  };

  void follow(const World& world, BlockRunner& runner);
  [[nodiscard]] bool is_as_seen(const World& world, std::size_t piece) const;
  void remember(const World& world, std::size_t piece);

  std::vector<Seen> seen_;  // per piece
  std::vector<Collider> colliders_;
  std::vector<std::uint8_t> is_moved_;  // per piece
  std::vector<std::uint32_t> moved_;
  std::vector<IgnoredPair> ignored_;
  Overlaps overlaps_;
};

}  // namespace achilles
