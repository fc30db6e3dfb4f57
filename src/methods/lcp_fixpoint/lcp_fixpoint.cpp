#include "methods/lcp_fixpoint/lcp_fixpoint.hpp"

#include "stepping/contact_stage.hpp"
#include "stepping/motion_stage.hpp"

#include <algorithm>

namespace achilles {

StepReport advance_lcp_fixpoint(World& world, const LcpFixpointOptions& options, LcpFixpointScratch& scratch,
                                double h) {
  StepReport report;
  prepare_bodies(world, {world.time, h}, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  remember_free_motion(world, scratch);
  const ImplicitReport implicit = solve_implicit_positions(world, options.implicit, h, scratch.implicit, scratch);
  release_overlaps(world, options.implicit.solve, 1, scratch.implicit.free, h, scratch, scratch.release);
  conclude_contacts(world, options.slop, scratch, report);
  conclude_joints(world, {world.time, h}, scratch, report);
  report.residual = std::max(report.residual, implicit.change / h);
  scratch.implicit.start.restore(world.bodies);
  move_bodies(world, {.slop = options.slop, .release = &scratch.release}, options.implicit.solve.solver,
              {world.time, h}, scratch, report);
  return report;
}

}  // namespace achilles
