#include "time_control/fixed_step/position_optimal.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/touch_stage.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// Velocities that lead from s to s_free in one step: of the parabola and of the free rotation.
void take_mean_velocities(World& world, const StepWorkspace& scratch) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    BodyVelocity& u = world.bodies.velocity[i];
    u.linear = 0.5 * (scratch.motion[i].velocity + u.linear);
    u.angular = scratch.motion[i].mean_spin;
  }
}

/// A plastic impact of all points at once: what does not bounce, and what a law that goes from point to point left.
void stop_approach(World& world, const PositionOptimalOptions& options, StepWorkspace& scratch, StepReport& report) {
  refill(scratch.impulses, scratch.rows.size(), 0.0);
  const SolveReport plastic = solve({scratch.rows, world.bodies.velocity}, options.implicit.solve.solver,
                                    scratch.solving.front(), scratch.impulses);
  report.residual = std::max(report.residual, plastic.residual);
  ++report.impacts;
  scratch.mark("solving");
}

}  // namespace

StepReport advance_position_optimal(World& world, const PositionOptimalOptions& options, StepWorkspace& scratch,
                                    double h) {
  StepReport report;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  std::vector<BodyVelocity>& end = scratch.corrections;
  copy_to(world.bodies.velocity, end);
  take_mean_velocities(world, scratch);
  const ImplicitReport implicit = solve_implicit_positions(world, options.implicit, h, scratch);
  conclude_contacts(world, options.touching, scratch, report);
  report.residual = std::max(report.residual, implicit.change / h);
  restore_poses(world, scratch);
  integrate_positions(world, h, Integrator::kSemiImplicit, scratch.motion, scratch.constrained);
  scratch.mark("positions");

  copy_to(end, world.bodies.velocity);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
  }
  find_contacts(world, options.touching, 0, scratch);
  const TouchOptions touch{1e-12, std::max(options.implicit.restitution_threshold, 2 * h * world.gravity.norm())};
  build_touch_rows(world, touch, scratch);
  if (has_approach(world, touch, true, scratch)) resolve_touch_impact(world, options.impact, scratch, report);
  if (has_approach(world, touch, false, scratch)) stop_approach(world, options, scratch, report);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
