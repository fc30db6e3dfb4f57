#include "stepping/motion_stage.hpp"

#include "stepping/joint_check.hpp"

namespace achilles {

void move_bodies(World& world, const MotionOptions& options, const SolverOptions& solver, StepSpan step,
                 StepWorkspace& scratch, StepReport& report) {
  const double h = step.h;
  const double joint_error = measure_relative_joint_error(world);
  if (options.release != nullptr) {
    follow_drift(world, h, options.integrator, scratch, *options.release);
  } else {
    integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  }
  if (options.correction) {
    correct_positions(world, *options.correction, h, scratch);
  } else {
    close_joints(world, 1e-3 * options.slop, scratch);
  }
  rebound(world, solver, options.slop, h, scratch, report);
  check_joints(world, step, joint_error, report);
}

}  // namespace achilles
