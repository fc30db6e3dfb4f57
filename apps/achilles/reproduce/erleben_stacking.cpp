// Erleben, chapter 3 and section 6.1: stacks under sweeps, scripts.
#include "reproduce/experiment.hpp"
#include "reproduce/stack_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles::reproduce {
namespace {

/// What the thesis sees of plain sweeps in a stack.
struct SweepClaim {
  const char* claim;
  int sweeps;
  bool stands;             // whether it states that they hold
  double collapse = 0;     // [s] when they collapse, to a fifth; 0: not stated
  bool full_only = false;  // takes longer than CI has
};

struct StackCase {
  const char* scene;
  const char* unit;  // what stands, for people
  double size;       // [m] its smallest edge
  std::vector<SweepClaim> claims;
  double duration;  // [s] in default size
};

constexpr double kWeightFeeling = 0.01;  // f: the largest of most runs of the thesis
constexpr double kStands = 0.1;          // of the smallest edge: what has drifted less stands
constexpr double kMoves = 1e-3;          // of the smallest edge: what has drifted more shows it
constexpr double kPerturbation = 1e-3;   // [m] of the perturbed starts

/// When a curve first reaches a value; its end where it does not.
double find_time(const Curve& curve, double value) {
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (curve.y[k] >= value) return curve.x[k];
  }
  return curve.x.empty() ? 0 : curve.x.back();
}

Clause judge_sweeps(const SweepClaim& claim, const StackCase& stack, const StackRun& run, const Curve& curve) {
  std::string here = fmt::format("drift {:.2g} m, {:.1e} m deep", run.drift(), run.penetration());
  bool holds = claim.stands ? run.drift() < kStands * stack.size : run.drift() > kMoves * stack.size;
  if (claim.collapse > 0) {
    const double time = find_time(curve, kStands * stack.size);
    here += fmt::format("; a tenth of an edge at {:.1f} s", time);
    holds = holds && std::abs(time - claim.collapse) < 0.2 * claim.collapse;
  }
  return {claim.claim, here, holds};
}

/// Plain sweeps, cold every step; figure 6.60 as printed; and our algorithm: from the thesis' start and a perturbed
/// one.
Outcome compare_sweeps(const Setting& setting, const StackCase& stack) {
  const double duration = setting.full ? 30 : stack.duration;
  Outcome outcome;
  Plot plot{fmt::format("drift of the {}", stack.unit), "time [s]", "drift [m]", false, true, {}};
  const auto follow = [&](const std::string& name, const StackMethod& method) {
    StackRun run(setting.scenes / "erleben" / stack.scene, method);
    plot.curves.push_back({name, {}, {}, false});
    run.follow(duration, plot.curves.back());
    return run;
  };
  for (const SweepClaim& claim : stack.claims) {
    if (claim.full_only && !setting.full) continue;
    const StackRun run = follow(fmt::format("{} sweeps", claim.sweeps), plain_gauss_seidel(claim.sweeps));
    outcome.clauses.push_back(judge_sweeps(claim, stack, run, plot.curves.back()));
  }
  const auto describe = [&](const StackRun& run) {
    return fmt::format("drift {:.1e} m, {:.1e} m deep after {} s", run.drift(), run.penetration(), duration);
  };
  StackMethod thesis = thesis_propagation(kWeightFeeling), ours = shock_propagation(kWeightFeeling);
  const StackRun exact = follow("figure 6.60, 10 + 5", thesis);
  outcome.clauses.push_back(
      {"10 + 5 sweeps with figure 6.60 stand", describe(exact), exact.drift() < kStands * stack.size});
  outcome.ours = "ours, 10 + 5: " + describe(follow("ours, 10 + 5", ours));
  thesis.perturbation = ours.perturbation = kPerturbation;
  outcome.ours +=
      "; from a start perturbed by 1 mm, figure 6.60: " + describe(follow("figure 6.60, perturbed", thesis));
  outcome.ours += "; ours: " + describe(follow("ours, perturbed", ours));
  outcome.note =
      "plain sweeps start cold and nothing corrects positions, as in section 6.1; f = 0.01. Stands: drift below a "
      "tenth "
      "of the smallest edge; moves: above a thousandth. A perturbed start has gaps of 1 mm below every body and "
      "offsets of up to 1 mm";
  outcome.plots = {plot};
  return outcome;
}

}  // namespace

std::vector<Experiment> erleben_stacking_experiments() {
  const std::string given = "µ 0.25, e 0.25, step 0.01, density 10";
  // At one half the end brick of a course would balance on an edge.
  const std::string given_wall = given + "; bricks overlap by 0.45 of their length; 0.5 s, with --full 30 s";
  const auto sweeps = [](const StackCase& stack) {
    return [stack](const Setting& setting) { return compare_sweeps(setting, stack); };
  };
  return {
      {"E1", "grid of 125 balls", "figs. 6.12-6.13", given, "10 sweeps collapse at 2.5 s, 100 hold",
       sweeps({"ball_grid.yaml",
               "grid",
               1,
               {{"10 sweeps collapse at 2.5 s", 10, false, 2.5}, {"100 sweeps hold", 100, true}},
               4})},
      {"E2", "stack of 25 boxes", "figs. 6.14-6.17", given, "10 and 100 sweeps fail, 10,000 still show faults",
       sweeps({"stack.yaml",
               "stack",
               1,
               {{"10 sweeps fail", 10, false},
                {"100 sweeps fail", 100, false},
                {"10,000 sweeps still show faults", 10000, false, 0, true}},
               3})},
      {"E3", "wall of 200 bricks", "figs. 6.18-6.19", given_wall, "100 sweeps are rubbery and split near 10 s",
       sweeps({"wall.yaml",
               "wall",
               1,
               {{"10 sweeps fail", 10, false},
                {"100 sweeps are rubbery", 100, false},
                {"100 sweeps split near 10 s", 100, false, 10, true}},
               0.5})},
      {"E4", "tower of 320 bricks", "figs. 6.20-6.21", given, "bulges at 10 sweeps",
       sweeps({"tower_320.yaml", "tower", 0.5, {{"10 sweeps bulge", 10, false}}, 0.7})},
  };
}

}  // namespace achilles::reproduce
