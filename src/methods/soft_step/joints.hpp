// Joints of soft-step, in the scheme of its contacts: rows in single precision, in SIMD batches of joints of one
// colour, which share no dynamic body; swept once with and once without bias per substep, position errors read from the
// small displacements since the beginning of the step.
//
// With c the error of a row, w = J u its rate and h the substep:
//
//   rotor    w + λ/I = s, its speed, which falls by λ/I per substep. Rotors are solved together with the rigid rows,
//            so that any other impulse at the joint moves links and rotors. What the sweeps leave between s and w at
//            the end of the step is kept as the impulse I (s − w): a rotor that took over the rate of its links instead
//            would gain or lose energy
//   rigid    w = −rate c with the softness of a damped spring [Catto11, p. 43]; without bias w = 0. All rigid rows of a
//            joint are solved at once: with long arms they are nearly parallel, and sweeping them one by one converges
//            slowly
//   limit    c ≥ 0: λ ≥ 0, w ≥ −c/h; crossed: pushed back like a rigid row
//   plain    w + softness λ = target − reads (c − c₀)/h, lower ≤ λ ≤ upper: motors, friction, springs, compliant
//            joints, and drives, whose target changes by `follows` per substep
#pragma once

#include "graph/coloring.hpp"
#include "methods/soft_step/contact_batches.hpp"
#include "methods/soft_step/soft_couplings.hpp"
#include "stepping/implicit_positions.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace achilles {

class World;
struct BodyWorkspace;

struct SoftJointRow {
  enum class Kind : std::uint8_t { kRotor, kRigid, kLimit, kPlain };
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
  std::uint8_t slot;  // in JointState::impulses
};

struct SoftJoint {
  std::uint32_t joint = 0;              // of the World
  std::int32_t slot_a = 0, slot_b = 0;  // of the bodies
  float arm_a[3] = {}, arm_b[3] = {};   // [m] of the anchors
  std::uint32_t first = 0, count = 0;   // rows
  std::uint32_t rotors = 0, rigid = 0;  // rows solved together: the first ones

  [[nodiscard]] std::uint32_t held() const { return rotors + rigid; }
};

/// Joints of at least one dynamic body, in the order of the World, and their rows.
struct SoftJoints {
  std::vector<SoftJoint> joints;
  std::vector<SoftJointRow> rows;
};

inline constexpr std::size_t kRigidRows = 6, kRotorRows = 2, kHeldRows = kRotorRows + kRigidRows;

/// Eight joints. Rows that a joint does not have are zero: they never get an impulse.
struct alignas(32) JointBatch {
  std::int32_t slot_a[kLanes];  // of the bodies; 0 in SIMD lanes without a joint
  std::int32_t slot_b[kLanes];
  BatchFloats arm_a[3], arm_b[3];                          // [m] of the anchors, at the beginning of the step
  BatchFloats inverse_mass_a[3], inverse_mass_b[3];        // [1/kg] per axis
  BatchFloats inverse_inertia_a[6], inverse_inertia_b[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  // L D Lᵀ of J M⁻¹ Jᵀ + softness for the rotors and rigid rows: L below the diagonal, 1/D on it
  BatchFloats factor[kHeldRows * (kHeldRows + 1) / 2];
  std::uint32_t first = 0, rotors = 0, rigid = 0, count = 0;  // rows, of which the first ones are solved together
  std::uint32_t unused[4];

  [[nodiscard]] std::uint32_t held() const { return rotors + rigid; }
};

/// One row of each of eight joints.
struct alignas(32) JointRowBatch {
  BatchFloats linear_a[3], angular_a[3], linear_b[3], angular_b[3];  // J
  BatchFloats turn_a[3], turn_b[3];                                  // angular part of M⁻¹ Jᵀ
  BatchFloats mass;                                                  // effective, rotors and rigid rows held
  BatchFloats error, target, reads, softness, lower, upper;
  BatchFloats impulse;                    // of a substep
  BatchFloats total;                      // of the step
  BatchFloats is_point, is_limit, plain;  // 1 or 0
  BatchFloats follows;                    // change of the target per substep
};

struct JointBatches {
  HugeVector<JointBatch> joints;
  HugeVector<JointRowBatch> rows;
  std::vector<std::int32_t> joint_at;  // per SIMD lane: index into SoftJoints::joints, or -1
  std::vector<std::uint32_t> lane_of;  // per joint of SoftJoints: index into joint_at
  std::vector<std::uint32_t> start;    // of each colour's batches, of the overflow's, and one past the last

  /// Rotors, rigid rows and all rows of each joint: with the colours, what the layout was made from. While that is the
  /// same, so is the layout.
  std::vector<std::array<std::uint32_t, 3>> known_rows;
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

/// Where the rotor of an axis of a joint of the World is; nothing if there is none, or no dynamic body.
[[nodiscard]] std::optional<RotorPlace> find_rotor(const SoftJointWorkspace& joints, std::uint32_t joint,
                                                   std::size_t axis);

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
