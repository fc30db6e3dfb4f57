// Scratch of `impulse-conservative`.
#pragma once

#include "collision/continuous/motion.hpp"
#include "methods/impulse_conservative/flight.hpp"
#include "methods/impulse_conservative/pair_impact.hpp"
#include "stepping/step_workspace.hpp"
#include "stepping/swept_pairs.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace achilles {

/// What is known of a pair of colliders whose swept boxes met in this frame.
struct ImpactCandidate {
  enum class Zone : std::uint8_t {
    kFresh,  // not looked at yet
    kApart,  // a collision as soon as the gap is down to the tolerance
    kNear    // within the tolerance: a collision where the gap is down to minus the tolerance
  };
  std::uint32_t stamp = 0;  // events with another one are out of date
  Zone zone = Zone::kFresh;
  double floor = -std::numeric_limits<double>::infinity();  // [m] where it collides, if deeper than usual
};

/// What may happen next. No collision of the pair happens before the time.
struct ImpactEvent {
  double time = 0;              // [s] of the frame
  std::int32_t candidate = -1;  // -1: the flight of the body ends and is described anew
  std::uint32_t body = 0;
  std::uint32_t stamp = 0;
};

struct ConservativeWorkspace {
  std::vector<Flight> flights;              // per body
  std::vector<std::uint32_t> flight_stamp;  // per body
  std::vector<MovingCollider> moving;       // per collider, from the beginning of the frame on
  SweptPairs swept;
  std::vector<ImpactCandidate> candidates;  // per pair of `swept`
  std::vector<ImpactEvent> heap;
  std::vector<ContactPoint> found;
  std::vector<PairPoint> points;  // of the two bodies of a collision
  PairImpactWorkspace impact;
};

/// What a step of the method works in.
struct ConservativeScratch : StepWorkspace {
  ConservativeWorkspace conservative;
};

}  // namespace achilles
