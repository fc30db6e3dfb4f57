// Scratch shared by the methods: contents mean nothing between steps, memory is kept so that a warm step allocates
// nothing.
#pragma once

#include "collision/detect.hpp"
#include "constraint/contact_rows.hpp"
#include "constraint/joint_rows.hpp"
#include "graph/groups.hpp"
#include "math/blocks.hpp"
#include "motion/integrate.hpp"
#include "solver/solver.hpp"
#include "time_control/conservative/conservative_workspace.hpp"
#include "time_control/fixed_step/fixed_step_workspace.hpp"
#include "time_control/hybrid/hybrid_workspace.hpp"
#include "time_control/impulse/impulse_workspace.hpp"
#include "time_control/soft_step/soft_workspace.hpp"

#include <achilles/profile.hpp>
#include <achilles/report.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace achilles {

struct ShockWorkspace;

struct StepWorkspace {
  BlockRunner runner;          // the threads that groups are solved on
  Profile* profile = nullptr;  // where somebody asked for one

  void mark(std::string_view stage) {
    if (profile != nullptr) profile->mark(stage);
  }

  DetectWorkspace detection;
  std::vector<Collider> colliders;
  std::vector<IgnoredPair> ignored;
  ContactSet contacts;
  std::size_t recycled = 0;           // pairs whose contact was
  std::vector<std::uint32_t> woken;   // sleepers that something disturbed
  std::vector<std::int32_t> matches;  // per contact, index into the contact cache or -1

  std::vector<BodyInverseMass> inverse_mass;  // per body
  std::vector<std::uint8_t> movable;          // per body: dynamic and awake
  std::vector<std::uint8_t> constrained;      // per body: an impulse acted on it
  std::vector<BodyVelocity> velocity_before;  // per body, u
  std::vector<FreeMotion> motion;             // per body

  std::vector<GraphEdge> edges;  // per contact, then per joint
  Groups groups;
  std::vector<Row> rows;                        // group after group
  std::vector<double> impulses;                 // per row
  std::vector<std::uint32_t> row_start;         // per group, and one past the last
  std::vector<ContactPointRows> point_rows;     // in the order of the rows
  std::vector<std::uint32_t> point_rows_start;  // per group, and one past the last
  std::vector<JointRows> joint_rows;            // in the order of the rows
  std::vector<std::uint32_t> joint_rows_start;  // per group, and one past the last
  std::vector<SolveReport> solves;              // per group
  std::deque<SolverWorkspace> solving;          // per thread; they cannot be moved

  std::vector<Row> correction_rows;
  std::vector<double> correction_impulses;
  std::vector<BodyVelocity> corrections;  // per body: displacement [m] and rotation [rad]

  ImpulseWorkspace impulse;
  ConservativeWorkspace conservative;
  HybridWorkspace hybrid;
  std::shared_ptr<ShockWorkspace> shock;  // made by the method that uses it
  FixedStepWorkspace fixed_step;
  SoftWorkspace soft;

  struct Rebound {
    struct Point {
      const ContactPointRows* where = nullptr;
      std::size_t row = 0;  // its normal row
      bool has_friction = false;
      double restitution = 0;  // of the impulse of compression
    };
    std::vector<Row> rows;
    std::vector<double> impulses;  // per row
    std::vector<Point> points;
  } rebound;

  ContactCache next_cache;        // before the step's end; after it, what the World remembered before the exchange
  ManifoldMemory next_manifolds;  // of this step's contacts, where they are recycled; likewise
  int cache_exchanges = 0;        // of this step with the World
  int manifold_exchanges = 0;
  std::vector<std::uint32_t> rows_of_point;  // per contact point, index of its normal row
  std::vector<double> point_approach;        // [m/s] per contact point, where the method has rows of them; else empty

  std::vector<JointLoad> joint_loads;  // per joint: part of the result
  std::vector<ContactRecord> records;  // contact points of the step with their impulses: part of the result
};

}  // namespace achilles
