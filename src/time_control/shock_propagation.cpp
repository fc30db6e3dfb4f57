#include "time_control/shock_propagation.hpp"

#include "time_control/contact_stage.hpp"
#include "time_control/shock_correction.hpp"
#include "time_control/shock_joints.hpp"
#include "time_control/shock_patches.hpp"
#include "time_control/shock_sweeps.hpp"
#include "time_control/shock_workspace.hpp"

#include <memory>

namespace achilles {

StepReport advance_shock_propagation(World& world, const ShockPropagationOptions& options, StepWorkspace& scratch,
                                     double h) {
  StepReport report;
  if (!scratch.shock) scratch.shock = std::make_shared<ShockWorkspace>();
  const TouchSearch search{options.margin, options.slop, h};
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts_recycling(world, options.margin, h, options.recycling, scratch);
  find_layers(world, options, scratch);
  scratch.mark("layers");
  build_patches(world, options, h, scratch);
  build_joint_rows(world, h, options.warm_start, scratch);
  scratch.mark("patches");
  solve_shocks(world, options, scratch);
  scratch.mark("sweeps");
  record_patches(scratch);
  remember_contacts(world, options.slop, scratch, report);
  scratch.mark("memory and records");
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  scratch.mark("positions");
  correct_shocks(world, options, h, scratch);
  correct_joints(world, options.correction_iterations, scratch);
  scratch.mark("correction");
  rebound_shocks(world, options, scratch, report);
  conclude_joints(world, h, scratch, report);
  report.joint_error = update_joint_positions(world);
  for (const ContactRecord& record : scratch.records) {
    report.external_work += measure_script_work(world.bodies, record, record.impulse);
  }
  put_to_sleep(world, options.sleeping, search, scratch);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
