#include "time_control/advance.hpp"

#include "time_control/method.hpp"
#include "time_control/option_reader.hpp"
#include "time_control/sleep_balance.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

/// A word from a list of allowed ones, the first when none was given.
std::string choose(std::string_view what, const std::string& given, const std::vector<std::string_view>& allowed) {
  if (given.empty()) return allowed.empty() ? std::string() : std::string(allowed.front());
  if (std::find(allowed.begin(), allowed.end(), given) == allowed.end()) {
    throw std::invalid_argument("the method has no " + std::string(what) + " '" + given + "'");
  }
  return given;
}

/// The solver of that name with the options the scene gives it. Throws std::invalid_argument for one that belongs to
/// another solver.
SolverOptions make_solver(const std::string& name, SolverOptions options, const MethodInfo& info,
                          const MethodDescription& description) {
  if (solver_name(options) != name) options = find_solver(name)->standard;
  const auto belongs_to_a_solver = [](const std::string& option) {
    const std::span<const SolverInfo> infos = solver_infos();
    return std::any_of(infos.begin(), infos.end(), [&](const SolverInfo& solver) {
      return std::any_of(solver.options.begin(), solver.options.end(),
                         [&](const SolverOptionInfo& one) { return one.name == option; });
    });
  };
  for (const auto& [option, value] : description.options) {
    if (info.solvers.empty() || !belongs_to_a_solver(option)) continue;
    set_solver_option(options, option, value);
  }
  return options;
}

SleepOptions read_sleeping(const OptionReader& read) {
  return {read.boolean("sleeping"), read.number("sleep_energy"), read.integer("sleep_steps"),
          read.boolean("subgrouping"), read.boolean("fixation")};
}

SpeedUps read_speed_ups(const OptionReader& read) {
  return {read.boolean("groups"), read.boolean("reduction"), read.boolean("zeroing"), read.number("damping")};
}

LcpFixedOptions make_lcp_fixed(const OptionReader& read) {
  LcpFixedOptions options;
  options.exact_rows = read.integer("exact_rows");
  options.integrator = read.word("integrator") == "conserving" ? Integrator::kConserving : Integrator::kSemiImplicit;
  options.warm_start = read.boolean("warm_start");
  options.margin = read.number("margin");
  options.restitution_threshold = read.number("restitution_threshold");
  options.slop = read.number("slop");
  options.correction = read.number("correction");
  options.correction_iterations = read.integer("correction_iterations");
  options.recycling = read.number("recycling");
  return options;
}

/// What a scene asks of a method, checked.
struct Request {
  const MethodInfo& info;
  const MethodDescription& description;
  OptionReader read;
  std::string solver;
  std::string impact;

  /// The scene's solver; `standard` where that is the one meant.
  [[nodiscard]] SolverOptions make_solver_after(const SolverOptions& standard) const {
    return make_solver(solver, standard, info, description);
  }
  [[nodiscard]] ImpactLaw make_law() const { return make_impact_law(impact).value(); }
};

LcpFixedOptions make_lcp_fixed(const Request& request) {
  LcpFixedOptions options = make_lcp_fixed(request.read);
  options.solver = request.make_solver_after(options.solver);
  if (request.info.name == "lcp-fixed") {
    options.sleeping = read_sleeping(request.read);
    options.speed_ups = read_speed_ups(request.read);
  }
  return options;
}

LcpRetroactiveOptions make_lcp_retroactive(const Request& request) {
  LcpRetroactiveOptions options;
  options.fixed = make_lcp_fixed(request);
  options.attempts = request.read.integer("attempts");
  options.force_field = request.read.boolean("force_field");
  return options;
}

LcpFixpointOptions make_lcp_fixpoint(const Request& request) {
  const OptionReader& read = request.read;
  LcpFixpointOptions options;
  options.implicit.solve = {request.make_solver_after(NewtonOptions{}), read.integer("exact_rows")};
  options.implicit.warm_start = read.boolean("warm_start");
  options.implicit.margin = read.number("margin");
  options.implicit.restitution_threshold = read.number("restitution_threshold");
  options.implicit.rounds = read.integer("linearizations");
  options.implicit.tolerance = read.number("fix_tolerance");
  options.slop = read.number("slop");
  return options;
}

AnitescuOptions make_anitescu(const Request& request) {
  const OptionReader& read = request.read;
  AnitescuOptions options;
  options.solve = {request.make_solver_after(NewtonOptions{}), read.integer("exact_rows")};
  options.restitution_before = read.word("restitution_from") == "before";
  options.attempts = read.integer("attempts");
  options.warm_start = read.boolean("warm_start");
  options.margin = read.number("margin");
  options.recycling = read.number("recycling");
  options.tolerance = read.number("restitution_threshold");
  options.stabilization = read.number("stabilization");
  return options;
}

