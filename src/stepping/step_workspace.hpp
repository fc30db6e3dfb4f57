// Scratch shared by the methods: contents mean nothing between steps, memory is kept so that a warm step allocates
// nothing.
#pragma once

#include "collision/detect.hpp"
#include "constraint/contact_rows.hpp"
#include "constraint/coupling_rows.hpp"
#include "constraint/joint_rows.hpp"
#include "graph/islands.hpp"
#include "impact/impact_workspace.hpp"
#include "motion/integrate.hpp"
#include "parallel/blocks.hpp"
#include "solver/solver.hpp"
#include "stepping/pose_snapshot.hpp"
#include "world/world_memory.hpp"

#include <achilles/contact_callback.hpp>
#include <achilles/profile.hpp>
#include <achilles/report.hpp>

#include <cstdint>
#include <deque>
#include <vector>

namespace achilles {

/// What a block of contacts leaves in the World's memory.
struct ContactTally {
  std::uint32_t contacts = 0, points = 0;  // that touched
  std::uint32_t kept = 0;                  // that had touched before
};

/// The threads that a step runs on, and where it reports how long its stages take.
struct Execution {
  BlockRunner runner;
  Profile* profile = nullptr;  // null: no report

  void mark(std::string_view stage) {
    if (profile != nullptr) profile->mark(stage);
  }
};

/// Bodies: what prepare_bodies and integrate_velocities find. All arrays are per body.
struct BodyWorkspace {
  std::vector<BodyInverseMass> inverse_mass;
  std::vector<std::uint8_t> movable;          // dynamic and awake
  std::vector<std::uint8_t> constrained;      // an impulse acted on it
  std::vector<BodyVelocity> velocity_before;  // u
  std::vector<FreeMotion> motion;
  std::vector<Mat3> stiffness;  // geometric stiffness of the joints [N m/rad]
};

/// Contacts: what find_contacts finds, and the islands that contacts and joints make.
struct ContactWorkspace {
  CollideOptions collide;  // which points of a contact the method wants; the margin is each search's own
  DetectWorkspace detection;
  std::vector<Collider> colliders;
  std::vector<std::uint32_t> materials;  // per collider
  std::vector<IgnoredPair> ignored;
  ContactSet contacts;
  ContactCallback callback;              // of the program, if any
  std::vector<ContactLaw> laws;          // per contact, where there is a callback
  std::vector<ContactLaw> changed_laws;  // scratch
  ProposedContact proposed;              // scratch
  std::size_t reused = 0;                // pairs whose contact was
  std::vector<std::int32_t> matches;     // per contact, index into the contact cache or -1
  std::vector<GraphEdge> edges;          // per contact, then per joint, then per term of a coupling
  Islands islands;
};

/// Rows: what build_rows writes, island after island, and what solve_islands makes of it.
struct RowWorkspace {
  std::vector<Row> rows;
  std::vector<double> impulses;                 // per row
  std::vector<std::uint32_t> row_start;         // per island, and one past the last
  std::vector<ContactPointRows> point_rows;     // in the order of the rows
  std::vector<std::uint32_t> point_rows_start;  // per island, and one past the last
  std::vector<JointRows> joint_rows;            // in the order of the rows
  std::vector<std::uint32_t> joint_rows_start;  // per island, and one past the last
  std::vector<CouplingRows> coupling_rows;      // likewise
  std::vector<std::uint32_t> coupling_rows_start;
  std::vector<SolveReport> solves;      // per island
  std::vector<BodyVelocity> given;      // per body: what the impulses of its island changed, where requested
  std::deque<SolverWorkspace> solving;  // per thread; they cannot be moved
};

struct CorrectionWorkspace {
  std::vector<Row> correction_rows;
  std::vector<double> correction_impulses;  // per row
  std::vector<BodyVelocity> corrections;    // per body: displacement [m] and rotation [rad]
};

/// Impacts of what touches at one frozen instant.
struct TouchWorkspace {
  ImpactWorkspace impact;
  std::vector<double> restitution;       // per row
  std::vector<BodyVelocity> before;      // per body
  std::vector<BodyVelocity> plastic;     // per body: velocities after an impact without restitution
  std::vector<double> plastic_impulses;  // per row
};

struct ReboundWorkspace {
  struct Point {
    const ContactPointRows* where = nullptr;
    std::size_t row = 0;  // its normal row
    bool has_friction = false;
    double restitution = 0;  // of the impulse of compression
  };
  std::vector<Row> rows;
  std::vector<double> impulses;  // per row
  std::vector<Point> points;
  PoseSnapshot start;                 // before the motion of the step
  std::vector<BodyVelocity> free;     // per body: u*, before the impulses of the step
  std::vector<std::uint32_t> bodies;  // movable ones of the island, each once
};

/// What the World is to remember of the step, until the exchange.
struct MemoryWorkspace {
  std::vector<std::uint8_t> touched;  // per contact
  std::vector<ContactTally> tallies;  // per block of contacts
  ContactCache next_cache;
  ContactCache former_cache;      // what the World remembered before the first exchange of the step
  ManifoldMemory next_manifolds;  // of the contacts that are reused; after the exchange the former ones
  int cache_exchanges = 0;        // of this step with the World
  int manifold_exchanges = 0;
};

/// What a step leaves for its readers.
struct StepResult {
  std::vector<ContactRecord> records;  // contact points with their impulses
  std::vector<double> point_approach;  // [m/s] per contact point, where the method has rows of them; else empty
  std::vector<JointLoad> joint_loads;  // per joint
};

/// The memory of the shared stages. A stage that needs but one part takes that part.
struct StepWorkspace : Execution,
                       BodyWorkspace,
                       ContactWorkspace,
                       RowWorkspace,
                       CorrectionWorkspace,
                       MemoryWorkspace,
                       StepResult {
  std::vector<std::uint32_t> woken;          // sleepers that something disturbed
  std::vector<std::uint32_t> rows_of_point;  // per contact point, index of its normal row
  TouchWorkspace touch;
  ReboundWorkspace rebound;
};

}  // namespace achilles
