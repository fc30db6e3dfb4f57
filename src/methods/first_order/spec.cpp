#include "methods/first_order/first_order.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using FirstOrder = FunctionMethod<FirstOrderOptions, StepWorkspace, advance_first_order>;

OptionList<FirstOrderOptions> list_options() {
  using O = FirstOrderOptions;
  OptionList<O> list;
  list.boolean(
          "eliminate_joints", [](O& o) -> bool& { return o.solve.eliminate_joints; }, kEliminateJointsMeaning)
      .number("speculative_distance", &O::speculative_distance, kSpeculativeDistanceMeaning)
      .number("correction", &O::correction, "share of penetrations and joint errors a step takes out", kShareRange);
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  FirstOrderOptions options = list_options().read(request.description);
  options.solve.solver = make_solver(request, options.solve.solver);
  return std::make_unique<FirstOrder>(options);
}

}  // namespace

std::vector<MethodSpec> first_order_specs() {
  MethodSpec spec{.name = kFirstOrderName,
                  .source = "Erleben, sec. 4.16",
                  .summary = "Aristotle's world: positioning and penetration removal",
                  .solvers = list_solvers_after(FirstOrderOptions{}.solve.solver),
                  .options = list_options().infos(),
                  .capabilities = {.joints = true, .joint_limits = true, .scripts = true, .rotation_rules = true},
                  .promises = {.momentum = false, .angular = false, .inertia = false, .joints = true},
                  .make = make};
  append_solver_options(FirstOrderOptions{}.solve.solver, spec.options);
  return {spec};
}

}  // namespace achilles
