// Positions at the end of a step that fulfil the constraints there, by fix-point iteration on linearizations.
#pragma once

#include "stepping/pose_snapshot.hpp"
#include "stepping/solve_stage.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct ImplicitOptions {
  IslandSolveOptions solve{.solver = NewtonOptions{}};
  bool friction = true;                 // false: only what keeps the bodies apart and joined
  bool contacts = true;                 // false: joints alone
  bool warm_start = true;               // each round from the impulses of the last step
  double speculative_distance = 0.01;   // [m] contacts are looked for up to this gap, plus what the speeds can close
  double restitution_threshold = 0.05;  // [m/s] slower approaches do not bounce
  int rounds = 20;                      // at most
  double tolerance = 1e-8;              // [m], [rad]: the rounds end when the pose changes by no more
};

struct ImplicitWorkspace {
  PoseSnapshot start;               // s
  std::vector<BodyVelocity> free;   // per body: u*
  std::vector<BodyVelocity> guess;  // per body: u', the velocity that led to the pose the rows are written in
};

struct ImplicitReport {
  int rounds = 0;
  double change = 0;  // [m], [rad] by the last round: what the fix-point is missed by
};

/// From the pose s and free velocities u* of the World, finds u with gap(s + h u) ≥ 0 and joints closed there:
///
///   s' = s;  repeat  rows at s' with gap(s') + h J(s') (u − u') ≥ 0;  s' = s + h u  until s' stays
///
/// u' being the velocity that leads to s'. Each round writes the rows where the last one ended, so normals, arms and
/// joint axes are those of the end of the step. Loaded joints turn with their bodies: their geometric stiffness is part
/// of the linearization, without which the rounds diverge for light links. Differs from [Erleben04, fig. 4.22], whose
/// first s' is s + h u: what is fast would be found beyond what it hits.
///
/// Leaves the solution in the World's velocities, the bodies in the last s', and the rows, impulses and contacts of the
/// last round in the workspace, with gaps linearized back to the beginning of the step. The pose before the step is
/// local.start.
[[nodiscard]] ImplicitReport solve_implicit_positions(World& world, const ImplicitOptions& options, double h,
                                                      ImplicitWorkspace& local, StepWorkspace& scratch);

}  // namespace achilles
