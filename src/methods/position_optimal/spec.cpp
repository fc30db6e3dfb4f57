#include "methods/position_optimal/position_optimal.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using PositionOptimal = FunctionMethod<PositionOptimalOptions, PositionOptimalScratch, advance_position_optimal>;

OptionList<PositionOptimalOptions> list_options() {
  using O = PositionOptimalOptions;
  OptionList<O> list;
  list.number(
          "speculative_distance", [](O& o) -> double& { return o.implicit.speculative_distance; },
          kSpeculativeDistanceMeaning)
      .number(
          "rest_speed", [](O& o) -> double& { return o.implicit.restitution_threshold; },
          "slower approaches do not bounce [m/s]; at least twice what gravity adds in a step")
      .integer(
          "linearizations", [](O& o) -> int& { return o.implicit.rounds; },
          "at most, each at the pose that the last one led to", kCountRange)
      .number(
          "fix_tolerance", [](O& o) -> double& { return o.implicit.tolerance; },
          "change of pose that ends the rounds [m], [rad]")
      .number("touching", &O::touching, "gaps up to this collide at the end of the frame [m]");
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  PositionOptimalOptions options = list_options().read(request.description);
  options.implicit.solve.solver = make_solver(request, options.implicit.solve.solver);
  options.impact = make_law(request);
  return std::make_unique<PositionOptimal>(options);
}

}  // namespace

std::vector<MethodSpec> position_optimal_specs() {
  MethodSpec spec{.name = "position-optimal",
                  .source = "Erleben, sec. 2.4.4",
                  .summary = "collision synchronization: one QP per frame gives non-penetrating positions",
                  .solvers = list_solvers_after(PositionOptimalOptions{}.implicit.solve.solver),
                  .impact_laws = {"newton", "poisson", "mirtich", "guendelman", "gauss-seidel",
                                  "generalized-reflections", "inelastic"},
                  .options = list_options().infos(),
                  .capabilities = {.friction = true, .restitution = true, .rotation_rules = true},
                  .make = make};
  append_solver_options(PositionOptimalOptions{}.implicit.solve.solver, spec.options);
  return {spec};
}

}  // namespace achilles
