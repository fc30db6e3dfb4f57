#include "methods/reflections/reflections.hpp"
#include "methods/shared_options.hpp"

#include <algorithm>
#include <stdexcept>

namespace achilles {
namespace {

using Reflections = FunctionMethod<ReflectionsOptions, ReflectionsScratch, advance_reflections>;

/// With the options of the operators, whichever of them the scene chooses.
struct RequestedOptions {
  ReflectionsOptions step;
  GaussSeidelLaw operators;
};

/// Options that only the operators have.
OptionList<RequestedOptions> list_operator_options() {
  using O = RequestedOptions;
  OptionList<O> list;
  list.boolean(
          "lineality", [](O& o) -> bool& { return o.operators.options.lineality; },
          "find contacts that oppose each other and hold them shut; else they are reported")
      .word(
          "selection", [](O& o) -> Selection& { return o.operators.selection; },
          {{"lexicographic", Selection::kLexicographic},
           {"most-violated", Selection::kMostViolated},
           {"random", Selection::kRandom}},
          "which contact gauss-seidel strikes next")
      .integer("seed", [](O& o) -> std::uint64_t& { return o.operators.seed; }, "of the random selection", {0, 1e9})
      .number("epsilon", [](O& o) -> double& { return o.operators.options.tolerance; },
              "an approach below this share of the speed counts as none", {0, 0.1})
      .word(
          "friction", [](O& o) -> ImpactFriction& { return o.operators.options.friction; },
          {{"after", ImpactFriction::kAfter}, {"coupled", ImpactFriction::kCoupled}, {"none", ImpactFriction::kNone}},
          "once after the normal response; in every application; or not at all")
      .word(
          "dissipation", [](O& o) -> ImpactRestitution& { return o.operators.options.restitution; },
          {{"blend", ImpactRestitution::kBlend}, {"per-impact", ImpactRestitution::kPerImpact}},
          "restitution between the inelastic and the elastic outcome, or in every application")
      .integer("max_applications", [](O& o) -> std::int64_t& { return o.operators.options.max_iterations; },
               "of the operator, per independent part of an impact", {1, 1e9});
  return list;
}

OptionList<RequestedOptions> list_step_options() {
  using O = RequestedOptions;
  OptionList<O> list;
  list.number(
          "tolerance", [](O& o) -> double& { return o.step.tolerance; },
          "a predicted gap of at most this is a contact [m]")
      .number(
          "rest_speed", [](O& o) -> double& { return o.step.rest_speed; },
          "slower approaches do not bounce [m/s]; at least twice what gravity adds in a step");
  return list;
}

/// Throws std::invalid_argument for an option that only the operators have, given to another law.
void refuse_operator_options(const MethodRequest& request) {
  const OptionList<RequestedOptions> list = list_operator_options();
  for (const OptionInfo& option : list.infos()) {
    if (request.description.options.count(std::string(option.name)) == 0) continue;
    throw std::invalid_argument("option '" + std::string(option.name) +
                                "' belongs to the impact laws gauss-seidel and generalized-reflections, not to " +
                                request.impact);
  }
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  ReflectionsOptions options = list_step_options().read(request.description).step;
  const GaussSeidelLaw operators = list_operator_options().read(request.description).operators;
  options.impact = make_law(request);
  if (auto* one_by_one = std::get_if<GaussSeidelLaw>(&options.impact)) {
    *one_by_one = operators;
  } else if (auto* at_once = std::get_if<GeneralizedReflectionsLaw>(&options.impact)) {
    at_once->options = operators.options;
  } else {
    refuse_operator_options(request);
  }
  return std::make_unique<Reflections>(options);
}

}  // namespace

std::vector<MethodSpec> reflections_specs() {
  MethodSpec spec{.name = "reflections",
                  .source = "Vouga et al.; Smith et al. 2012",
                  .summary = "impacts of many bodies at once always end; elastic ones keep energy",
                  .impact_laws = {"generalized-reflections", "gauss-seidel", "newton", "poisson", "mirtich",
                                  "guendelman", "inelastic"},
                  .options = list_step_options().infos(),
                  .capabilities = {.friction = true,
                                   .restitution = true,
                                   .joints = true,
                                   .joint_limits = true,
                                   .joint_motors = true,
                                   .position_motors = true,
                                   .joint_springs = true,
                                   .joint_friction = true,
                                   .joint_compliance = true,
                                   .scripts = true,
                                   .rotation_rules = true},
                  .promises = {.energy = true, .impulses = true, .joints = true},
                  .make = make};
  const OptionList<RequestedOptions> operators = list_operator_options();
  spec.options.insert(spec.options.end(), operators.infos().begin(), operators.infos().end());
  return {spec};
}

}  // namespace achilles
