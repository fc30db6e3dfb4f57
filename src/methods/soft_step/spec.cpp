#include "methods/shared_options.hpp"
#include "methods/soft_step/soft_step.hpp"
#include "methods/soft_step/workspace.hpp"

namespace achilles {
namespace {

class SoftStepMethod final : public FunctionMethod<SoftStepOptions, SoftScratch, advance_soft_step> {
 public:
  using FunctionMethod::FunctionMethod;

  [[nodiscard]] std::optional<Sleeping> find_sleeping(double h) const override {
    return Sleeping{options().sleeping,
                    {options().speculative_distance, 0, h},
                    options().speculative_distance + options().reuse_distance};
  }
};

OptionList<SoftStepOptions> list_options() {
  using O = SoftStepOptions;
  OptionList<O> list;
  list.integer("substeps", &O::substeps, "collide once, solve this many times", {1, 1000})
      .number("frequency", &O::frequency,
              "contacts are springs of a fifth of the substeps' rate, but at most of this frequency [Hz]; on the "
              "ground twice it",
              {1e-3, 1e6})
      .number("damping", &O::damping, "damping ratio of those springs", {0, 1e6})
      .number("push_speed", &O::push_speed, "penetration is pushed out at most this fast [m/s]")
      .number("speculative_distance", &O::speculative_distance, kSpeculativeDistanceMeaning)
      .number("reuse_distance", &O::reuse_distance, kReuseMeaning)
      .number("restitution_threshold", &O::restitution_threshold, kThresholdMeaning)
      .boolean("warm_start", &O::warm_start, kWarmStartMeaning);
  append_sleeping(&O::sleeping, list);
  return list;
}

}  // namespace

std::vector<MethodSpec> soft_step_specs() {
  MethodSpec spec{
      .name = "soft-step",
      .source = "beyond the papers",
      .summary = "substepped soft constraints on SIMD batches and all cores: the throughput method",
      .impact_laws = {"newton"},
      .options = list_options().infos(),
      .capabilities = row_capabilities(),
      // Contacts are solved in single precision: a few dozen roundings of 2⁻²⁴.
      .promises = {.impulses = true, .rounding = 4e-6, .cone = false, .stabilization = Stabilization::kVelocities},
      .real_time = true,
      .make = [](const MethodRequest& request) -> std::unique_ptr<Method> {
        return std::make_unique<SoftStepMethod>(list_options().read(request.description));
      }};
  spec.capabilities.rolling_friction = spec.capabilities.compliant_contact = false;
  spec.capabilities.rotation_rules = false;
  spec.capabilities.sleeping = spec.capabilities.contact_callbacks = true;
  return {spec};
}

}  // namespace achilles
