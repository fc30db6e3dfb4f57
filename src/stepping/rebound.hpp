// Restitution of a fixed-step method: the bodies land, and then leave again.
#pragma once

#include "solver/solver.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

/// Copies the poses and the velocities u* that the impulses of the step act on to scratch.rebound.
void remember_free_motion(const World& world, StepWorkspace& scratch);

/// After a plastic step of length h whose rows are still in the workspace, and after its motion: Poisson's hypothesis
/// in every island with a point that met faster than the threshold. A first problem ends the compression that the
/// landing began; in a second one every normal impulse is at least e times that of compression, [Erleben04, sec. 4.12].
///
/// So a body that bounces is at the surface at the end of the step in which it meets it, with e times the speed it met
/// it with: it rises as high as it should, at most a step late. Impulses act at common points of the present pose,
/// which keeps momentum and angular momentum; with one e and no friction the velocities after are u_c + e (u_c − u*)
/// with u_c the projection of u* on what the contacts allow, which never has more energy than u*. With several e, or
/// friction, Poisson's hypothesis can bring energy: of the impulses of decompression only such a share then acts that
/// an island has no more energy than it had before the step, with the work of all other forces. remember_free_motion
/// must have been called before the solve.
void rebound(World& world, const SolverOptions& solver, double touching, double h, StepWorkspace& scratch,
             StepReport& report);

}  // namespace achilles
