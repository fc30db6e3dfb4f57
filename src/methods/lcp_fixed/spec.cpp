#include "methods/lcp_fixed/lcp_fixed.hpp"
#include "methods/lcp_fixed/options.hpp"

namespace achilles {
namespace {

class LcpFixed final : public FunctionMethod<LcpFixedOptions, LcpFixedWorkspace, advance_lcp_fixed> {
 public:
  using FunctionMethod::FunctionMethod;

  [[nodiscard]] std::optional<Sleeping> find_sleeping(double h) const override {
    return Sleeping{options().sleeping,
                    {options().speculative_distance, options().slop, h},
                    options().speculative_distance + options().reuse_distance};
  }
};

OptionList<LcpFixedOptions> list_options() {
  using O = LcpFixedOptions;
  OptionList<O> list;
  append_lcp_fixed_options([](O& o) -> O& { return o; }, list);
  list.number("speculative_distance", &O::speculative_distance, kSpeculativeDistanceMeaning);
  list.integer(
          "substeps", [](O& o) -> int& { return o.substeps.count; }, "parts of a step", kCountRange)
      .word(
          "detection", [](O& o) -> Demand& { return o.substeps.demand; },
          {{"eager", Demand::kEager}, {"moderate", Demand::kModerate}, {"lazy", Demand::kLazy}},
          "each part finds contacts and forces; contacts of the first part are carried along; forces of the second act "
          "on");
  append_contact_points(&O::collide, list);
  append_sleeping(&O::sleeping, list);
  append_subgrouping(&O::sleeping, list);
  // [Erleben04, sec. 5.6]; all but islands change the motion.
  list.boolean(
          "groups", [](O& o) -> bool& { return o.speed_ups.islands; },
          "islands are problems of their own; false: brute force")
      .boolean(
          "reduction", [](O& o) -> bool& { return o.speed_ups.reduction; },
          "of a pair that penetrates only the deepest point is kept")
      .boolean(
          "zeroing", [](O& o) -> bool& { return o.speed_ups.zeroing; },
          "with sleeping: contacts of a body that rests do not bounce")
      .needs("sleeping")
      .number(
          "damping", [](O& o) -> double& { return o.speed_ups.damping; }, "rate at which all velocities decay [1/s]");
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  LcpFixedOptions options = list_options().read(request.description);
  options.solver = make_solver(request, options.solver);
  return std::make_unique<LcpFixed>(options);
}

}  // namespace

std::vector<MethodSpec> lcp_fixed_specs() {
  MethodSpec spec{
      .name = "lcp-fixed",
      .source = "Erleben, fig. 4.15, eq. 6.76",
      .summary = "one complementarity problem per step",
      .solvers = list_solvers_after(LcpFixedOptions{}.solver),
      .impact_laws = {"poisson"},
      .options = list_options().infos(),
      .capabilities = row_capabilities(),
      .promises = {.energy = true, .impulses = true, .stabilization = Stabilization::kPositions, .joints = true},
      .make = make};
  spec.capabilities.sleeping = spec.capabilities.contact_callbacks = true;
  spec.capabilities.anisotropic_friction = true;
  append_solver_options(LcpFixedOptions{}.solver, spec.options);
  return {spec};
}

}  // namespace achilles
