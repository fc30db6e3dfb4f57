// Joints of soft-step, in the scheme of its contacts: rows in single precision, in SIMD batches of joints of one
// colour, which share no dynamic body; swept once with and once without bias per substep, position errors read from the
// small displacements since the beginning of the step.
//
// With c the error of a row, w = J u its rate and h the substep:
//
//   rigid    w = −rate c with the softness of a damped spring [Catto11, p. 43]; without bias w = 0. All rigid rows of a
//            joint are solved at once: with long arms they are nearly parallel, and sweeping them one by one converges
//            slowly
//   limit    c ≥ 0: λ ≥ 0, w ≥ −c/h; crossed: pushed back like a rigid row
//   plain    w + softness λ = target − reads (c − c₀)/h, lower ≤ λ ≤ upper: motors, friction, springs, compliant
//   joints,
//            drives, whose target changes by `follows` per substep, and rotors, whose target is their speed and falls
//            by softness λ per substep
#pragma once

#include "graph/coloring.hpp"
#include "methods/soft_step/contact_batches.hpp"
#include "methods/soft_step/soft_couplings.hpp"
#include "stepping/implicit_positions.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace achilles {

class World;
struct BodyWorkspace;

struct SoftJointRow {
  enum class Kind : std::uint8_t { kRigid, kLimit, kPlain };
  float linear_a[3], angular_a[3], linear_b[3], angular_b[3];  // J
  float mass;                                                  // effective, of the row alone
  float error;                                                 // c₀ [m] or [rad]
  float target, reads, softness, lower, upper;
  float follows;  // change of the target per substep
  float impulse;  // of a substep
  float total;    // of the step
  Kind kind;
  bool is_point;  // compares the two anchors: its error is read exactly, turned arms included
  bool is_motor;
  bool is_rotor;
  std::uint8_t slot;  // in JointState::impulses
};

struct SoftJoint {
  std::uint32_t joint = 0;              // of the World
  std::int32_t slot_a = 0, slot_b = 0;  // of the bodies
  float arm_a[3] = {}, arm_b[3] = {};   // [m] of the anchors
  std::uint32_t first = 0, count = 0;   // rows
  std::uint32_t rigid = 0;              // rows solved together: the first ones
};

/// Joints of at least one dynamic body, in the order of the World, and their rows.
struct SoftJoints {
  std::vector<SoftJoint> joints;
  std::vector<SoftJointRow> rows;
};

inline constexpr std::size_t kRigidRows = 6;

/// Eight joints. Rows that a joint does not have are zero: they never get an impulse.
struct alignas(32) JointBatch {
  std::int32_t slot_a[kLanes];  // of the bodies; 0 in SIMD lanes without a joint
  std::int32_t slot_b[kLanes];
  BatchFloats arm_a[3], arm_b[3];                          // [m] of the anchors, at the beginning of the step
  BatchFloats inverse_mass_a[3], inverse_mass_b[3];        // [1/kg] per axis
  BatchFloats inverse_inertia_a[6], inverse_inertia_b[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  BatchFloats factor[kRigidRows * (kRigidRows + 1) /
                     2];  // L D Lᵀ of J M⁻¹ Jᵀ for the rigid rows: L below the diagonal, 1/D on it
  std::uint32_t first = 0, rigid = 0, count = 0;  // rows, of which the first ones are solved together
  std::uint32_t unused[5];
};

/// One row of each of eight joints.
struct alignas(32) JointRowBatch {
  BatchFloats linear_a[3], angular_a[3], linear_b[3], angular_b[3];  // J
  BatchFloats turn_a[3], turn_b[3];                                  // angular part of M⁻¹ Jᵀ
  BatchFloats mass;                                                  // effective, the rigid rows held
  BatchFloats error, target, reads, softness, lower, upper;
  BatchFloats impulse;                    // of a substep
  BatchFloats total;                      // of the step
  BatchFloats is_point, is_limit, plain;  // 1 or 0
  BatchFloats follows;                    // change of the target per substep
  BatchFloats is_rotor;                   // 1 or 0
};

struct JointBatches {
  HugeVector<JointBatch> joints;
  HugeVector<JointRowBatch> rows;
  std::vector<std::int32_t> joint_at;  // per SIMD lane: index into SoftJoints::joints, or -1
  std::vector<std::uint32_t> start;    // of each colour's batches, of the overflow's, and one past the last

  /// Rigid rows and all rows of each joint: with the colours, what the layout was made from. While that is the same, so
  /// is the layout.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known_rows;
  bool known = false;  // the layout was completed
};

struct SoftJointWorkspace {
  SoftJoints list;
  JointBatches batches;
  std::vector<GraphEdge> edges;  // per joint of the list
  Coloring coloring;
  ImplicitWorkspace estimate;  // of the impulses of a first step
  SoftCouplings couplings;
};

struct SoftJointSweep {
  float inverse_h = 0;  // [1/s] of the substep
  bool biased = true;   // false: relax, and add the impulses to the totals
  Softness softness;
};

struct SoftJointOptions {
  double h = 0;  // [s] of the step
  int substeps = 1;
  bool warm_start = true;
};

/// Lists the joints of the step and their rows at the present pose, impulses of the last step shared by the substeps;
/// colours them and lays them out in batches. `slot_of` is per body.
void list_joints(World& world, const SoftJointOptions& options, const BodyWorkspace& bodies,
                 const std::vector<std::int32_t>& slot_of, SoftJointWorkspace& joints);

/// Fills batches from the rows of their joints, and returns what conclude_joints needs.
void pack_joints(const SoftJoints& joints, BatchRange range, const SoftMass* masses, JointBatches& batches);
void unpack_joints(const JointBatches& batches, BatchRange range, SoftJoints& joints);

/// Applies the impulses kept from the previous step.
void warm_start_joints(JointBatches& batches, BatchRange range, const SoftBodies& bodies);
/// Turns the rows with the bodies, and their warm start with them: the bodies have the impulses of the previous substep
/// in their directions of that substep.
void turn_joints(JointBatches& batches, BatchRange range, const SoftBodies& bodies);
void solve_joints(JointBatches& batches, BatchRange range, const SoftBodies& bodies, const SoftJointSweep& sweep);

/// Stores impulses in the World and loads in `loads`; returns the work of the motors [J].
[[nodiscard]] double conclude_joints(World& world, double h, const std::vector<BodyVelocity>& velocity_before,
                                     const SoftJoints& joints, std::vector<JointLoad>& loads);

}  // namespace achilles
