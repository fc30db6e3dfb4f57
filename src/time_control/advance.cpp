#include "time_control/advance.hpp"

#include "time_control/method.hpp"
#include "time_control/option_reader.hpp"

#include <algorithm>
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
  return options;
}

ImpulseOptions make_impulse(const OptionReader& read, bool skip_resting, const std::string& impact) {
  ImpulseOptions options;
  options.skip_resting = skip_resting;
  options.impact = make_impact_law(impact).value();
  options.ballistic = read.word("integrator") == "ballistic";
  options.tolerance = read.number("tolerance");
  options.rest_speed = read.number("rest_speed");
  options.max_events = read.integer("max_events");
  options.iterations = read.integer("iterations");
  return options;
}

ReflectionsOptions make_reflections(const OptionReader& read, const std::string& impact) {
  ReflectionsOptions options;
  options.impact = make_impact_law(impact).value();
  options.rest_speed = read.number("rest_speed");
  options.tolerance = read.number("tolerance");
  return options;
}

struct Advance {
  World& world;
  StepWorkspace& scratch;
  double h;

  StepReport operator()(const LcpFixedOptions& options) const { return advance_lcp_fixed(world, options, scratch, h); }
  StepReport operator()(const ImpulseOptions& options) const { return advance_impulse(world, options, scratch, h); }
  StepReport operator()(const ReflectionsOptions& options) const {
    return advance_reflections(world, options, scratch, h);
  }
};

}  // namespace

Method make_method(const MethodDescription& description) {
  const MethodInfo* info = find_method(description.name);
  if (info == nullptr) throw std::invalid_argument("there is no method '" + description.name + "'");
  const std::string solver = choose("solver", description.solver, info->solvers);
  const std::string impact = choose("impact law", description.impact, info->impacts);
  const OptionReader read(*info, description);
  if (info->name == "impulse-naive") return make_impulse(read, false, impact);
  if (info->name == "reflections") return make_reflections(read, impact);
  if (info->name == "impulse-zeno-free") return make_impulse(read, true, impact);
  LcpFixedOptions options = make_lcp_fixed(read);
  options.solver = make_solver(solver, options.solver, *info, description);
  return options;
}

StepReport advance(World& world, const Method& method, StepWorkspace& scratch, double h) {
  return std::visit(Advance{world, scratch, h}, method);
}

std::vector<std::string> find_obstacles(const Method& method, const Scene& scene) {
  std::vector<std::string> obstacles;
  const std::string name = scene.method.name;
  if (!scene.joints.empty() && !std::holds_alternative<LcpFixedOptions>(method)) {
    obstacles.push_back("joints are not part of method " + name);
  }
  if (!scene.triggers.empty()) obstacles.push_back("triggers are not part of method " + name + " in this version");
  const auto anisotropic = [](const auto& entry) { return entry.law.anisotropy.has_value(); };
  if (std::any_of(scene.materials.begin(), scene.materials.end(), anisotropic) ||
      std::any_of(scene.material_pairs.begin(), scene.material_pairs.end(), anisotropic)) {
    obstacles.push_back("direction-dependent friction is not part of method " + name + " in this version");
  }
  return obstacles;
}

}  // namespace achilles
