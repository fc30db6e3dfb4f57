#include "methods/anitescu/anitescu.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using Anitescu = FunctionMethod<AnitescuOptions, AnitescuScratch, advance_anitescu>;

OptionList<AnitescuOptions> list_options() {
  using O = AnitescuOptions;
  OptionList<O> list;
  list.boolean(
          "eliminate_joints", [](O& o) -> bool& { return o.solve.eliminate_joints; }, kEliminateJointsMeaning)
      .boolean("warm_start", &O::warm_start, kWarmStartMeaning)
      .number("speculative_distance", &O::speculative_distance, kSpeculativeDistanceMeaning)
      .number("reuse_distance", &O::reuse_distance, kReuseMeaning)
      .integer("attempts", &O::attempts, "solves of a step at most, each with the contacts that the one before missed",
               {1, 1000})
      .number("restitution_threshold", &O::tolerance, kThresholdMeaning)
      .word("restitution_from", &O::restitution_before, {{"before", true}, {"after", false}},
            "the velocity that a collision gives back: before its step, or after, as in fig. 1")
      .number("stabilization", &O::stabilization, "share of penetrations and joint errors a step takes out",
              kShareRange);
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  AnitescuOptions options = list_options().read(request.description);
  options.solve.solver = make_solver(request, options.solve.solver);
  return std::make_unique<Anitescu>(options);
}

}  // namespace

std::vector<MethodSpec> anitescu_specs() {
  MethodSpec spec{
      .name = "anitescu",
      .source = "Anitescu, eqs. 4.10-4.12",
      .summary = "no collision detection inside the step, constraint stabilization, restitution with O(h) error",
      .solvers = list_solvers_after(AnitescuOptions{}.solve.solver),
      .impact_laws = {"newton"},
      .options = list_options().infos(),
      .capabilities = row_capabilities(),
      .promises = {.energy = true, .impulses = true, .stabilization = Stabilization::kVelocities, .joints = true},
      .make = make};
  spec.capabilities.anisotropic_friction = true;
  append_solver_options(AnitescuOptions{}.solve.solver, spec.options);
  return {spec};
}

}  // namespace achilles
