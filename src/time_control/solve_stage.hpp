// The solve of a fixed-step method: all groups, in parallel, with one choice of solver.
#pragma once

#include "solver/solver.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct GroupSolveOptions {
  // Sweeps of Gauss-Seidel with conjugate directions: a stack of ten boxes is at rest to 1e-9 m/s in a dozen of them.
  SolverOptions solver = NonsmoothCgOptions{.iterations = 100};
  int exact_rows = 300;  // groups with joints and at most this many rows are solved by Newton
};

/// Solves the rows of every group on the velocities of the World, which come out as u* + M⁻¹ Jᵀ λ; what each solve says
/// is in scratch.solves. Few sweeps do not hold a mechanism together: arms far longer than the bodies are wide make its
/// rows nearly parallel. Small ones are solved exactly, which is also faster than sweeping them to the same residual.
void solve_groups(World& world, const GroupSolveOptions& options, StepWorkspace& scratch);

}  // namespace achilles
