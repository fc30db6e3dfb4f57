// soft-step: the method for large scenes. Contacts are found once per step, then solved in substeps of soft constraints
// on SIMD batches.
//
// Per substep: velocities gain their share of the forces, impulses of the previous substep are applied again, one sweep
// with soft bias pushes penetration out, positions move, one sweep without bias takes the pushing velocity back out.
// Restitution comes once, at the end [Macklin19, Catto24]. Bodies that touch nothing fly exactly, in double precision.
#pragma once

#include "stepping/sleep_stage.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct SoftScratch;  // workspace.hpp

struct SoftStepOptions {
  int substeps = 8;
  double frequency = 1e6;              // [Hz] at most, of contacts as springs; never above a fifth of the substeps' own
  double damping = 0.5;                // damping ratio of contacts as springs
  double push_speed = 3;               // [m/s] at most, at which penetration is pushed out
  double speculative_distance = 0.01;  // [m] gap up to which contacts are found
  double reuse_distance = 1e-3;        // [m] relative motion of two bodies up to which their contact is reused
  double restitution_threshold = 0.2;  // [m/s]
  bool warm_start = true;
  SleepOptions sleeping{.energy = 1e-5};  // [J/kg] single precision never rests below 1e-7
};

[[nodiscard]] StepReport advance_soft_step(World& world, const SoftStepOptions& options, SoftScratch& scratch,
                                           double h);

}  // namespace achilles
