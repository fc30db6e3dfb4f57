// The solve of a fixed-step method: all islands, in parallel, with one choice of solver.
#pragma once

#include "solver/solver.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct IslandSolveOptions {
  // Sweeps of Gauss-Seidel with conjugate directions: a stack of ten boxes is at rest to 1e-9 m/s in a dozen of them.
  SolverOptions solver = NonsmoothCgOptions{.iterations = 100};
  bool eliminate_joints = true;  // equalities of joints are fulfilled exactly; the solver sees the other rows.
                                 // Islands with couplings have theirs eliminated in any case
};

/// Solves the rows of every island on the velocities of the World, which come out as u* + M⁻¹ Jᵀ λ; what each solve
/// reports is in scratch.solves. Few sweeps do not hold a mechanism together: arms far longer than the bodies are wide
/// make its rows nearly parallel. Impulses never bring energy beyond the work of the targets: where a solve ends early
/// they are scaled down until they do not.
void solve_islands(World& world, const IslandSolveOptions& options, StepWorkspace& scratch);

/// The same for one island.
void solve_island(World& world, const IslandSolveOptions& options, StepWorkspace& scratch, std::size_t island);

}  // namespace achilles
