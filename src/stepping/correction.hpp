// Error correction by projection in the first-order world, [Erleben04, sec. 4.16]: positions are moved until contacts
// and joints fit, as if the bodies had no velocity and forces caused velocities instead of accelerations.
#pragma once

#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <span>

namespace achilles {

struct CorrectionOptions {
  double share = 0.2;  // of the penetration beyond the slop that is taken out; joints are corrected whole
  double slop = 1e-4;  // [m] penetration that is left alone
  int sweeps = 10;     // of Gauss-Seidel over contacts and limits
};

/// Moves the bodies after a step of length h whose rows are still in the workspace: contacts by the gap that their rows
/// leave, joints by the error they have. Velocities are not touched. Equalities of joints are eliminated, so that they
/// hold whatever the sweeps leave; Newton's method on them alone follows until no joint is off by more than a
/// thousandth of the slop, in a few rounds.
void correct_positions(World& world, const CorrectionOptions& options, double h, StepWorkspace& scratch);

/// Newton's method on the equalities and limits of joints alone, until none is off by more than the tolerance [m],
/// [rad]. The rows of the step must still be in the workspace. Velocities are not touched.
void close_joints(World& world, double tolerance, StepWorkspace& scratch);

/// Moves the movable bodies by displacements [m] and rotations [rad]; those without one keep their bits.
void displace_bodies(World& world, std::span<const BodyVelocity> displacement, std::span<const std::uint8_t> movable);

}  // namespace achilles
