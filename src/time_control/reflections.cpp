#include "time_control/reflections.hpp"

#include "math/refill.hpp"
#include "motion/integrate.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/touch_stage.hpp"
#include "world/colliders.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// Contacts of the pose s + h u*, and the inverse masses there. The bodies are left in that pose.
void find_predicted_contacts(World& world, double tolerance, double h, StepWorkspace& scratch) {
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
  }
  find_contacts(world, tolerance, 0, scratch);
}

}  // namespace

StepReport advance_reflections(World& world, const ReflectionsOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  BodyArrays& bodies = world.bodies;
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);

  copy_to(bodies.position, scratch.impulse.position);
  copy_to(bodies.orientation, scratch.impulse.orientation);
  find_predicted_contacts(world, options.tolerance, h, scratch);
  const TouchOptions touch{1e-12, std::max(options.rest_speed, 2 * h * world.gravity.norm())};
  build_touch_rows(world, touch, scratch);
  scratch.records.clear();
  if (has_approach(world, touch, false, scratch)) resolve_touch_impact(world, options.impact, scratch, report);
  copy_to(scratch.impulse.position, bodies.position);
  copy_to(scratch.impulse.orientation, bodies.orientation);

  for (std::size_t p = 0; p < scratch.records.size(); ++p) {
    if (scratch.records[p].impulse.isZero(0)) continue;
    scratch.constrained[scratch.records[p].body_a] = 1;
    scratch.constrained[scratch.records[p].body_b] = 1;
  }
  integrate_positions(world, h, Integrator::kConserving, scratch.motion, scratch.constrained);
  report.contacts = static_cast<int>(scratch.contacts.points.size());
  report.groups = static_cast<int>(scratch.groups.size());
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
