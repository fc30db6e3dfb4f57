// The paths of bodies between two recorded instants, and what they touch on the way.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"
#include "collision/continuous/time_of_contact.hpp"
#include "parallel/blocks.hpp"
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
  double deviation = 0;              // [m] how far the centre can be from this path, if one impulse bent the true one
  double excursion = 0;              // [m] the same, whatever impulses did
  double turn_rate = 0;              // [rad/s] by which the spin changed
};

/// The path between two states, `dt` [s] apart. Of all rotations that lead from one orientation to the other, that
/// which is nearest to the recorded spins. What fell freely went along a parabola. Any other body is taken along the
/// chord. Where gravity g and one impulse J = m (u' − u − dt g) made the way, the centre is at most
///   max(g dt²/8, dt |J_up| / 4m − g dt²/8) along gravity, J_up being the part of J against gravity,
///   g dt²/8 + dt |J_down| / 4m             where that part points the other way, and dt |J_across| / 4m across
/// away from the chord: free fall sags by g t (dt − t) / 2, an impulse at t bends the way by J t (dt − t) / (m dt) at
/// most. Where there were several impulses, the way was at most dt v long, v being the larger of the two speeds plus g
/// dt; it lies in the ellipsoid about the two positions with that length: ½ √((dt v)² − |x' − x|²) from the chord at
/// most.
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
