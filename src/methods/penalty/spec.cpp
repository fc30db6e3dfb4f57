#include "methods/penalty/penalty.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using Penalty = FunctionMethod<PenaltyOptions, PenaltyScratch, advance_penalty>;

OptionList<PenaltyOptions> list_options() {
  using O = PenaltyOptions;
  OptionList<O> list;
  list.number("contact_time", &O::contact_time,
              "how long a collision lasts where the material has no stiffness [s]; less where the weight of a body "
              "would press "
              "it in by more than 0.5 % of its radius",
              {1e-9, kUnbounded})
      .number("accuracy", &O::accuracy, "substeps are this share of the longest stable one", {1e-6, 1})
      .integer("max_substeps", &O::max_substeps, "a step that needs more is refused", {1, 1e9});
  return list;
}

}  // namespace

std::vector<MethodSpec> penalty_specs() {
  return {
      {.name = "penalty",
       .source = "Erleben, sec. 2.4.2",
       .summary = "spring-damper contacts, stable step chosen or refused with a reason",
       .options = list_options().infos(),
       .capabilities =
           {.friction = true, .restitution = true, .compliant_contact = true, .scripts = true, .rotation_rules = true},
       .promises = {.give = 0.05},  // springs
       .make = [](const MethodRequest& request) -> std::unique_ptr<Method> {
         return std::make_unique<Penalty>(list_options().read(request.description));
       }}};
}

}  // namespace achilles
