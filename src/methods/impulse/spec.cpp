#include "methods/impulse/impulse_step.hpp"
#include "methods/shared_options.hpp"

namespace achilles {
namespace {

using Impulse = FunctionMethod<ImpulseOptions, ImpulseScratch, advance_impulse>;
using List = OptionList<ImpulseOptions>;
using O = ImpulseOptions;

/// What all four have. `tolerance` is the option's name: solvers have a tolerance of their own.
List list_common(std::string_view tolerance) {
  List list;
  list.word("integrator", &O::ballistic, {{"ballistic", true}, {"euler", false}},
            "free flight: exact parabolas, or Euler as in the paper")
      .number(tolerance, &O::tolerance, "surfaces this near touch, and may come this deep [m]", {1e-12, kUnbounded})
      .number("rest_speed", &O::rest_speed, "slower approaches do not bounce [m/s]")
      .integer("max_events", &O::max_events, "impacts in one step before it counts as a Zeno point", {1, 1e9});
  return list;
}

void append_independent_time(List& list) {
  list.boolean("independent_time", &O::independent,
               "bodies that an event does not reach go on without it; else all stop there");
}

List list_naive() {
  List list = list_common("tolerance");
  list.integer("iterations", &O::iterations, "sweeps for the contacts that rest, before Newton takes over",
               kCountRange);
  return list;
}

List list_zeno_free() {
  List list = list_naive();
  append_independent_time(list);
  return list;
}

List list_by_lcp() {
  List list = list_common("contact_tolerance");
  append_independent_time(list);
  return list;
}

std::unique_ptr<Method> make_naive(const MethodRequest& request) {
  ImpulseOptions options = list_naive().read(request.description);
  options.impact = make_law(request);
  options.skip_resting = options.independent = false;
  return std::make_unique<Impulse>(options);
}

std::unique_ptr<Method> make_zeno_free(const MethodRequest& request) {
  ImpulseOptions options = list_zeno_free().read(request.description);
  options.impact = make_law(request);
  return std::make_unique<Impulse>(options);
}

const SolverOptions kEventSolver = NewtonOptions{};
const SolverOptions kPotraSolver = LemkeOptions{.facets = 16};

std::unique_ptr<Method> make_by_lcp(const MethodRequest& request, const SolverOptions& solver) {
  ImpulseOptions options = list_by_lcp().read(request.description);
  options.lcp = make_solver(request, solver);
  return std::make_unique<Impulse>(options);
}

MethodSpec describe_by_law(std::string_view name, const List& options) {
  return {.name = name,
          .impact_laws = {"guendelman", "newton", "poisson", "mirtich", "gauss-seidel", "generalized-reflections",
                          "inelastic"},
          .options = options.infos(),
          .capabilities = {.friction = true, .restitution = true, .scripts = true, .continuous_collision = true},
          .promises = {.depth_option = "tolerance",
                       .rest_speed_option = "rest_speed",
                       .energy = true,
                       .free_flight = false,
                       .impulses = true}};
}

MethodSpec describe_by_lcp(std::string_view name, const SolverOptions& solver) {
  MethodSpec spec{
      .name = name,
      .solvers = list_solvers_after(solver),
      .impact_laws = {"poisson"},
      .options = list_by_lcp().infos(),
      .capabilities = {.friction = true, .restitution = true, .scripts = true, .continuous_collision = true},
      .promises = {.depth_option = "contact_tolerance",
                   .rest_speed_option = "rest_speed",
                   .energy = true,
                   .free_flight = false,
                   .impulses = true}};
  append_solver_options(solver, spec.options);
  return spec;
}

}  // namespace

std::vector<MethodSpec> impulse_specs() {
  MethodSpec naive = describe_by_law("impulse-naive", list_naive());
  naive.source = "Drumwright, alg. 1";
  naive.summary = "stops where contacts rest and reports it: the baseline";
  naive.promises.zeno_points = true;
  naive.make = make_naive;

  MethodSpec zeno_free = describe_by_law("impulse-zeno-free", list_zeno_free());
  zeno_free.source = "Drumwright, algs. 2-4";
  zeno_free.summary = "no impact missed, no Zeno point";
  zeno_free.make = make_zeno_free;

  MethodSpec event = describe_by_lcp("lcp-event", kEventSolver);
  event.source = "Erleben, figs. 4.23-4.24; Anitescu and Potra";
  event.summary = "stops at impacts; compression and decompression LCPs with friction";
  event.make = [](const MethodRequest& request) { return make_by_lcp(request, kEventSolver); };

  MethodSpec potra = describe_by_lcp("anitescu-potra", kPotraSolver);
  potra.source = "Drumwright's comparator";
  potra.summary = "implicit resting contact, Poisson impact, friction cone with a chosen number of facets";
  potra.make = [](const MethodRequest& request) { return make_by_lcp(request, kPotraSolver); };
  return {naive, zeno_free, event, potra};
}

}  // namespace achilles
