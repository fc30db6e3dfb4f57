// Joints of soft-step, in the scheme of its contacts: rows in single precision, on lanes (joint_lanes.hpp), swept once
// with and once without bias per substep, position errors read from the small displacements since the beginning of the
// step.
//
// With c the error of a row, w = J u its rate and h the substep:
//
//   rigid    w = −rate c with the softness of a damped spring [Catto11, p. 43]; without bias w = 0. All of a joint are
//            solved at once: where arms are long their rows are so much alike that sweeping them one by one hardly
//            helps
//   limit    c ≥ 0: λ ≥ 0, w ≥ −c/h; crossed: pushed back like a rigid row
//   plain    w + softness λ = target − reads (c − c₀)/h, lower ≤ λ ≤ upper: motors, friction, springs, compliant joints
#pragma once

#include <cstdint>
#include <vector>

namespace achilles {

class World;
struct StepWorkspace;

struct SoftJointRow {
  enum class Kind : std::uint8_t { kRigid, kLimit, kPlain };
  float linear_a[3], angular_a[3], linear_b[3], angular_b[3];  // J
  float mass;                                                  // effective, of the row alone
  float error;                                                 // c₀ [m] or [rad]
  float target, reads, softness, lower, upper;
  float impulse;  // of a substep
  float total;    // of the step
  Kind kind;
  bool is_point;  // compares the two anchors: its error is read exactly, turned arms included
  bool is_motor;
  std::uint8_t slot;  // in JointState::impulses
};

struct SoftJoint {
  std::uint32_t joint = 0;
  std::int32_t slot_a = 0, slot_b = 0;  // of the bodies
  float arm_a[3] = {}, arm_b[3] = {};   // [m] of the anchors
  std::uint32_t first = 0, count = 0;   // rows
  std::uint32_t rigid = 0;              // how many of them, the first ones, are solved together
};

struct SoftJoints {
  std::vector<SoftJoint> joints;  // those with a body that impulses move, in the order of the World
  std::vector<SoftJointRow> rows;
};

/// The joints of the step and their rows at the present pose, impulses of the last step shared by the substeps.
void list_joints(World& world, double h, int substeps, bool warm_start, StepWorkspace& scratch);

/// Hands impulses and loads back; returns the work of the motors [J].
[[nodiscard]] double conclude_joints(World& world, double h, StepWorkspace& scratch, const SoftJoints& joints);

}  // namespace achilles
