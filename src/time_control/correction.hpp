// Error correction by projection in the first-order world, [Erleben04, sec. 4.16]: positions are moved until contacts
// and joints fit, as if the bodies had no velocity and forces caused velocities instead of accelerations.
#pragma once

#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <span>

namespace achilles {

struct CorrectionOptions {
  double share = 0.2;    // of the penetration beyond the slop that is taken out; joints are mended whole
  double slop = 1e-4;    // [m] penetration that is left alone
  int sweeps = 10;       // of Gauss-Seidel, ten times as many where a group has joints
  int exact_rows = 300;  // groups with joints and at most this many rows are solved by Newton
};

/// Moves the bodies after a step of length h whose rows are still in the workspace: contacts by the gap that their rows
/// leave, joints by the error they have. Velocities are not touched.
void correct_positions(World& world, const CorrectionOptions& options, double h, StepWorkspace& scratch);

/// Moves the movable bodies by displacements [m] and rotations [rad]; those without one keep their bits.
void displace_bodies(World& world, std::span<const BodyVelocity> displacement, std::span<const std::uint8_t> movable);

}  // namespace achilles
