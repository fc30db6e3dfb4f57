// Scratch of soft-step.
#pragma once

#include "graph/coloring.hpp"
#include "math/blocks.hpp"
#include "time_control/soft_step/contact_lanes.hpp"
#include "time_control/soft_step/joint_lanes.hpp"
#include "time_control/soft_step/soft_joints.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

/// Up to four points of a contact with one normal.
struct SoftManifold {
  std::uint32_t contact = 0;
  std::uint32_t first = 0;  // point
  std::uint16_t count = 0;  // points
  std::uint16_t kind = 0;   // rows that its points want, minus one; kPointsPerManifold more if a body is not round

  /// Resists turning about its normal.
  [[nodiscard]] bool is_patch() const { return kind % kPointsPerManifold > 0; }
};

/// What a row is filled with, of one body: a line of the cache.
struct alignas(64) BodyDraft {
  SoftVelocity velocity, acceleration;
};

/// What a block of contacts leaves in the World's memory.
struct SoftTally {
  std::uint32_t contacts = 0, points = 0;  // that touched
  std::uint32_t kept = 0;                  // that had touched before
};

/// Which manifolds eight lanes hold and where what they want lies.
struct LanePlan {
  std::uint32_t first = 0;        // of its manifolds in the list: in cells as they were laid, else as sorted
  std::uint32_t first_point = 0;  // rows of points
  std::uint16_t count = 0;        // manifolds
  std::uint16_t points = 1;       // rows
  std::int32_t patch = -1, masses = -1;
};

/// Bodies cut into cells of consecutive slots, so that a cell's contacts are swept by one thread without waiting for
/// others. There may be none.
struct SoftCells {
  bool is_chain = false;                  // slabs: a cell has the contacts between it and the next too
  std::vector<std::uint32_t> slot_start;  // first slot of each cell, and one past the last
  std::vector<std::uint16_t> cell_of;     // per slot above 0, from slot 1 on
  std::vector<std::uint32_t> lane_start;  // of the lanes of each cell, round after round, and one past the last
  /// How many cells may be swept at once before the next: all of them; or every other slab, then the rest.
  std::uint32_t rounds[2] = {};

  [[nodiscard]] std::size_t size() const { return slot_start.empty() ? 0 : slot_start.size() - 1; }
  /// In the order of the lanes.
  [[nodiscard]] std::size_t place_of(std::size_t cell) const {
    return is_chain ? cell / 2 + (cell % 2 == 0 ? 0 : rounds[0]) : cell;
  }
  [[nodiscard]] std::size_t round_of(std::size_t place) const { return place < rounds[0] ? 0 : 1; }
};

struct SoftWorkspace {
  std::vector<std::uint32_t> materials;  // per collider
  std::vector<SoftManifold> manifolds;
  std::vector<std::uint32_t> first_manifold;  // per contact, and one past the last
  std::vector<GraphEdge> edges;               // per manifold
  Coloring coloring;
  SoftJoints joints;
  SoftJointLanes joint_lanes;
  std::vector<GraphEdge> joint_edges;
  Coloring joint_coloring;
  SoftLanes lanes;  // cell after cell, then what is shared, see order_lanes.hpp
  SoftCells cells;
  std::vector<std::uint32_t> start;       // of each shared colour's lanes, of the overflow's, and one past the last
  std::vector<std::int32_t> manifold_at;  // per lane of the lanes: its manifold, or -1
  HugeVector<SoftImpulse> impulses;       // per manifold
  HugeVector<PointImpulse> further;       // per contact point, of those after the first of a manifold
  HugeVector<ManifoldDraft> drafts;       // per manifold, after one of nothing
  HugeVector<DraftPlace> draft_places;    // likewise
  HugeVector<PointDraft> point_drafts;    // per contact point, after one of nothing; unless no manifold is a patch

  std::vector<std::uint32_t> place_of, sorted, shelf_start;  // scratch of sorting slots and manifolds
  std::vector<std::uint32_t> rack_of, rack_start, rack_next;
  std::vector<LanePlan> lane_plans;
  std::vector<LanePlan> cell_plans;             // of each cell where its manifolds are in the sorted list
  std::vector<std::uint32_t> cell_plan_counts;  // how many each has there
  std::vector<std::uint32_t> laid;              // what cells have of the sorted list, in the order of their lanes
  std::vector<std::uint32_t> open_lanes[2];     // per round of cells, and slot: scratch of laying

  // What the lanes were laid out from, with the colours: while that is the same, so are they. Only speed depends on it.
  std::vector<std::int32_t> known_slots;
  std::vector<std::uint8_t> known_kinds;  // per manifold
  bool lanes_known = false;               // all was done
  bool lanes_kept = false;                // the last step found them as they should be

  std::vector<std::uint8_t> round;            // per body: impulses turn it alike about all axes
  std::vector<std::int32_t> slot_of;          // per body; 0: never moves or touches nothing
  std::vector<std::uint32_t> body_of;         // per row: those with slots below 0, slot 0, those above
  std::uint32_t movers = 0, watched = 0;      // how many slots there are above and below 0
  std::vector<std::uint32_t> watched_bodies;  // scratch of giving them slots
  HugeVector<BodyDraft> body_drafts;          // per body
  HugeVector<SoftMotion> motions;             // per row
  HugeVector<SoftVelocity> unpushed;          // velocity of the substep without its impulses
  HugeVector<SoftVelocity> accelerations;
  HugeVector<SoftMass> masses;  // those of all rows only if some body that is not round wants them
  bool restitutes = false;      // some contact does

  std::vector<std::uint8_t> touched;  // per contact
  std::vector<SoftTally> tallies;     // per block of contacts

  struct Stage {
    enum class Kind : std::uint8_t {
      kNothing,
      kLoad,
      kDraft,
      kPack,
      kAccelerate,
      kAccelerateOn,
      kWarmStart,
      kSolve,
      kMove,
      kRelax,
      kRestitute,
      kUnpack,
      kUnload,
      kWarmStartJoints,
      kTurnJoints,
      kSolveJoints,
      kRelaxJoints,
      kPackJoints,
      kUnpackJoints
    };
    Kind kind = Kind::kNothing;
    bool by_cell = false;          // counts cells, not lanes
    Kind bodies = Kind::kNothing;  // what a cell first does to its own bodies
    std::uint32_t begin = 0;       // of lanes, cells, rows, bodies or joints
    Kind before = Kind::kNothing;  // what a cell does to its lanes before all that, to have them in the cache then
  };
  std::vector<Stage> stages;
  std::vector<StageSize> stage_sizes;
};

}  // namespace achilles
