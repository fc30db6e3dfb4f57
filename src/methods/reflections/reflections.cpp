#include "methods/reflections/reflections.hpp"

#include "math/refill.hpp"
#include "methods/reflections/active_contacts.hpp"
#include "methods/reflections/flight.hpp"
#include "methods/reflections/instant_rows.hpp"
#include "motion/integrate.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/joint_check.hpp"

#include <algorithm>
#include <utility>

namespace achilles {
namespace {

/// u* = u + h M⁻¹ f, in the World and in scratch.reflections.free; forces applied for one step are kept for the flight.
void predict_velocities(World& world, double h, ReflectionsScratch& scratch) {
  ReflectionsWorkspace& local = scratch.reflections;
  copy_to(world.bodies.applied_force, local.force);
  copy_to(world.bodies.applied_torque, local.torque);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  copy_to(world.bodies.velocity, local.free);
}

void restore_velocities(World& world, const StepWorkspace& scratch) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0) world.bodies.velocity[i] = scratch.velocity_before[i];
  }
}

/// Does any contact approach that an impact must stop? Slow ones, which do not bounce, are left to the flight: what
/// presses them together is stopped there, together with its friction.
bool needs_impact(const World& world, const TouchOptions& touch, const ReflectionsScratch& scratch) {
  return std::any_of(scratch.rows_of_point.begin(), scratch.rows_of_point.end(), [&](std::uint32_t row) {
    const double approach = approach_of(scratch.rows[row], world.bodies.velocity);
    return approach > touch.rest_speed || (approach > touch.approach && scratch.touch.restitution[row] > 0);
  });
}

void resolve_step_impact(World& world, const ReflectionsOptions& options, ReflectionsScratch& scratch,
                         StepReport& report) {
  ReflectionsWorkspace& local = scratch.reflections;
  list_impact_rows(world, options.tolerance, scratch);
  std::swap(scratch.rows, local.impact_rows);
  std::swap(scratch.impulses, local.flight_impulses);
  refill(scratch.impulses, scratch.rows.size(), 0.0);
  resolve_touch_impact(world, options.impact, scratch, report);
  for (std::size_t r = 0; r < scratch.rows.size(); ++r) local.of_impact[r] += scratch.impulses[r];
  std::swap(scratch.impulses, local.flight_impulses);
  std::swap(scratch.rows, local.impact_rows);
}

void conclude_step(World& world, double h, ReflectionsScratch& scratch, StepReport& report) {
  for (std::size_t r = 0; r < scratch.rows.size(); ++r) scratch.impulses[r] += scratch.reflections.of_impact[r];
  record_touch_impulses(scratch);
  for (const ContactRecord& record : scratch.records) {
    report.external_work += measure_script_work(world.bodies, record, record.impulse);
  }
  if (!world.joints.empty()) conclude_joints(world, {world.time, h}, scratch, report);
  report.contacts = static_cast<int>(scratch.contacts.points.size());
  report.islands = static_cast<int>(scratch.islands.size());
  if (report.stopped) report.stopped->time = world.time + h;  // the step is made all the same
}

}  // namespace

StepReport advance_reflections(World& world, const ReflectionsOptions& options, ReflectionsScratch& scratch, double h) {
  StepReport report;
  const double joint_error = measure_relative_joint_error(world);
  prepare_bodies(world, {world.time, h}, scratch);
  scratch.reflections.start.take(world.bodies);
  predict_velocities(world, h, scratch);
  find_active_contacts(world, options.tolerance, h, scratch);

  const TouchOptions touch{1e-12, std::max(options.rest_speed, 2 * h * world.gravity.norm())};
  restore_velocities(world, scratch);
  build_instant_rows(world, touch, h, scratch);
  refill(scratch.reflections.of_impact, scratch.rows.size(), 0.0);
  if (!world.joints.empty()) project_on_joints(world, scratch);
  if (needs_impact(world, touch, scratch)) resolve_step_impact(world, options, scratch, report);
  fly_step(world, h, scratch, report);
  conclude_step(world, h, scratch, report);
  check_joints(world, {world.time, h}, joint_error, report);
  return report;
}

}  // namespace achilles
