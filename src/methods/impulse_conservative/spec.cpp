#include "methods/impulse_conservative/conservative_step.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using ImpulseConservative = FunctionMethod<ConservativeOptions, ConservativeScratch, advance_conservative>;

OptionList<ConservativeOptions> list_options() {
  using O = ConservativeOptions;
  OptionList<O> list;
  list.number(
          "tolerance", &O::tolerance,
          "surfaces this near collide, and may come this deep [m]; at most a thousandth of the smallest shape's radius",
          {1e-9, kUnbounded})
      .number("micro_speed", &O::micro_speed,
              "slower approaches are microcollisions [m/s]; 0: what a fall by twice the tolerance gives")
      .boolean("static_friction", &O::static_friction,
               "microcollisions are reversed whole where the friction cone allows")
      .integer("max_events", &O::max_events, "looks at pairs in one step before it counts as a Zeno point", {1, 1e9});
  return list;
}

std::unique_ptr<Method> make(const MethodRequest& request) {
  ConservativeOptions options = list_options().read(request.description);
  options.impact = make_law(request);
  return std::make_unique<ImpulseConservative>(options);
}

}  // namespace

std::vector<MethodSpec> impulse_conservative_specs() {
  return {{.name = "impulse-conservative",
           .source = "Mirtich",
           .summary = "no collision missed: heap of times of impact, swept boxes, microcollisions, no creep",
           .impact_laws = {"mirtich", "newton", "poisson"},
           .options = list_options().infos(),
           .capabilities = {.friction = true, .restitution = true, .scripts = true, .continuous_collision = true},
           // A pair within the tolerance may be on its way, at any speed: it collides at the other end of that band.
           .promises = {.depth_option = "tolerance", .energy = true, .impulses = true},
           .make = make}};
}

}  // namespace achilles
