// Scratch of detect_contacts.
#pragma once

#include "collision/contact/separating_axis.hpp"
#include "collision/detect.hpp"
#include "parallel/blocks.hpp"

#include <vector>

namespace achilles {

/// Where contacts and what is kept of them come to lie, or how many there are.
struct ContactPlaces {
  std::size_t contact = 0, point = 0, manifold = 0, kept_point = 0;
};

/// What a block of pairs leaves.
struct BlockContacts {
  ContactSet set;       // found anew
  ContactPlaces count;  // with those that are reused
  std::size_t reused = 0;
};

/// All that the test of a pair of balls reads, in little room: pairs are met in the order of their first one.
struct Ball {
  Vec3 center = Vec3::Zero();  // [m]
  double radius = -1;          // [m] negative: the collider is none
  double reach = 0;            // [m]
  std::uint32_t body = 0;

  [[nodiscard]] bool is_one() const { return radius >= 0; }
};

struct DetectWorkspace::Impl {
  BlockRunner runner;
  BroadPhaseWorkspace broad_phase;
  std::vector<BroadPhaseProxy> proxies;
  std::vector<Ball> balls;                   // per collider
  std::vector<std::uint8_t> block_has_axes;  // per block of colliders
  std::vector<ColliderPair> pairs;
  std::size_t pair_count = 0;
  std::vector<SeparatingAxis> axes;  // of the pairs; empty where no shape remembers any
  std::vector<ColliderPair> former_pairs;
  std::vector<SeparatingAxis> former_axes;
  std::vector<std::uint32_t> former_manifold;  // of the pairs: what holds still, or kNoManifold
  std::vector<BlockContacts> blocks;           // of the chunk at hand
  std::vector<ContactPlaces> places;           // where each block of pairs begins
  std::vector<StageSize> stages;
  ManifoldMemory nothing_kept;
};

/// Leaves the proxies of the colliders, in their order, in scratch.proxies, and in scratch.balls which are balls.
void make_proxies(std::span<const Collider> colliders, double margin, DetectWorkspace::Impl& scratch);

}  // namespace achilles