PositionOptimalOptions make_position_optimal(const Request& request) {
  const OptionReader& read = request.read;
  PositionOptimalOptions options;
  options.implicit.solve.solver = request.make_solver_after(NewtonOptions{});
  options.implicit.margin = read.number("margin");
  options.implicit.restitution_threshold = read.number("rest_speed");
  options.implicit.rounds = read.integer("linearizations");
  options.implicit.tolerance = read.number("fix_tolerance");
  options.impact = request.make_law();
  options.touching = read.number("touching");
  return options;
}

FirstOrderOptions make_first_order(const Request& request) {
  FirstOrderOptions options;
  options.solve = {request.make_solver_after(NewtonOptions{}), request.read.integer("exact_rows")};
  options.margin = request.read.number("margin");
  options.correction = request.read.number("correction");
  return options;
}

PenaltyOptions make_penalty(const Request& request) {
  return {request.read.number("contact_time"), request.read.number("accuracy"), request.read.integer("max_substeps")};
}

ImpulseOptions make_impulse(const Request& request, bool skip_resting) {
  const OptionReader& read = request.read;
  ImpulseOptions options;
  options.skip_resting = skip_resting;
  options.impact = request.make_law();
  options.ballistic = read.word("integrator") == "ballistic";
  options.tolerance = read.number("tolerance");
  options.rest_speed = read.number("rest_speed");
  options.max_events = read.integer("max_events");
  options.iterations = read.integer("iterations");
  options.independent = skip_resting && read.boolean("independent_time");
  return options;
}

ImpulseOptions make_impulse_by_lcp(const Request& request, const SolverOptions& standard) {
  const OptionReader& read = request.read;
  ImpulseOptions options;
  options.ballistic = read.word("integrator") == "ballistic";
  options.tolerance = read.number("contact_tolerance");
  options.rest_speed = read.number("rest_speed");
  options.max_events = read.integer("max_events");
  options.lcp = request.make_solver_after(standard);
  options.independent = read.boolean("independent_time");
  return options;
}

PropagationOptions make_propagation(const OptionReader& read) {
  PropagationOptions options;
  options.lineality = read.boolean("lineality");
  options.tolerance = read.number("epsilon");
  const std::string &friction = read.word("friction"), &dissipation = read.word("dissipation");
  options.friction = friction == "after"     ? ImpactFriction::kAfter
                     : friction == "coupled" ? ImpactFriction::kCoupled
                                             : ImpactFriction::kNone;
  options.restitution = dissipation == "blend" ? ImpactRestitution::kBlend : ImpactRestitution::kPerImpact;
  options.max_iterations = read.integer("max_applications");
  return options;
}

/// Throws std::invalid_argument for an option that only the operators have, given to another law.
void refuse_operator_options(const Request& request) {
  for (const char* name :
       {"lineality", "selection", "seed", "epsilon", "friction", "dissipation", "max_applications"}) {
    const auto named = [name](const auto& option) { return option.first == name; };
    if (std::none_of(request.description.options.begin(), request.description.options.end(), named)) continue;
    throw std::invalid_argument("option '" + std::string(name) +
                                "' belongs to the impact laws gauss-seidel and generalized-reflections, not to " +
                                request.impact);
  }
}

ConservativeOptions make_conservative(const Request& request) {
  const OptionReader& read = request.read;
  ConservativeOptions options;
  options.impact = request.make_law();
  options.tolerance = read.number("tolerance");
  options.micro_speed = read.number("micro_speed");
  options.static_friction = read.boolean("static_friction");
  options.max_events = read.integer("max_events");
  return options;
}

HybridOptions make_hybrid(const Request& request) {
  const OptionReader& read = request.read;
  HybridOptions options;
  options.tolerance = read.number("contact_tolerance");
  options.rest_speed = read.number("rest_speed");
  options.halvings = read.integer("halvings");
  options.impulse.impact = request.make_law();
  // Both stay clear of the tolerance by a factor: what one leaves the other takes over.
  options.impulse.tolerance = 0.5 * options.tolerance;
  options.constraint.slop = 0.25 * options.tolerance;
  options.constraint.correction = 0.5;
  options.constraint.margin = read.number("margin");
  options.constraint.exact_rows = read.integer("exact_rows");
  options.constraint.solver = request.make_solver_after(options.constraint.solver);
  return options;
}

