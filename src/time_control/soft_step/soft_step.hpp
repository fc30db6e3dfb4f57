// soft-step: the method for large scenes. Collide once, then substeps of soft constraints on wide lanes.
//
// Per substep: velocities gain their share of the forces, impulses of the substep before are applied again, one sweep
// with soft bias pushes penetration out, positions move, one sweep without bias takes the pushing velocity back out.
// Restitution comes once, at the end [Macklin19, Catto24]. Bodies that touch nothing fly exactly, in double precision.
#pragma once

#include "time_control/sleep_stage.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct SoftStepOptions {
  int substeps = 8;
  double frequency = 120;              // [Hz] of contacts as springs; at most a fifth of the substeps' own
  double damping = 0.5;                // ratio of contacts as springs
  double push_speed = 3;               // [m/s] at which penetration is pushed out, at most
  double margin = 0.01;                // [m]
  double recycling = 1e-3;             // [m] two bodies may move against each other before contacts are sought anew
  double restitution_threshold = 0.2;  // [m/s]
  bool warm_start = true;
  SleepOptions sleeping;
};

[[nodiscard]] StepReport advance_soft_step(World& world, const SoftStepOptions& options, StepWorkspace& scratch,
                                           double h);

}  // namespace achilles
