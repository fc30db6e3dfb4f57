#include "methods/shared_options.hpp"
#include "motion/free_rotation.hpp"
#include "stepping/contact_stage.hpp"

namespace achilles {
namespace {

struct ExplicitEulerOptions {
  double drag = 0;  // [1/s]
};

/// s⁺ = s + h u,  u⁺ = u + h (M⁻¹ f − c u): positions follow the velocities before the step.
StepReport advance_explicit_euler(World& world, const ExplicitEulerOptions& options, StepWorkspace& scratch, double h) {
  prepare_bodies(world, {world.time, h}, scratch);
  BodyArrays& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    BodyVelocity& u = bodies.velocity[i];
    bodies.position[i] += h * u.linear;
    bodies.orientation[i] = (finite_rotation(h * u.angular) * bodies.orientation[i]).normalized();
    u.linear += h * (world.gravity + bodies.constant_force[i] / bodies.mass[i] - options.drag * u.linear);
  }
  return {};
}

OptionList<ExplicitEulerOptions> list_options() {
  OptionList<ExplicitEulerOptions> list;
  list.number("drag", &ExplicitEulerOptions::drag, "rate at which velocities decay [1/s]");
  return list;
}

}  // namespace

std::vector<MethodSpec> explicit_euler_specs() {
  return {{.name = "explicit-euler",
           .source = "Euler 1768",
           .summary = "an example: contacts are ignored",
           .options = list_options().infos(),
           .make = [](const MethodRequest& request) -> std::unique_ptr<Method> {
             using ExplicitEuler = FunctionMethod<ExplicitEulerOptions, StepWorkspace, advance_explicit_euler>;
             return std::make_unique<ExplicitEuler>(list_options().read(request.description));
           }}};
}

}  // namespace achilles
