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

constexpr std::string_view kExactRows =
    "groups with joints and at most this many rows are solved by newton, whatever the solver";
constexpr std::string_view kWarmStart = "start from the impulses of the last step";
constexpr std::string_view kMargin = "contacts are looked for up to this gap [m], plus what the speeds can close";
constexpr std::string_view kThreshold = "slower approaches do not bounce [m/s]";
constexpr std::string_view kRecycling =
    "contacts are kept while two bodies have moved no more than this against each other [m], nor than a hundredth of "
    "the smaller one's radius";

/// What lcp-fixed and those built on it share.
std::vector<OptionInfo> lcp_fixed_options() {
  return {
      integer("exact_rows", 300, 0, 1e6, kExactRows),
      boolean("warm_start", true, kWarmStart),
      word("integrator", {"conserving", "semi-implicit"},
           "free motion: exact flight and conserved rotation, or eq. 6.76 to the letter"),
      number("margin", 0.01, 0, kBig, kMargin),
      number("restitution_threshold", 0.05, 0, kBig, kThreshold),
      number("slop", 1e-4, 0, kBig, "gaps and penetrations up to this count as touch [m]"),
      number("correction", 0.2, 0, 1, "share of the penetration beyond the slop that a step takes out"),
      integer("correction_iterations", 10, 1, 1e6, "sweeps of the position correction"),
      number("recycling", 1e-6, 0, kBig, kRecycling),
  };
}

/// Alone, bodies that stand on springs never find rest: each that freezes pushes the others anew.
enum class SleepsAlone { kIfAsked, kNever };

void append_sleeping(std::vector<OptionInfo>& options, double energy, SleepsAlone alone) {
  options.push_back(boolean("sleeping", false, "groups that rest cost nothing until something touches them"));
  options.push_back(number("sleep_energy", energy, 0, kBig, "kinetic energy below which a body may rest [J/kg]"));
  options.push_back(integer("sleep_steps", 10, 2, 1e6, "steps that a whole group must rest before it sleeps"));
  if (alone == SleepsAlone::kNever) return;
  options.push_back(boolean("subgrouping", false, "bodies sleep and wake one by one; changes the motion"));
  options.push_back(
      boolean("fixation", false, "with subgrouping: sleepers hold until they are moved against; changes the motion"));
}

/// [Erleben04, sec. 5.6]; they change the motion.
void append_speed_ups(std::vector<OptionInfo>& options) {
  options.push_back(boolean("groups", true, "contact groups are problems of their own; false: brute force"));
  options.push_back(boolean("reduction", false, "of a pair that penetrates only the deepest point is kept"));
  options.push_back(boolean("zeroing", false, "with sleeping: contacts of a body that rests do not bounce"));
  options.push_back(number("damping", 0, 0, kBig, "rate at which all velocities decay [1/s]"));
}

MethodInfo with_solvers(MethodInfo info) {
  append_solver_options(info.options);
  return info;
}

MethodInfo lcp_fixed() {
  MethodInfo info{"lcp-fixed",
                  "Erleben, fig. 4.15, eq. 6.76",
                  "one complementarity problem per step",
                  solvers_after("nonsmooth-cg"),
                  {"poisson"},
                  lcp_fixed_options()};
  append_sleeping(info.options, 1e-8, SleepsAlone::kIfAsked);
  append_speed_ups(info.options);
  return with_solvers(info);
}

MethodInfo lcp_retroactive() {
  MethodInfo info{"lcp-retroactive",
                  "Erleben, fig. 4.17",
                  "adds contacts found at the end of the step and repeats",
                  solvers_after("nonsmooth-cg"),
                  {"poisson"},
                  lcp_fixed_options()};
  info.options.push_back(integer("attempts", 20, 1, 1e6, "steps tried at most before the projection mends the rest"));
  info.options.push_back(boolean("force_field", false, "added contacts count as closed at once, as in fig. 4.18"));
  return with_solvers(info);
}

MethodInfo lcp_fixpoint() {
  return with_solvers({"lcp-fixpoint",
                       "Erleben, fig. 4.22",
                       "implicit positions by fix-point iteration",
                       solvers_after("newton"),
                       {"poisson"},
                       {
                           integer("exact_rows", 300, 0, 1e6, kExactRows),
                           boolean("warm_start", true, kWarmStart),
                           number("margin", 0.01, 0, kBig, kMargin),
                           number("restitution_threshold", 0.05, 0, kBig, kThreshold),
                           number("slop", 1e-4, 0, kBig, "gaps up to this count as touch [m]"),
                           integer("linearizations", 20, 1, 1e6, "at most, each at the pose that the last one led to"),
                           number("fix_tolerance", 1e-8, 0, kBig, "change of pose that ends the rounds [m], [rad]"),
                       }});
}

