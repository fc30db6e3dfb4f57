// Scratch of soft-step.
#pragma once

#include "graph/coloring.hpp"
#include "math/blocks.hpp"
#include "time_control/soft_step/contact_lanes.hpp"
#include "time_control/soft_step/soft_joints.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

/// Up to four points of a contact with one normal.
struct SoftManifold {
  std::uint32_t contact = 0;
  std::uint32_t first = 0, count = 0;  // points
};

/// What a block of contacts leaves in the World's memory.
struct SoftTally {
  std::uint32_t contacts = 0, points = 0;  // that touched
  std::uint32_t kept = 0;                  // that had touched before
};

struct SoftWorkspace {
  std::vector<SoftManifold> manifolds;
  std::vector<std::uint32_t> first_manifold;  // per contact, and one past the last
  std::vector<GraphEdge> edges;               // per manifold
  Coloring coloring;
  SoftJoints joints;
  std::vector<GraphEdge> joint_edges;
  Coloring joint_coloring;
  std::vector<ContactLanes> lanes;        // colour after colour, the overflow last, one manifold each
  std::vector<std::uint32_t> start;       // of each colour's lanes, of the overflow's, and one past the last
  std::vector<std::uint32_t> lane_of;     // per manifold: index of its lanes times kLanes, plus the lane
  std::vector<std::int32_t> manifold_at;  // per lane of the lanes: its manifold, or -1

  std::vector<std::int32_t> slot_of;     // per body; 0: never moves or touches nothing
  std::vector<std::uint32_t> body_of;    // per slot
  std::vector<SoftVelocity> velocities;  // per slot
  std::vector<SoftVelocity> accelerations;
  std::vector<SoftDisplacement> displacements;
  std::vector<SoftMass> masses;
  bool restitutes = false;  // some contact does

  std::vector<std::uint8_t> touched;  // per contact
  std::vector<SoftTally> tallies;     // per block of contacts

  struct Stage {
    enum class Kind : std::uint8_t {
      kLoad,
      kPack,
      kAccelerate,
      kWarmStart,
      kSolve,
      kMove,
      kRelax,
      kRestitute,
      kUnload,
      kWarmStartJoints,
      kSolveJoints,
      kRelaxJoints
    };
    Kind kind = Kind::kLoad;
    std::uint32_t begin = 0;  // of lanes, slots, bodies or joints
  };
  std::vector<Stage> stages;
  std::vector<StageSize> stage_sizes;
};

}  // namespace achilles
