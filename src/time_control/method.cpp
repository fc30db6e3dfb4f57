#include "time_control/method.hpp"

#include "solver/solver.hpp"

#include <algorithm>

namespace achilles {
namespace {

constexpr double kBig = 1e12;

OptionInfo number(std::string_view name, double standard, double minimum, double maximum, std::string_view meaning) {
  return {name, OptionInfo::Type::kNumber, standard, minimum, maximum, {}, meaning};
}

OptionInfo integer(std::string_view name, double standard, double minimum, double maximum, std::string_view meaning) {
  return {name, OptionInfo::Type::kInteger, standard, minimum, maximum, {}, meaning};
}

OptionInfo boolean(std::string_view name, bool standard, std::string_view meaning) {
  return {name, OptionInfo::Type::kBoolean, standard, 0, 0, {}, meaning};
}

OptionInfo word(std::string_view name, std::vector<std::string_view> words, std::string_view meaning) {
  return {name, OptionInfo::Type::kWord, std::string(words.front()), 0, 0, words, meaning};
}

/// Every solver, the default first.
std::vector<std::string_view> solvers_after(std::string_view standard) {
  std::vector<std::string_view> names{standard};
  for (const SolverInfo& solver : solver_infos()) {
    if (solver.name != standard) names.push_back(solver.name);
  }
  return names;
}

/// The options of all solvers under one name each; make_solver checks what the chosen one takes. Ranges are the widest.
void append_solver_options(std::vector<OptionInfo>& options) {
  const std::size_t first = options.size();
  for (const SolverInfo& solver : solver_infos()) {
    for (const SolverOptionInfo& option : solver.options) {
      const auto known = std::find_if(options.begin() + static_cast<std::ptrdiff_t>(first), options.end(),
                                      [&](const OptionInfo& other) { return other.name == option.name; });
      if (known == options.end()) {
        options.push_back({option.name, static_cast<OptionInfo::Type>(option.type), option.standard, option.minimum,
                           option.maximum, option.words, option.meaning});
      } else {
        known->minimum = std::min(known->minimum, option.minimum);
        known->maximum = std::max(known->maximum, option.maximum);
      }
    }
  }
}

MethodInfo lcp_fixed() {
  MethodInfo info{
      "lcp-fixed",
      "Erleben, fig. 4.15, eq. 6.76",
      "one complementarity problem per step",
      solvers_after("nonsmooth-cg"),
      {"poisson"},
      {
          integer("exact_rows", 300, 0, 1e6,
                  "groups with joints and at most this many rows are solved by newton, whatever the solver"),
          boolean("warm_start", true, "start from the impulses of the last step"),
          word("integrator", {"conserving", "semi-implicit"},
               "free motion: exact flight and conserved rotation, or eq. 6.76 to the letter"),
          number("margin", 0.01, 0, kBig, "contacts are looked for up to this gap [m], plus what the speeds can close"),
          number("restitution_threshold", 0.05, 0, kBig, "slower approaches do not bounce [m/s]"),
          number("slop", 1e-4, 0, kBig, "gaps and penetrations up to this count as touch [m]"),
          number("correction", 0.2, 0, 1, "share of the penetration beyond the slop that a step takes out"),
          integer("correction_iterations", 10, 1, 1e6, "sweeps of the position correction"),
      }};
  append_solver_options(info.options);
  return info;
}

MethodInfo impulse(std::string_view name, std::string_view source, std::string_view promise) {
  return {name,
          source,
          promise,
          {},
          {"guendelman", "newton", "poisson", "mirtich", "gauss-seidel", "generalized-reflections", "inelastic"},
          {
              word("integrator", {"ballistic", "euler"}, "free flight: exact parabolas, or Euler as in the paper"),
              number("tolerance", 1e-7, 1e-12, kBig, "surfaces this near touch, and may come this deep [m]"),
              number("rest_speed", 1e-3, 0, kBig, "slower approaches do not bounce [m/s]"),
              integer("max_events", 10000, 1, 1e9, "impacts in one step before it counts as a Zeno point"),
              integer("iterations", 200, 1, 1e6, "sweeps for the contacts that rest, before Newton takes over"),
          }};
}

MethodInfo reflections() {
  return {"reflections",
          "Vouga et al.; Smith et al. 2012",
          "impacts of many bodies at once always end; elastic ones keep energy",
          {},
          {"generalized-reflections", "gauss-seidel", "newton", "poisson", "mirtich", "guendelman", "inelastic"},
          {
              number("tolerance", 1e-9, 0, kBig, "a predicted gap of at most this is a contact [m]"),
              number("rest_speed", 0, 0, kBig,
                     "slower approaches do not bounce [m/s]; at least twice what gravity adds in a step"),
          }};
}

}  // namespace

std::span<const MethodInfo> method_infos() {
  static const std::vector<MethodInfo> infos{
      lcp_fixed(),
      reflections(),
      impulse("impulse-naive", "Drumwright, alg. 1", "stops where contacts rest and says so: the baseline"),
      impulse("impulse-zeno-free", "Drumwright, algs. 2-4", "no impact missed, no Zeno point"),
  };
  return infos;
}

const MethodInfo* find_method(std::string_view name) {
  const std::span<const MethodInfo> infos = method_infos();
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const MethodInfo& info) { return info.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

}  // namespace achilles