MethodInfo anitescu() {
  return with_solvers({"anitescu",
                       "Anitescu, eqs. 4.10-4.12",
                       "no collision detection inside the step, constraint stabilization, restitution with O(h) error",
                       solvers_after("newton"),
                       {"newton"},
                       {
                           integer("exact_rows", 300, 0, 1e6, kExactRows),
                           boolean("warm_start", true, kWarmStart),
                           number("margin", 0.01, 0, kBig, kMargin),
                           number("recycling", 1e-6, 0, kBig, kRecycling),
                           integer("attempts", 5, 1, 1000,
                                   "solves of a step at most, each with the contacts that the one before missed"),
                           number("restitution_threshold", 0.05, 0, kBig, kThreshold),
                           word("restitution_from", {"before", "after"},
                                "the velocity that a collision gives back: before its step, or after, as in fig. 1"),
                           number("stabilization", 1, 0, 1, "share of penetrations and joint errors a step takes out"),
                       }});
}

MethodInfo position_optimal() {
  return with_solvers(
      {"position-optimal",
       "Erleben, sec. 2.4.4",
       "collision synchronization: one QP per frame gives non-penetrating positions",
       solvers_after("newton"),
       {"newton", "poisson", "mirtich", "guendelman", "gauss-seidel", "generalized-reflections", "inelastic"},
       {
           number("margin", 0.01, 0, kBig, kMargin),
           number("rest_speed", 0.05, 0, kBig,
                  "slower approaches do not bounce [m/s]; at least twice what gravity adds in a step"),
           integer("linearizations", 20, 1, 1e6, "at most, each at the pose that the last one led to"),
           number("fix_tolerance", 1e-8, 0, kBig, "change of pose that ends the rounds [m], [rad]"),
           number("touching", 1e-6, 0, kBig, "gaps up to this collide at the end of the frame [m]"),
       }});
}

MethodInfo first_order() {
  return with_solvers({"first-order",
                       "Erleben, sec. 4.16",
                       "Aristotle's world: positioning and penetration removal",
                       solvers_after("newton"),
                       {},
                       {
                           integer("exact_rows", 300, 0, 1e6, kExactRows),
                           number("margin", 0.01, 0, kBig, kMargin),
                           number("correction", 1, 0, 1, "share of penetrations and joint errors a step takes out"),
                       }});
}

MethodInfo penalty() {
  return {"penalty",
          "Erleben, sec. 2.4.2",
          "spring-damper contacts, stable step chosen or refused with a reason",
          {},
          {},
          {
              number("contact_time", 0.02, 1e-9, kBig,
                     "how long a collision lasts where the material has no stiffness [s]"),
              number("accuracy", 0.02, 1e-6, 1, "substeps are this share of the longest stable one"),
              integer("max_substeps", 10000, 1, 1e9, "a step that needs more is refused"),
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
              integer("iterations", 200, 1, 1e6, "sweeps for the contacts that rest, before Newton takes over"),
              boolean("independent_time", true,
                      "bodies that an event does not reach go on without it; else all stop there"),
          }};
}

MethodInfo impulse_conservative() {
  return {"impulse-conservative",
          "Mirtich",
          "no collision missed: heap of times of impact, swept boxes, microcollisions, no creep",
          {},
          {"mirtich", "newton", "poisson"},
          {
              number("tolerance", 1e-4, 1e-9, kBig, "surfaces this near collide, and may come this deep [m]"),
              number("micro_speed", 0, 0, kBig,
                     "slower approaches are microcollisions [m/s]; 0: what a fall by twice the "
                     "tolerance gives"),
              boolean("static_friction", true, "microcollisions are reversed whole where the friction cone allows"),
              integer("max_events", 1000000, 1, 1e9, "looks at pairs in one step before it counts as a Zeno point"),
          }};
}

MethodInfo hybrid() {
  return with_solvers(
      {"hybrid",
       "Erleben, secs. 2.4.5, 5.7; Mirtich, sec. 5.2",
       "impulses for groups that fly and bounce, constraints for those that rest, stack or hang on joints",
       solvers_after("nonsmooth-cg"),
       {"mirtich", "newton", "poisson"},
       {
           number("contact_tolerance", 1e-4, 1e-9, kBig, "how deep anything may come [m]"),
           number("rest_speed", 0.05, 0, kBig,
                  "contacts that close or open more slowly rest [m/s]; at least twice what gravity adds in a step"),
           number("margin", 0.01, 0, kBig, kMargin),
           integer("exact_rows", 300, 0, 1e6, kExactRows),
           integer("halvings", 6, 0, 20, "of the step where the constraint method would come deeper"),
       }});
}

MethodInfo impulse_by_lcp(std::string_view name, std::string_view source, std::string_view promise,
                          std::string_view solver) {
  MethodInfo info = impulse(name, source, promise);
  info.solvers = solvers_after(solver);
  info.impacts = {"poisson"};
  std::erase_if(info.options, [](const OptionInfo& option) { return option.name == "iterations"; });
  // The solver has a tolerance of its own.
  for (OptionInfo& option : info.options) {
    if (option.name == "tolerance") option.name = "contact_tolerance";
  }
  return with_solvers(info);
}

