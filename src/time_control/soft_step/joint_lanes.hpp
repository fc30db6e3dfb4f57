// Joints of soft-step, eight side by side: joints of one colour share no movable body. What is solved is written down
// in soft_joints.hpp. Rows that a joint does not have are zero: they never get an impulse.
#pragma once

#include "time_control/soft_step/contact_lanes.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace achilles {

struct SoftJoints;

inline constexpr std::size_t kRigidRows = 6;

struct alignas(32) JointLanes {
  std::int32_t slot_a[kLanes];  // of the bodies; 0 in lanes without a joint
  std::int32_t slot_b[kLanes];
  Lane arm_a[3], arm_b[3];                          // [m] of the anchors, at the beginning of the step
  Lane inverse_mass_a[3], inverse_mass_b[3];        // [1/kg] per axis
  Lane inverse_inertia_a[6], inverse_inertia_b[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  Lane factor[kRigidRows * (kRigidRows + 1) /
              2];  // L D Lᵀ of J M⁻¹ Jᵀ for the rigid rows: L below the diagonal, 1/D on it
  std::uint32_t first = 0, rigid = 0, count = 0;  // rows, of which the first ones are solved together
  std::uint32_t unused[5];
};

struct alignas(32) JointRowLanes {
  Lane linear_a[3], angular_a[3], linear_b[3], angular_b[3];  // J
  Lane turn_a[3], turn_b[3];                                  // angular part of M⁻¹ Jᵀ
  Lane mass;                                                  // effective, the rigid rows held
  Lane error, target, reads, softness, lower, upper;
  Lane impulse;                    // of a substep
  Lane total;                      // of the step
  Lane is_point, is_limit, plain;  // 1 or 0
};

struct SoftJointLanes {
  HugeVector<JointLanes> joints;
  HugeVector<JointRowLanes> rows;
  std::vector<std::int32_t> joint_at;  // per lane: index into SoftJoints::joints, or -1
  std::vector<std::uint32_t> start;    // of each colour's lanes, of the overflow's, and one past the last

  /// Rows of each joint, those solved together and all: what the lanes were laid out from, with the colours. While that
  /// is the same, so are they.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known_rows;
  bool known = false;  // all was done
};

struct SoftJointSweep {
  float inverse_h = 0;  // [1/s] of the substep
  bool biased = true;   // false: relax, and add the impulses to the totals
  Softness softness;
};

/// Fills lanes from the rows of their joints, and hands back what these need to conclude.
void pack_joints(const SoftJoints& joints, LaneRange range, const SoftMass* masses, SoftJointLanes& lanes);
void unpack_joints(const SoftJointLanes& lanes, LaneRange range, SoftJoints& joints);

/// Applies the impulses kept from the step before.
void warm_start_joints(SoftJointLanes& lanes, LaneRange range, const SoftBodies& bodies);
/// Turns the rows with the bodies, which have the impulses of the substep before as it had them.
void turn_joints(SoftJointLanes& lanes, LaneRange range, const SoftBodies& bodies);
void solve_joints(SoftJointLanes& lanes, LaneRange range, const SoftBodies& bodies, const SoftJointSweep& sweep);

}  // namespace achilles
