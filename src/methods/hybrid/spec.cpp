#include "methods/hybrid/hybrid_step.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using Hybrid = FunctionMethod<HybridOptions, HybridScratch, advance_hybrid>;

OptionList<HybridOptions> list_options() {
  using O = HybridOptions;
  OptionList<O> list;
  list.number("contact_tolerance", &O::tolerance, "how deep anything may come [m]", {1e-9, kUnbounded})
      .number("rest_speed", &O::rest_speed,
              "contacts that close or open more slowly rest [m/s]; at least twice what gravity adds in a step")
      .number(
          "speculative_distance", [](O& o) -> double& { return o.constraint.speculative_distance; },
          kSpeculativeDistanceMeaning)
      .boolean(
          "eliminate_joints", [](O& o) -> bool& { return o.constraint.eliminate_joints; }, kEliminateJointsMeaning)
      .integer("halvings", &O::halvings, "of the step where the constraint method would come deeper", {0, 20});
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  HybridOptions options = list_options().read(request.description);
  options.impulse.impact = make_law(request);
  // Both stay clear of the tolerance by a factor: what one leaves the other takes over.
  options.impulse.tolerance = 0.5 * options.tolerance;
  options.constraint.slop = 0.25 * options.tolerance;
  options.constraint.correction = 0.5;
  options.constraint.solver = make_solver(request, options.constraint.solver);
  return std::make_unique<Hybrid>(options);
}

}  // namespace

std::vector<MethodSpec> hybrid_specs() {
  MethodSpec spec{
      .name = "hybrid",
      .source = "Erleben, secs. 2.4.5, 5.7; Mirtich, sec. 5.2",
      .summary = "impulses for islands that fly and bounce, constraints for those that rest, stack or hang on joints",
      .solvers = list_solvers_after(HybridOptions{}.constraint.solver),
      .impact_laws = {"mirtich", "newton", "poisson"},
      .options = list_options().infos(),
      .capabilities = row_capabilities(),
      .promises = {.depth_option = "contact_tolerance",
                   .energy = true,
                   .impulses = true,
                   .stabilization = Stabilization::kPositions,
                   .joints = true},
      .make = make};
  // Islands that fly know neither: impacts are rigid, and flights turn by their own rule.
  spec.capabilities.compliant_contact = spec.capabilities.rotation_rules = false;
  spec.capabilities.continuous_collision = true;
  append_solver_options(HybridOptions{}.constraint.solver, spec.options);
  return {spec};
}

}  // namespace achilles
