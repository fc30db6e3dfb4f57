#include "time_control/method.hpp"

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

MethodInfo lcp_fixed() {
  return {
      "lcp-fixed",
      "Erleben, fig. 4.15, eq. 6.76",
      "one complementarity problem per step",
      {"gauss-seidel"},
      {"newton"},
      {
          integer("iterations", 50, 1, 1e6, "sweeps of the solver at most"),
          number("tolerance", 1e-9, 0, kBig, "residual at which the solver stops [m/s]"),
          number("relaxation", 1, 0.01, 1.99, "over- or under-relaxation of the sweeps; 1 is Gauss-Seidel"),
          boolean("warm_start", true, "start from the impulses of the last step"),
          word("integrator", {"conserving", "semi-implicit"},
               "free motion: exact flight and conserved rotation, or eq. 6.76 to the letter"),
          number("margin", 0.01, 0, kBig, "contacts are looked for up to this gap [m], plus what the speeds can close"),
          number("restitution_threshold", 0.05, 0, kBig, "slower approaches do not bounce [m/s]"),
          number("slop", 1e-4, 0, kBig, "gaps and penetrations up to this count as touch [m]"),
          number("correction", 0.2, 0, 1, "share of the penetration beyond the slop that a step takes out"),
          integer("correction_iterations", 10, 1, 1e6, "sweeps of the position correction"),
      }};
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
              integer("iterations", 1000, 1, 1e6, "sweeps at most for the contacts that rest"),
          }};
}

}  // namespace

std::span<const MethodInfo> method_infos() {
  static const std::vector<MethodInfo> infos{
      lcp_fixed(),
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
