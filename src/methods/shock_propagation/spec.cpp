#include "methods/shared_options.hpp"
#include "methods/shock_propagation/shock_propagation.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"
#include "methods/shock_propagation/thesis.hpp"

namespace achilles {
namespace {

template <class Scratch, StepReport (*kAdvance)(World&, const ShockPropagationOptions&, Scratch&, double)>
class SleepingMethod final : public FunctionMethod<ShockPropagationOptions, Scratch, kAdvance> {
 public:
  using FunctionMethod<ShockPropagationOptions, Scratch, kAdvance>::FunctionMethod;

  [[nodiscard]] std::optional<Sleeping> find_sleeping(double h) const override {
    const ShockPropagationOptions& options = this->options();
    const double touching = options.propagation == Propagation::kThesis ? options.speculative_distance : options.slop;
    return Sleeping{options.sleeping,
                    {options.speculative_distance, touching, h},
                    options.speculative_distance + options.reuse_distance};
  }
};

using ShockPropagation = SleepingMethod<ShockWorkspace, advance_shock_propagation>;
using ThesisPropagation = SleepingMethod<ThesisWorkspace, advance_thesis>;

OptionList<ShockPropagationOptions> list_options() {
  using O = ShockPropagationOptions;
  OptionList<O> list;
  list.word(
          "propagation", &O::propagation, {{"loads", Propagation::kLoads}, {"thesis", Propagation::kThesis}},
          "loads from the top down before sweeps over all contacts, or layers from the ground up with the bodies below "
          "held, fig. 6.60 to the letter")
      .boolean("second_correction", &O::second_correction,
               "propagation thesis: contacts are found again and corrected at the end of the step; else fig. 6.56")
      .number("gravity_fraction", &O::gravity_fraction,
              "f: share of the imbalance of a stack that is left to the sweeps; with propagation thesis "
              "the share of the step that all contacts take together",
              kShareRange)
      .integer("iterations", &O::iterations, "sweeps of the dynamics at most; islands that bounce take more",
               kCountRange)
      .integer("correction_iterations", &O::correction_iterations,
               "sweeps of the position correction at most, in each layer", kCountRange)
      .number("tolerance", &O::tolerance, "sweeps that change less than this end [m/s]")
      .word("layers", &O::gravity_layers, {{"gravity", true}, {"distance", false}},
            "heights follow gravity, or count the contacts to the ground as in the thesis")
      .boolean("propagate", &O::propagate, "go layer by layer; else all contacts at once, for comparison")
      .boolean("warm_start", &O::warm_start, kWarmStartMeaning)
      .word("integrator", &O::integrator,
            {{"conserving", Integrator::kConserving}, {"semi-implicit", Integrator::kSemiImplicit}}, kIntegratorMeaning)
      .number("speculative_distance", &O::speculative_distance, kSpeculativeDistanceMeaning)
      .number("restitution_threshold", &O::restitution_threshold, kThresholdMeaning)
      .number("slop", &O::slop, kSlopMeaning)
      .number("correction", &O::correction, "share of the penetration beyond the slop that a step takes out",
              kShareRange)
      .number("reuse_distance", &O::reuse_distance, kReuseMeaning);
  append_contact_points(&O::collide, list);
  append_sleeping(&O::sleeping, list);
  append_subgrouping(&O::sleeping, list);
  return list;
}

/// Fixated bodies take momentum away, and energy may rise: neither is promised. [Erleben04, sec. 6.4.5]
MethodVariant make_thesis_variant() {
  return {
      .option = "propagation",
      .word = "thesis",
      .options = {"propagation", "second_correction", "gravity_fraction", "iterations", "correction_iterations",
                  "tolerance", "restitution_threshold", "speculative_distance", "sleeping", "sleep_energy",
                  "sleep_steps", "subgrouping", "fixation"},
      .capabilities = {.friction = true,
                       .restitution = true,
                       .rolling_friction = true,
                       .torsional_friction = true,
                       .scripts = true,
                       .rotation_rules = true,
                       .sleeping = true},
      .promises = {.momentum = false, .angular = false, .impulses = true, .stabilization = Stabilization::kPositions}};
}

}  // namespace

std::vector<MethodSpec> shock_propagation_specs() {
  MethodSpec spec{
      .name = "shock-propagation",
      .source = "Erleben, figs. 6.47-6.60",
      .summary = "tall stacks in 10 + 5 iterations, errors projected bottom-up",
      .impact_laws = {"newton"},
      .options = list_options().infos(),
      .capabilities = row_capabilities(),
      .promises = {.energy = true, .impulses = true, .stabilization = Stabilization::kPositions, .joints = true},
      .real_time = true,
      .make = [](const MethodRequest& request) -> std::unique_ptr<Method> {
        const ShockPropagationOptions options = list_options().read(request.description);
        if (options.propagation == Propagation::kThesis) return std::make_unique<ThesisPropagation>(options);
        return std::make_unique<ShockPropagation>(options);
      }};
  spec.capabilities.couplings = false;
  spec.capabilities.sleeping = spec.capabilities.contact_callbacks = true;
  spec.variants = {make_thesis_variant()};
  return {spec};
}

}  // namespace achilles
