#include "methods/lcp_fixpoint/lcp_fixpoint.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using LcpFixpoint = FunctionMethod<LcpFixpointOptions, LcpFixpointScratch, advance_lcp_fixpoint>;

OptionList<LcpFixpointOptions> list_options() {
  using O = LcpFixpointOptions;
  OptionList<O> list;
  list.boolean(
          "eliminate_joints", [](O& o) -> bool& { return o.implicit.solve.eliminate_joints; }, kEliminateJointsMeaning)
      .boolean(
          "warm_start", [](O& o) -> bool& { return o.implicit.warm_start; }, kWarmStartMeaning)
      .number(
          "speculative_distance", [](O& o) -> double& { return o.implicit.speculative_distance; },
          kSpeculativeDistanceMeaning)
      .number(
          "restitution_threshold", [](O& o) -> double& { return o.implicit.restitution_threshold; }, kThresholdMeaning)
      .number("slop", &O::slop, "gaps up to this count as touch [m]")
      .integer(
          "linearizations", [](O& o) -> int& { return o.implicit.rounds; },
          "at most, each at the pose that the last one led to", kCountRange)
      .number(
          "fix_tolerance", [](O& o) -> double& { return o.implicit.tolerance; },
          "change of pose that ends the rounds [m], [rad]");
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  LcpFixpointOptions options = list_options().read(request.description);
  options.implicit.solve.solver = make_solver(request, options.implicit.solve.solver);
  return std::make_unique<LcpFixpoint>(options);
}

}  // namespace

std::vector<MethodSpec> lcp_fixpoint_specs() {
  MethodSpec spec{.name = "lcp-fixpoint",
                  .source = "Erleben, fig. 4.22",
                  .summary = "implicit positions by fix-point iteration",
                  .solvers = list_solvers_after(LcpFixpointOptions{}.implicit.solve.solver),
                  .impact_laws = {"poisson"},
                  .options = list_options().infos(),
                  .capabilities = row_capabilities(),
                  .promises = {.energy = true,
                               .free_flight = false,
                               .impulses = true,
                               .stabilization = Stabilization::kVelocities,
                               .joints = true},
                  .make = make};
  // The speed of such a motor follows from where the axis stands, which in the later rounds is the end of the step.
  spec.capabilities.position_motors = false;
  spec.capabilities.anisotropic_friction = true;
  append_solver_options(LcpFixpointOptions{}.implicit.solve.solver, spec.options);
  return {spec};
}

}  // namespace achilles
