#include "methods/lcp_fixed/options.hpp"
#include "methods/lcp_retroactive/lcp_retroactive.hpp"

namespace achilles {
namespace {

using LcpRetroactive = FunctionMethod<LcpRetroactiveOptions, RetroactiveScratch, advance_lcp_retroactive>;

OptionList<LcpRetroactiveOptions> list_options() {
  using O = LcpRetroactiveOptions;
  OptionList<O> list;
  append_lcp_fixed_options(&O::fixed, list);
  list.integer("attempts", &O::attempts, "steps tried at most before the projection corrects the rest", kCountRange)
      .boolean("force_field", &O::force_field, "added contacts count as closed at once, as in fig. 4.18");
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  LcpRetroactiveOptions options = list_options().read(request.description);
  options.fixed.solver = make_solver(request, options.fixed.solver);
  return std::make_unique<LcpRetroactive>(options);
}

}  // namespace

std::vector<MethodSpec> lcp_retroactive_specs() {
  MethodSpec spec{
      .name = "lcp-retroactive",
      .source = "Erleben, fig. 4.17",
      .summary = "adds contacts found at the end of the step and repeats",
      .solvers = list_solvers_after(LcpFixedOptions{}.solver),
      .impact_laws = {"poisson"},
      .options = list_options().infos(),
      .capabilities = row_capabilities(),
      .promises = {.energy = true, .impulses = true, .stabilization = Stabilization::kPositions, .joints = true},
      .make = make};
  spec.capabilities.anisotropic_friction = true;
  append_solver_options(LcpFixedOptions{}.solver, spec.options);
  return {spec};
}

}  // namespace achilles