ShockPropagationOptions make_shock_propagation(const Request& request) {
  const OptionReader& read = request.read;
  ShockPropagationOptions options;
  options.weight_feeling = read.number("weight_feeling");
  options.iterations = read.integer("iterations");
  options.correction_iterations = read.integer("correction_iterations");
  options.tolerance = read.number("tolerance");
  options.gravity_layers = read.word("layers") == "gravity";
  options.propagate = read.boolean("propagate");
  options.warm_start = read.boolean("warm_start");
  options.integrator = read.word("integrator") == "conserving" ? Integrator::kConserving : Integrator::kSemiImplicit;
  options.margin = read.number("margin");
  options.restitution_threshold = read.number("restitution_threshold");
  options.slop = read.number("slop");
  options.correction = read.number("correction");
  options.recycling = read.number("recycling");
  options.sleeping = read_sleeping(read);
  return options;
}

ReflectionsOptions make_reflections(const Request& request) {
  ReflectionsOptions options;
  options.impact = request.make_law();
  if (auto* pairwise = std::get_if<GaussSeidelLaw>(&options.impact)) {
    const std::string& selection = request.read.word("selection");
    pairwise->selection = selection == "lexicographic"   ? Selection::kLexicographic
                          : selection == "most-violated" ? Selection::kMostViolated
                                                         : Selection::kRandom;
    pairwise->seed = static_cast<std::uint64_t>(request.read.integer("seed"));
    pairwise->options = make_propagation(request.read);
  } else if (auto* at_once = std::get_if<GeneralizedReflectionsLaw>(&options.impact)) {
    at_once->options = make_propagation(request.read);
  } else {
    refuse_operator_options(request);
  }
  options.rest_speed = request.read.number("rest_speed");
  options.tolerance = request.read.number("tolerance");
  return options;
}

SoftStepOptions make_soft_step(const Request& request) {
  const OptionReader& read = request.read;
  SoftStepOptions options;
  options.substeps = read.integer("substeps");
  options.frequency = read.number("frequency");
  options.damping = read.number("damping");
  options.push_speed = read.number("push_speed");
  options.margin = read.number("margin");
  options.recycling = read.number("recycling");
  options.sleeping = {read.boolean("sleeping"), read.number("sleep_energy"), read.integer("sleep_steps"), false, false};
  options.restitution_threshold = read.number("restitution_threshold");
  options.warm_start = read.boolean("warm_start");
  return options;
}

struct Advance {
  World& world;
  StepWorkspace& scratch;
  double h;

  StepReport operator()(const LcpFixedOptions& options) const { return advance_lcp_fixed(world, options, scratch, h); }
  StepReport operator()(const ImpulseOptions& options) const { return advance_impulse(world, options, scratch, h); }
  StepReport operator()(const ConservativeOptions& options) const {
    return advance_conservative(world, options, scratch, h);
  }
  StepReport operator()(const HybridOptions& options) const { return advance_hybrid(world, options, scratch, h); }
  StepReport operator()(const ShockPropagationOptions& options) const {
    return advance_shock_propagation(world, options, scratch, h);
  }
  StepReport operator()(const ReflectionsOptions& options) const {
    return advance_reflections(world, options, scratch, h);
  }
  StepReport operator()(const LcpRetroactiveOptions& options) const {
    return advance_lcp_retroactive(world, options, scratch, h);
  }
  StepReport operator()(const LcpFixpointOptions& options) const {
    return advance_lcp_fixpoint(world, options, scratch, h);
  }
  StepReport operator()(const AnitescuOptions& options) const { return advance_anitescu(world, options, scratch, h); }
  StepReport operator()(const PenaltyOptions& options) const { return advance_penalty(world, options, scratch, h); }
  StepReport operator()(const PositionOptimalOptions& options) const {
    return advance_position_optimal(world, options, scratch, h);
  }
  StepReport operator()(const FirstOrderOptions& options) const {
    return advance_first_order(world, options, scratch, h);
  }
  StepReport operator()(const SoftStepOptions& options) const { return advance_soft_step(world, options, scratch, h); }
};

/// Sums of steps drift by rounding: a time next to a multiple of the step is that multiple. Asks the present time
/// alone, so that resumed runs tell the same time.
double take_out_drift(double time, double h) {
  const double multiple = h * std::round(time / h);
  return std::abs(time - multiple) <= 1e-6 * h ? multiple : time;
}

}  // namespace

