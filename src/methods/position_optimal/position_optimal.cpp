#include "methods/position_optimal/position_optimal.hpp"

#include "math/refill.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/touch_stage.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace achilles {
namespace {

/// Velocities that lead from s to s_free in one step: of the parabola and of the free rotation.
void take_mean_velocities(World& world, StepWorkspace& scratch) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    BodyVelocity& u = world.bodies.velocity[i];
    u.linear = scratch.motion[i].velocity = 0.5 * (scratch.motion[i].velocity + u.linear);
    u.angular = scratch.motion[i].mean_spin;
  }
}

/// Contacts keep surfaces from their free way by d, and what external forces gave them on that way they do not have:
/// they meet at the speed w' of w'² = w² − 2 a d, with w at the end of the free way and a the acceleration of the
/// approach. A rebound from w would bring energy with every bounce. `drift` are the velocities that led through the
/// frame.
void rebound_from_speeds_at_touch(const World& world, std::span<const BodyVelocity> drift, double h,
                                  PositionOptimalScratch& scratch) {
  const BodyArrays& bodies = world.bodies;
  // Of both bodies' points at a contact, along the normal, [m/s].
  const auto closing = [&](const Contact& contact, const ContactPoint& point, const auto& velocity_of) {
    const auto speed = [&](std::uint32_t body) {
      if (scratch.movable[body] == 0) return 0.0;
      const BodyVelocity u = velocity_of(body);
      return point.normal.dot(u.linear + u.angular.cross(point.position - bodies.position[body]));
    };
    return speed(contact.body_a) - speed(contact.body_b);
  };
  for (const Contact& contact : scratch.contacts.contacts) {
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const ContactPoint& point = scratch.contacts.points[p];
      const std::uint32_t row = scratch.rows_of_point[p];
      const double approach = approach_of(scratch.rows[row], bodies.velocity);
      if (!(approach > 0)) continue;
      const double kept =
          h * closing(contact, point, [&](std::uint32_t body) {
            const FreeMotion& free = scratch.motion[body];
            return BodyVelocity{free.velocity - drift[body].linear, free.mean_spin - drift[body].angular};
          });
      const double gain = closing(contact, point, [&](std::uint32_t body) {
        const BodyVelocity &end = bodies.velocity[body], &before = scratch.velocity_before[body];
        return BodyVelocity{end.linear - before.linear, end.angular - before.angular};
      });
      const double at_touch = std::sqrt(std::max(0.0, approach * approach - 2 * gain / h * kept));
      scratch.touch.restitution[row] *= std::min(1.0, at_touch / approach);
    }
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

StepReport advance_position_optimal(World& world, const PositionOptimalOptions& options,
                                    PositionOptimalScratch& scratch, double h) {
  StepReport report;
  prepare_bodies(world, {world.time, h}, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  copy_to(world.bodies.velocity, scratch.end);
  take_mean_velocities(world, scratch);
  const ImplicitReport implicit = solve_implicit_positions(world, options.implicit, h, scratch.implicit, scratch);
  conclude_contacts(world, options.touching, scratch, report);
  report.residual = std::max(report.residual, implicit.change / h);
  scratch.implicit.start.restore(world.bodies);
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  scratch.mark("positions");

  std::swap(scratch.end, world.bodies.velocity);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
  }
  find_contacts(world, options.touching, 0, scratch);
  const TouchOptions touch{1e-12, std::max(options.implicit.restitution_threshold, 2 * h * world.gravity.norm())};
  build_touch_rows(world, touch, scratch);
  rebound_from_speeds_at_touch(world, scratch.end, h, scratch);
  if (has_approach(world, touch, true, scratch)) resolve_touch_impact(world, options.impact, scratch, report);
  if (has_approach(world, touch, false, scratch)) stop_approach(world, options, scratch, report);
  if (report.stopped) report.stopped->time = world.time + h;  // the step is made all the same
  return report;
}

}  // namespace achilles
