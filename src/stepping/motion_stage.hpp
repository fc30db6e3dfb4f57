// The end of a fixed step: the bodies move, penetration is taken out, and what met with restitution rebounds.
#pragma once

#include "constraint/drive_target.hpp"
#include "motion/integrate.hpp"
#include "stepping/correction.hpp"
#include "stepping/overlap_release.hpp"
#include "stepping/rebound.hpp"

#include <optional>

namespace achilles {

struct MotionOptions {
  Integrator integrator = Integrator::kConserving;
  std::optional<CorrectionOptions> correction = {};  // none: only joints are closed
  double slop = 1e-4;                                // [m] gaps up to this count as touch
  OverlapRelease* release = nullptr;                 // where positions follow other velocities than the World's
};

/// Moves the bodies by the velocities of the World after a solve whose rows are in the workspace, corrects their
/// positions and resolves the rebound with the solver, and checks the joints. remember_free_motion must have been
/// called before the solve.
void move_bodies(World& world, const MotionOptions& options, const SolverOptions& solver, StepSpan step,
                 StepWorkspace& scratch, StepReport& report);

}  // namespace achilles
