#include "methods/lcp_fixed/lcp_fixed.hpp"

#include "stepping/contact_stage.hpp"
#include "stepping/joint_stiffness.hpp"
#include "stepping/motion_stage.hpp"
#include "stepping/solve_stage.hpp"

namespace achilles {
namespace {

/// One step, or one part of it; with contacts that are `carried` along from the part before.
StepReport advance_part(World& world, const LcpFixedOptions& options, LcpFixedWorkspace& scratch, StepSpan step,
                        bool carried) {
  const double h = step.h;
  StepReport report;
  const TouchSearch search{options.speculative_distance, options.slop, h};
  scratch.collide = options.collide;
  prepare_bodies(world, step, scratch);
  damp_velocities(world, options.speed_ups.damping, h);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  limit_geometric_stiffness(world, h, scratch);
  remember_free_motion(world, scratch);
  if (carried) {
    carry_contacts(world, scratch);
  } else {
    find_contacts_with_reuse(world, options.speculative_distance, h, options.reuse_distance, scratch);
    simplify_contacts(world, options.speed_ups, options.slop, scratch);
  }
  build_rows(world, step.start, {h, options.restitution_threshold, options.slop, options.speculative_distance},
             options.warm_start, scratch);
  zero_restitution(world, options.speed_ups, options.sleeping, scratch);
  solve_islands(world, {options.solver, options.eliminate_joints}, scratch);
  if (options.substeps.demand != Demand::kEager && !carried) fix_points_to_bodies(world, scratch);
  conclude_contacts(world, options.slop, scratch, report);
  conclude_joints(world, step, scratch, report);
  const CorrectionOptions correction{options.correction, options.slop, options.correction_iterations};
  move_bodies(world, {options.integrator, correction, options.slop}, options.solver, step, scratch, report);
  put_to_sleep(world, options.sleeping, search, scratch);
  return report;
}

}  // namespace

StepReport advance_lcp_fixed(World& world, const LcpFixedOptions& options, LcpFixedWorkspace& scratch, double h) {
  const DemandOptions& substeps = options.substeps;
  if (substeps.count == 1) return advance_part(world, options, scratch, {world.time, h}, false);
  StepSpan part{world.time, h / substeps.count};
  StepReport report;
  scratch.collected.clear();
  for (int k = 0; k < substeps.count && !report.stopped; ++k) {
    const bool again = k == 0 || substeps.demand == Demand::kEager;
    const bool repeats = k > 1 && substeps.demand == Demand::kLazy;
    collect_part(
        repeats ? repeat_forces(world, options, scratch, part) : advance_part(world, options, scratch, part, !again),
        report, scratch);
    part.start += part.h;
  }
  std::swap(scratch.records, scratch.collected);
  return report;
}

}  // namespace achilles
