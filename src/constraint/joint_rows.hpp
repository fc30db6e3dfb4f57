// Rows of joints, their limits, motors, friction and springs, [Erleben04, secs. 4.9-4.11, 4.13].
//
// Along a free axis with position φ, rate w = J u and step h:
//
//   limits    w ≥ −(φ − lower)/h, λ ≥ 0, and the same from above: the step may reach the limit but not cross it
//   motor     w = speed, or the speed that leads to the position, with |λ| ≤ h max
//   friction  w = 0 with |λ| ≤ h friction
//   spring    λ/h = −k (φ + h w − rest) − d w, so softness 1/(h (h k + d)) and target −k (φ − rest)/(h k + d)
//
// A compliant joint is a spring without damping across its equalities. Errors of rigid joints are not corrected by
// these rows: stabilize_joint_rows and append_joint_corrections are for that.
#pragma once

#include "constraint/row.hpp"

#include <achilles/world.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// Where the rows of a joint stand.
struct JointRows {
  std::uint32_t joint = 0;
  std::uint32_t first = 0;  // counted from the first row of the group
  std::uint32_t count = 0;
  std::array<std::uint8_t, JointState::kSlots> slot{};  // of each row, in JointState::impulses
};

/// Appends the rows of a joint and their warm-start impulses, and keeps the joint's positions in its state. `free` are
/// the velocities after the external forces of the step, by which limits far away are left out.
[[nodiscard]] JointRows append_joint_rows(World& world, std::uint32_t joint,
                                          std::span<const BodyInverseMass> inverse_mass,
                                          std::span<const BodyVelocity> free, double h, std::size_t group_start,
                                          std::vector<Row>& rows, std::vector<double>& impulses);

/// Speed at which a motor goes to its position over a step h: at once where that is near, else as fast as half of its
/// strength, `acceleration`, can still brake within the way that is left, v²/(2 a) + v h/2.
[[nodiscard]] double choose_motor_speed(double way, double acceleration, double h);

/// Adds −rate · error to the targets of a joint's equalities and of limits that are exceeded, so that the step takes
/// the share h · rate of the errors out, [Anitescu04, eq. 4.11], [Erleben04, sec. 4.9]. `rate` is in [1/s]; compliant
/// equalities are left alone. The pose must be the one the rows were made in.
void stabilize_joint_rows(const World& world, const JointRows& where, double rate, std::span<Row> group_rows);

/// How much of the rate J u' must be added to the target of a row in this slot so that the position in it is read where
/// u' leads to, over a step h, in place of where the row was written: 0 for rows that read no position.
[[nodiscard]] double joint_row_reads_position(const WorldJoint& joint, std::size_t slot, double h);

/// Takes the impulses of the step into the joint's state. Returns the work its motors did [J]; `before` are the
/// velocities at the beginning of the step.
double take_joint_impulses(World& world, const JointRows& where, std::span<const Row> group_rows,
                           std::span<const double> group_impulses, std::span<const BodyVelocity> before);

/// What the joint did to its second body, from the impulses of a step of length h.
[[nodiscard]] JointLoad measure_joint_load(const World& world, const JointRows& where, std::span<const Row> group_rows,
                                           std::span<const double> group_impulses, double h);

/// Appends rows on displacements in place of velocities that take the joint's errors out of the present pose,
/// [Erleben04, sec. 4.16]. Limits that are kept have none.
void append_joint_corrections(const World& world, std::uint32_t joint, std::span<const BodyInverseMass> inverse_mass,
                              std::vector<Row>& rows);

}  // namespace achilles
