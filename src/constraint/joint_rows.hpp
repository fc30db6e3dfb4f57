// Rows of joints, their limits, motors, friction and springs, [Erleben04, secs. 4.9-4.11, 4.13].
//
// Along a free axis with position φ, rate w = J u and step h:
//
//   limits    w ≥ −(φ − lower)/h, λ ≥ 0, and the same from above: the step may reach the limit but not cross it
//   motor     w = speed, or the speed that leads to the position, with |λ| ≤ h max
//   friction  w = 0 with |λ| ≤ h friction
//   spring    λ/h = −k (φ + h w − rest) − d w, so softness 1/(h (h k + d)) and target −k (φ − rest)/(h k + d)
//
//   drive     λ/h = k (r⁺ − φ − h w) + d (ṙ − w) with |λ/h| ≤ max, so softness 1/(h (h k + d)) and target
//             (k (r⁺ − φ) + d ṙ)/(h k + d); r⁺ is the target at the end of the step, ṙ its mean rate over it. A drive
//             to a speed has k = 0 and ṙ⁺ for ṙ; a force is a row with λ = h force
//   armature  λ = −I (w − w⁻), w⁻ the rate before the step, so softness 1/I and target w⁻
//
// All are implicit in the velocity and, where they read it, the position: stable for any gain. A compliant joint is a
// spring across its equalities. Errors of rigid joints are not corrected by
// these rows: stabilize_joint_rows and append_joint_corrections are for that.
#pragma once

#include "constraint/joint_pose.hpp"
#include "constraint/row.hpp"

#include <achilles/world.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// What the rows of a joint are made from, besides the World.
struct JointRowInput {
  std::span<const BodyInverseMass> inverse_mass;
  std::span<const BodyVelocity> before;  // at the beginning of the step
  std::span<const BodyVelocity> free;    // after the external forces of the step: limits far away are left out by them
  double start = 0;                      // [s] time at which the step begins
  double h = 0;                          // [s]
};

/// Where the rows of a joint stand.
struct JointRows {
  std::uint32_t joint = 0;
  std::uint32_t first = 0;  // counted from the first row of the island
  std::uint32_t count = 0;
  std::array<std::uint8_t, JointState::kSlots> slot{};  // of each row, in JointState::impulses
};

/// Appends the rows of a joint and their warm-start impulses, and keeps the joint's positions in its state.
[[nodiscard]] JointRows append_joint_rows(World& world, std::uint32_t joint, const JointRowInput& input,
                                          std::size_t island_start, std::vector<Row>& rows,
                                          std::vector<double>& impulses);

/// The row of a rotor along a free axis: see above. `u` are the velocities that its rate is kept from.
[[nodiscard]] Row make_armature_row(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose,
                                    std::size_t axis, std::span<const BodyInverseMass> inverse_mass,
                                    std::span<const BodyVelocity> u);

/// Speed at which a motor goes to its position over a step h: at once where that is near, else as fast as half of its
/// strength, `acceleration`, can still brake within the way that is left, v²/(2 a) + v h/2.
[[nodiscard]] double choose_motor_speed(double way, double acceleration, double h);

/// Adds −rate · error to the targets of a joint's equalities and of limits that are exceeded, so that the step takes
/// the share h · rate of the errors out, [Anitescu04, eq. 4.11], [Erleben04, sec. 4.9]. `rate` is in [1/s]; compliant
/// equalities are left alone. The pose must be the one the rows were made in.
void stabilize_joint_rows(const World& world, const JointRows& where, double rate, std::span<Row> island_rows);

/// How much of the rate J u' must be added to the target of a row in this slot so that the position in it is read where
/// u' leads to, over a step h, in place of where the row was written: 0 for rows that read no position.
[[nodiscard]] double joint_row_reads_position(const WorldJoint& joint, std::size_t slot, const Row& row, double h);

/// Takes the impulses of the step into the joint's state. Returns the work its motors and drives did [J]; `before` are
/// the velocities at the beginning of the step.
double take_joint_impulses(World& world, const JointRows& where, std::span<const Row> island_rows,
                           std::span<const double> island_impulses, std::span<const BodyVelocity> before);

/// What the joint did to its second body, from the impulses of a step of length h.
[[nodiscard]] JointLoad measure_joint_load(const World& world, const JointRows& where, std::span<const Row> island_rows,
                                           std::span<const double> island_impulses, double h);

/// Force of the joint on its second body, from the impulses of the last step taken over a step h, in the present pose.
[[nodiscard]] Vec3 measure_joint_force(const World& world, std::uint32_t joint, const JointPose& pose, double h);

/// Appends rows on displacements in place of velocities that take the joint's errors out of the present pose,
/// [Erleben04, sec. 4.16]. Limits that are kept have none.
void append_joint_corrections(const World& world, std::uint32_t joint, std::span<const BodyInverseMass> inverse_mass,
                              std::vector<Row>& rows);

}  // namespace achilles
