// Workspaces of soft-step, one per stage: contents mean nothing between steps, memory is kept so that a warm step
// allocates nothing.
#pragma once

#include "graph/coloring.hpp"
#include "graph/partition.hpp"
#include "methods/soft_step/contact_batches.hpp"
#include "methods/soft_step/joints.hpp"
#include "parallel/phases.hpp"
#include "stepping/step_workspace.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

/// Staging record of a body, from which its row is filled: one cache line.
struct alignas(64) StagedBody {
  SoftVelocity velocity, acceleration;
};

/// Bodies as rows in single precision. Row `scripted + slot` has the body of a slot, see SoftVelocity.
struct SoftBodyWorkspace {
  std::vector<std::uint8_t> is_round;          // per body: its inverse mass is alike in all directions
  std::vector<std::int32_t> slot_of;           // per body; 0: never moves or touches nothing
  std::vector<std::uint32_t> body_of;          // per row
  std::vector<std::uint32_t> scripted_bodies;  // slots 0, −1, −2 ...; 0 for slot 0
  std::uint32_t dynamic = 0, scripted = 0;     // how many slots there are above and below 0
  HugeVector<StagedBody> staged;               // per body
  HugeVector<SoftMotion> motions;              // per row
  HugeVector<SoftVelocity> unpushed;           // per row: velocity of the substep without its impulses
  HugeVector<SoftVelocity> accelerations;      // per row
  HugeVector<SoftMass> masses;                 // per row; of rows with slots up to 0 only if no batch needs more

  [[nodiscard]] SoftBodies rows() {
    return {motions.data() + scripted, masses.data() + scripted, accelerations.data() + scripted};
  }
};

/// Kinds of manifolds: those of one kind take as many rows.
inline constexpr std::size_t kManifoldKinds = 2 * kPointsPerManifold;

/// Up to four points of a contact with one normal.
struct SoftManifold {
  std::uint32_t contact = 0;
  std::uint32_t first = 0;  // point
  std::uint16_t count = 0;  // points
  std::uint16_t kind = 0;   // rows of points, less one; and kPointsPerManifold if a body is not round

  [[nodiscard]] std::uint16_t rows() const { return static_cast<std::uint16_t>(kind % kPointsPerManifold + 1); }
  [[nodiscard]] bool resists_twist() const { return rows() > 1; }
  [[nodiscard]] bool needs_masses() const { return kind >= kPointsPerManifold; }
};

/// Of a block of contacts.
struct ManifoldTally {
  std::uint32_t manifolds = 0;
  bool restitutes = false;  // some contact has restitution
};

struct SoftManifoldWorkspace {
  std::vector<SoftManifold> manifolds;
  std::vector<std::uint32_t> first_manifold;  // per contact, and one past the last
  std::vector<GraphEdge> edges;               // per manifold
  Coloring coloring;                          // of the edges
  std::vector<float> radii;                   // [m] per collider, see find_radius
  std::vector<ManifoldTally> tallies;         // per block of contacts
  bool restitutes = false;                    // some contact has restitution
};

struct SlotPartitionWorkspace {
  Partition partition;  // of the slots above 0, each node a slot; no blocks where there are few bodies
  KeySortWorkspace sort;
  std::vector<std::uint32_t> weights;  // per slot from 1 on
};

/// SIMD batches of contacts: those inside the blocks of the partition come first, round after round and block after
/// block, then the border contacts, colour after colour.
struct ContactLayout {
  ContactBatches batches;
  std::vector<std::int32_t> manifold_at;   // per SIMD lane: its manifold, or -1
  std::vector<std::uint32_t> block_start;  // first batch per block, by Partition::rank_of, and one past the last
  std::vector<std::uint32_t> color_start;  // of border contacts: per colour, of the overflow, and one past the last
  bool is_kept = false;                    // the last step found the layout as it should be

  [[nodiscard]] std::size_t size() const { return batches.contacts.size(); }
  [[nodiscard]] std::size_t first_border() const { return color_start.front(); }
};

/// The manifolds of a batch and its places in the arrays of ContactBatches.
struct BatchPlan {
  std::uint32_t first = 0;        // manifold, in LayoutWorkspace::packed, or `sorted` for border contacts
  std::uint32_t first_point = 0;  // PointBatch
  std::uint16_t count = 0;        // manifolds
  std::uint16_t points = 1;       // PointBatches
  std::int32_t twist = -1, masses = -1;
};

struct LayoutWorkspace {
  std::vector<std::uint32_t> bucket_of;          // per manifold
  std::vector<std::uint32_t> bucket_start;       // per bucket, and one past the last
  std::vector<std::uint32_t> bucket_next;        // per part of the manifolds and bucket
  std::vector<std::uint32_t> sorted;             // manifolds, bucket after bucket
  std::vector<std::uint32_t> packed;             // those inside blocks, in the order of their batches
  std::vector<std::uint32_t> open_batches[2];    // per round and slot: bits of the open batches with that slot
  std::vector<BatchPlan> block_plans;            // of each block from the place of its manifolds in `sorted` on
  std::vector<std::uint32_t> block_plan_counts;  // per block
  std::vector<BatchPlan> plans;                  // per batch
  // With the colours, what the layout was made from: while that is the same, so is the layout. Only speed depends on
  // it.
  std::vector<std::int32_t> known_slots;
  std::vector<std::uint8_t> known_kinds;  // per manifold
  bool is_known = false;                  // the layout was completed
};

/// Contacts on their way into the batches, and impulses on their way back.
struct StagingWorkspace {
  HugeVector<StagedManifold> manifolds;  // of none, then per manifold
  HugeVector<StagedPlace> places;        // likewise
  HugeVector<StagedPoint> points;        // of none, then per contact point; of none only if no manifold resists twist
  HugeVector<ManifoldImpulse> impulses;  // per manifold
  HugeVector<PointImpulse> further_impulses;  // per contact point, of those after the first of a manifold
};

struct SoftRecordWorkspace {
  std::vector<std::uint8_t> touched;  // per contact
  std::vector<ContactTally> tallies;  // per block of contacts
  std::vector<StageSize> phases;
};

class SoftStep;  // soft_step.cpp

struct SoftWorkspace {
  SoftBodyWorkspace bodies;
  SoftManifoldWorkspace manifolds;
  SlotPartitionWorkspace slots;
  ContactLayout layout;
  LayoutWorkspace planning;
  StagingWorkspace staging;
  SoftJointWorkspace joints;
  SoftRecordWorkspace records;
  ParallelPhases<SoftStep> phases;
};

/// Memory of a step: that of the shared stages, and that of the stages of soft-step.
struct SoftScratch : StepWorkspace {
  SoftWorkspace soft;
};

}  // namespace achilles