MethodInfo shock_propagation() {
  MethodInfo info{
      "shock-propagation",
      "Erleben, figs. 6.47-6.60",
      "tall stacks in 10 + 5 iterations, errors projected bottom-up",
      {},
      {"newton"},
      {
          number("weight_feeling", 0, 0, 1,
                 "f: share of what is out of balance in a stack that contacts must feel by themselves"),
          integer("iterations", 10, 1, 1e6, "sweeps of the dynamics at most; small groups that bounce take more"),
          integer("correction_iterations", 5, 1, 1e6, "sweeps of the position correction at most, in each layer"),
          number("tolerance", 1e-9, 0, kBig, "sweeps that change less than this end [m/s]"),
          word("layers", {"gravity", "distance"},
               "heights follow gravity, or count the contacts to the ground as in the thesis"),
          boolean("propagate", true, "go layer by layer; else all contacts at once, for comparison"),
          boolean("warm_start", true, kWarmStart),
          word("integrator", {"conserving", "semi-implicit"},
               "free motion: exact flight and conserved rotation, or eq. 6.76 to the letter"),
          number("margin", 0.01, 0, kBig, kMargin),
          number("restitution_threshold", 0.05, 0, kBig, kThreshold),
          number("slop", 1e-4, 0, kBig, "gaps and penetrations up to this count as touch [m]"),
          number("correction", 1, 0, 1, "share of the penetration beyond the slop that a step takes out"),
          number("recycling", 1e-6, 0, kBig, kRecycling),
      }};
  append_sleeping(info.options, 1e-8, SleepsAlone::kIfAsked);
  return info;
}

MethodInfo reflections() {
  return {
      "reflections",
      "Vouga et al.; Smith et al. 2012",
      "impacts of many bodies at once always end; elastic ones keep energy",
      {},
      {"generalized-reflections", "gauss-seidel", "newton", "poisson", "mirtich", "guendelman", "inelastic"},
      {
          number("tolerance", 1e-9, 0, kBig, "a predicted gap of at most this is a contact [m]"),
          number("rest_speed", 0, 0, kBig,
                 "slower approaches do not bounce [m/s]; at least twice what gravity adds in a step"),
          boolean("lineality", true, "find contacts that oppose each other and hold them shut; else they are told"),
          word("selection", {"lexicographic", "most-violated", "random"}, "which contact gauss-seidel strikes next"),
          integer("seed", 1, 0, 1e9, "of the random selection"),
          number("epsilon", 1e-9, 0, 0.1, "an approach below this share of the speed counts as none"),
          word("friction", {"after", "coupled", "none"},
               "once after the normal response; in every application; or not at all"),
          word("dissipation", {"blend", "per-impact"},
               "restitution between the inelastic and the elastic outcome, or in every application"),
          integer("max_applications", 2e7, 1, 1e9, "of the operator, per independent part of an impact"),
      }};
}

MethodInfo soft_step() {
  MethodInfo info{
      "soft-step",
      "beyond the papers",
      "substepped soft constraints on wide lanes and all cores: the throughput method",
      {},
      {"newton"},
      {
          integer("substeps", 8, 1, 1000, "collide once, solve this many times"),
          number("frequency", 120, 1e-3, 1e6,
                 "contacts are springs of this frequency [Hz], at most a fifth of the substeps'; on the ground "
                 "twice it"),
          number("damping", 0.5, 0, 1e6, "damping ratio of those springs"),
          number("push_speed", 3, 0, kBig, "penetration is pushed out at most this fast [m/s]"),
          number("margin", 0.01, 0, kBig, kMargin),
          number("recycling", 1e-3, 0, kBig, kRecycling),
          number("restitution_threshold", 0.2, 0, kBig, kThreshold),
          boolean("warm_start", true, kWarmStart),
      }};
  append_sleeping(info.options, 1e-5, SleepsAlone::kNever);  // single precision never rests below 1e-7
  return info;
}

}  // namespace

std::span<const MethodInfo> method_infos() {
  static const std::vector<MethodInfo> infos{
      impulse("impulse-naive", "Drumwright, alg. 1", "stops where contacts rest and says so: the baseline"),
      impulse("impulse-zeno-free", "Drumwright, algs. 2-4", "no impact missed, no Zeno point"),
      impulse_conservative(),
      lcp_fixed(),
      lcp_retroactive(),
      lcp_fixpoint(),
      impulse_by_lcp("lcp-event", "Erleben, figs. 4.23-4.24; Anitescu and Potra",
                     "stops at impacts; compression and decompression LCPs with friction", "newton"),
      anitescu(),
      impulse_by_lcp("anitescu-potra", "Drumwright's comparator",
                     "implicit resting contact, Poisson impact, friction cone with a chosen number of facets", "lemke"),
      shock_propagation(),
      reflections(),
      penalty(),
      position_optimal(),
      hybrid(),
      first_order(),
      soft_step(),
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
