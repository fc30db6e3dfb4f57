#include "methods/shared_options.hpp"

#include <algorithm>

namespace achilles {
namespace {

bool belongs_to_a_solver(const std::string& option) {
  const std::span<const SolverInfo> infos = solver_infos();
  return std::any_of(infos.begin(), infos.end(), [&](const SolverInfo& solver) {
    return std::any_of(solver.options.begin(), solver.options.end(),
                       [&](const SolverOptionInfo& one) { return one.name == option; });
  });
}

}  // namespace

SolverOptions make_solver(const MethodRequest& request, SolverOptions standard) {
  if (solver_name(standard) != request.solver) standard = find_solver(request.solver)->standard;
  for (const auto& [option, value] : request.description.options) {
    if (belongs_to_a_solver(option)) set_solver_option(standard, option, value);
  }
  return standard;
}

ImpactLaw make_law(const MethodRequest& request) { return make_impact_law(request.impact).value(); }

std::vector<std::string_view> list_solvers_after(const SolverOptions& standard) {
  std::vector<std::string_view> names{solver_name(standard)};
  for (const SolverInfo& solver : solver_infos()) {
    if (solver.name != names.front()) names.push_back(solver.name);
  }
  return names;
}

void append_solver_options(const SolverOptions& standard, std::vector<OptionInfo>& options) {
  const std::size_t first = options.size();
  for (const std::string_view name : list_solvers_after(standard)) {
    for (const SolverOptionInfo& option : find_solver(name)->options) {
      const auto known = std::find_if(options.begin() + static_cast<std::ptrdiff_t>(first), options.end(),
                                      [&](const OptionInfo& other) { return other.name == option.name; });
      if (known == options.end()) {
        const bool is_standard = name == solver_name(standard);
        options.push_back({.name = option.name,
                           .type = static_cast<OptionInfo::Type>(option.type),
                           .standard = is_standard ? get_solver_option(standard, option.name) : option.standard,
                           .minimum = option.minimum,
                           .maximum = option.maximum,
                           .words = option.words,
                           .meaning = option.meaning,
                           .solvers = {name}});
      } else {
        known->minimum = std::min(known->minimum, option.minimum);
        known->maximum = std::max(known->maximum, option.maximum);
        known->solvers.push_back(name);
      }
    }
  }
}

}  // namespace achilles
