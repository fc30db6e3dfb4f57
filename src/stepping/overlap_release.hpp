// Velocities that take penetrations out of a step, and what of them stays after it.
#pragma once

#include "stepping/solve_stage.hpp"

#include <span>
#include <vector>

namespace achilles {

/// Memory of release_overlaps, and its result.
struct OverlapRelease {
  /// Per body: the velocity that leads through the step; empty where it is the World's for all.
  std::vector<BodyVelocity> drift;
  std::vector<std::uint32_t> bodies;  // whose velocities differ from it, ascending
};

/// Where a solve has taken penetrations out by velocity, targets of −share·Φ/h with Φ < 0, and contacts have done
/// positive work by it, ½ Σ λ·J(u* + u⁺) > 0, the island is solved again from u*, the velocities `free`, without these
/// targets. The positions still follow the first velocities; the second ones, whose contacts take energy only, stay in
/// the World, with their impulses. A scene that begins with bodies inside each other thus parts them without throwing
/// them, as a projection of positions would; penetrations that a step of second order left do not give rise to it,
/// since a load presses on them.
void release_overlaps(World& world, const IslandSolveOptions& options, double share, std::span<const BodyVelocity> free,
                      double h, StepWorkspace& scratch, OverlapRelease& release);

/// Moves the bodies by the velocities that lead through the step.
void follow_drift(World& world, double h, Integrator integrator, StepWorkspace& scratch, OverlapRelease& release);

}  // namespace achilles
