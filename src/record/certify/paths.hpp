// The paths of bodies between two recorded instants, and what they touch on the way.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"
#include "collision/continuous/time_of_contact.hpp"
#include "math/blocks.hpp"
#include "record/certify/evidence.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// How a body gets from one instant to the next.
struct BodyPath {
  Vec3 velocity = Vec3::Zero();      // [m/s] at the start of the interval
  Vec3 spin = Vec3::Zero();          // [rad/s]
  Vec3 acceleration = Vec3::Zero();  // [m/s²] of gravity where it fell freely, else none
  double deviation = 0;              // [m] how far a point of the body can be from this path, by the change of velocity
  double turn_rate = 0;              // [rad/s] by which the spin changed
};

/// The path between two states, `dt` [s] apart. Of all rotations that lead from one orientation to the other, that
/// which is nearest to the recorded spins. A velocity that went from u to u' passed through the straight path at a
/// distance of at most dt |u' − u| / 4, wherever in the interval it changed.
[[nodiscard]] BodyPath find_path(const World& before, const World& after, std::size_t body, double dt);

/// Scratch of IntervalCheck.
struct IntervalWorkspace {
  std::vector<BodyPath> paths;
  std::vector<MovingCollider> colliders;
  std::vector<double> allowance;  // [m] per collider, of its path
  std::vector<double> margins;    // [m] per collider: pairs that come within the sum of two may act on each other
  std::vector<BroadPhaseProxy> proxies;
  std::vector<ColliderPair> pairs;
  std::vector<IgnoredPair> ignored;
  BroadPhaseWorkspace broad_phase;
  BlockRunner runner;
  struct Met {
    std::uint32_t body_a = 0, body_b = 0;
    double depth = 0;      // [m] deepest, to a quarter of itself; 0: they may touch
    double allowance = 0;  // [m] of the two paths
    double time = 0;       // [s] since the start of the interval
    bool unresolved = false;
  };
  std::vector<std::vector<Met>> blocks;
  std::vector<Met> met;  // pairs of bodies that may touch in the interval
};

/// Finds all pairs that may touch between two instants, and how deep they go. A pair that comes no deeper than `depth`
/// [m] beyond its allowance is not looked into further. `reach` [s] is how far ahead methods see contacts.
void follow_interval(const World& before, const World& after, double dt, double depth, double reach,
                     IntervalWorkspace& scratch);

}  // namespace achilles