Method make_method(const MethodDescription& description) {
  const MethodInfo* info = find_method(description.name);
  if (info == nullptr) throw std::invalid_argument("there is no method '" + description.name + "'");
  const Request request{*info, description, OptionReader(*info, description),
                        choose("solver", description.solver, info->solvers),
                        choose("impact law", description.impact, info->impacts)};
  const std::string_view name = info->name;
  if (name == "impulse-naive") return make_impulse(request, false);
  if (name == "impulse-zeno-free") return make_impulse(request, true);
  if (name == "impulse-conservative") return make_conservative(request);
  if (name == "hybrid") return make_hybrid(request);
  if (name == "lcp-retroactive") return make_lcp_retroactive(request);
  if (name == "lcp-fixpoint") return make_lcp_fixpoint(request);
  if (name == "lcp-event") return make_impulse_by_lcp(request, NewtonOptions{});
  if (name == "anitescu") return make_anitescu(request);
  if (name == "anitescu-potra") return make_impulse_by_lcp(request, LemkeOptions{.facets = 16});
  if (name == "shock-propagation") return make_shock_propagation(request);
  if (name == "reflections") return make_reflections(request);
  if (name == "penalty") return make_penalty(request);
  if (name == "position-optimal") return make_position_optimal(request);
  if (name == "first-order") return make_first_order(request);
  if (name == "soft-step") return make_soft_step(request);
  return make_lcp_fixed(request);
}

std::optional<Sleeping> find_sleeping(const Method& method, double h) {
  if (const auto* fixed = std::get_if<LcpFixedOptions>(&method)) {
    return Sleeping{fixed->sleeping, {fixed->margin, fixed->slop, h}, fixed->margin + fixed->recycling};
  }
  if (const auto* shock = std::get_if<ShockPropagationOptions>(&method)) {
    return Sleeping{shock->sleeping, {shock->margin, shock->slop, h}, shock->margin + shock->recycling};
  }
  if (const auto* soft = std::get_if<SoftStepOptions>(&method)) {
    return Sleeping{soft->sleeping, {soft->margin, 0, h}, soft->margin + soft->recycling};
  }
  return std::nullopt;
}

StepReport advance(World& world, const Method& method, StepWorkspace& scratch, double h) {
  if (const std::optional<Sleeping> sleeping = find_sleeping(method, h)) {
    wake_unbalanced(world, sleeping->options, h, scratch);
    wake_touched(world, sleeping->options, sleeping->search, scratch);
  }
  return advance_woken(world, method, scratch, h);
}

StepReport advance_woken(World& world, const Method& method, StepWorkspace& scratch, double h) {
  const StepReport report = std::visit(Advance{world, scratch, h}, method);
  world.time = take_out_drift(world.time, h);
  return report;
}

std::vector<std::string> find_obstacles(const Method& method, const Scene& scene) {
  std::vector<std::string> obstacles;
  const std::string name = scene.method.name;
  const bool takes_joints =
      !std::holds_alternative<ImpulseOptions>(method) && !std::holds_alternative<ConservativeOptions>(method) &&
      !std::holds_alternative<ReflectionsOptions>(method) && !std::holds_alternative<PenaltyOptions>(method) &&
      !std::holds_alternative<PositionOptimalOptions>(method);
  if (!scene.joints.empty() && !takes_joints) obstacles.push_back("joints are not part of method " + name);
  if (!scene.scripts.empty() && std::holds_alternative<PositionOptimalOptions>(method)) {
    obstacles.push_back("scripts are not part of method " + name);
  }
  const auto goes_to_position = [](const JointDescription& joint) {
    return std::any_of(joint.axes.begin(), joint.axes.end(),
                       [](const JointAxis& axis) { return axis.motor_position.has_value(); });
  };
  // Its speed is chosen from where the axis stands, which in the later rounds is the end of the step.
  if (std::holds_alternative<LcpFixpointOptions>(method) &&
      std::any_of(scene.joints.begin(), scene.joints.end(), goes_to_position)) {
    obstacles.push_back("motors that go to a position are not part of method " + name);
  }
  const auto has_law = [&scene](const auto& is_such) {
    const auto holds = [&is_such](const auto& entry) { return is_such(entry.law); };
    return std::any_of(scene.materials.begin(), scene.materials.end(), holds) ||
           std::any_of(scene.material_pairs.begin(), scene.material_pairs.end(), holds);
  };
  if (std::holds_alternative<SoftStepOptions>(method) &&
      has_law([](const ContactLaw& law) { return law.rolling_friction > 0 || law.stiffness > 0; })) {
    obstacles.push_back("rolling friction and compliant contact are not part of method " + name + " in this version");
  }
  if (has_law([](const ContactLaw& law) { return law.anisotropy.has_value(); })) {
    obstacles.push_back("direction-dependent friction is not part of method " + name + " in this version");
  }
  return obstacles;
}

}  // namespace achilles
