// V2, V3, V8, V9: whole runs that meet opposed contacts, friction, and rounding.
#include <fmt/format.h>
#include <achilles/simulation.hpp>

#include <algorithm>
#include <cmath>

#include "reproduce/experiment.hpp"
#include "reproduce/instant.hpp"

namespace achilles::reproduce {
namespace {

struct Ending {
  bool ended = true;
  double time = 0;  // [s]
  int lineality = 0;
  int iterations = 0;
  std::string message;
};

Ending run_scene(const Setting& setting, const std::string& name, const std::string& law, bool lineality,
                 double duration, std::vector<Override> overrides = {}) {
  overrides.insert(
      overrides.begin(),
      {{"method.name", "reflections"}, {"method.impact", law}, {"method.lineality", lineality ? "true" : "false"}});
  Simulation simulation(load_scene((setting.scenes / "vouga" / (name + ".yaml")).string(), overrides));
  Ending ending;
  while (simulation.world().time < duration && ending.ended) {
    const StepReport report = simulation.step();
    ending.lineality += report.lineality;
    ending.iterations = std::max(ending.iterations, report.impact_iterations);
    if (report.stopped) {
      ending.ended = false;
      ending.message = report.stopped->message;
    }
  }
  ending.time = simulation.world().time;
  return ending;
}

constexpr const char* kLaws[] = {"gauss-seidel", "generalized-reflections"};

// ---- V2 -------------------------------------------------------------------------------------------------------------

/// (1, 1), (−1, 1), (0, 1): redundant, not opposed.
bool control_ends() {
  for (const bool lineality : {true, false}) {
    PropagationOptions options;
    options.lineality = lineality;
    for (const auto& one : make_operators(options)) {
      HandmadeImpact ball;
      ball.add_ball(1, {0.2, -1, 0});
      for (const double x : {1.0, -1.0, 0.0}) {
        ball.add_contact(HandmadeImpact::kWall, 0, Vec3(x, 1, 0).normalized());
      }
      const ImpactReport report = ball.resolve(one.second);
      if (report.status != ImpactStatus::kResolved || report.lineality != 0) return false;
    }
  }
  return true;
}

Outcome run_wedged(const Setting& setting) {
  Outcome outcome;
  std::string message;
  for (const auto& [name, words] :
       {std::pair("wedged_ball", "left: one ball between two walls"), std::pair("wedged_balls", "centre: two balls"),
        std::pair("wedged_later", "right: wedged during the run")}) {
    for (const char* law : kLaws) {
      const Ending off = run_scene(setting, name, law, false, 1), on = run_scene(setting, name, law, true, 1);
      outcome.clauses.push_back({fmt::format("{}, {}: does not end, with lineality detection it does", words, law),
                                 fmt::format("{} at {:.3f} s; {}, {} dimensions held", off.ended ? "ends" : "stopped",
                                             off.time, on.ended ? "ends" : "stopped", on.lineality),
                                 !off.ended && on.ended && on.lineality > 0});
      if (message.empty()) message = off.message;
    }
  }
  outcome.clauses.push_back({"control: (1, 1), (-1, 1), (0, 1) are redundant, not implicit equalities",
                             "ends with and without detection, no dimension held", control_ends()});
  outcome.note = "reported of the first: " + message;
  return outcome;
}

// ---- V3 -------------------------------------------------------------------------------------------------------------

Outcome run_geyser(const Setting& setting) {
  Outcome outcome;
  const double duration = setting.full ? 3 : 0.5;
  for (const char* law : kLaws) {
    const Ending off = run_scene(setting, "geyser", law, false, duration);
    const Ending on = run_scene(setting, "geyser", law, true, duration);
    const Ending shrunk =
        run_scene(setting, "geyser", law, false, duration, {{"bodies.plug.shape.sphere.radius", "0.499"}});
    const auto word = [](const Ending& ending) { return ending.ended ? "ends" : "stopped"; };
    outcome.clauses.push_back({fmt::format("{}: fails without lineality detection", law),
                               fmt::format("{} at {:.3f} s", word(off), off.time), !off.ended});
    outcome.clauses.push_back({fmt::format("{}: resolves with it", law),
                               fmt::format("{}, {} dimensions held", word(on), on.lineality),
                               on.ended && on.lineality > 0});
    outcome.clauses.push_back({fmt::format("{}: balls shrunk slightly need no detection", law),
                               fmt::format("radius 0.499 in place of 0.5: {}", word(shrunk)), shrunk.ended});
  }
  return outcome;
}

// ---- V8 -------------------------------------------------------------------------------------------------------------

Outcome run_friction(const Setting& setting) {
  Outcome outcome;
  const int count = setting.full ? 20000 : 400;
  PropagationOptions after, coupled;
  coupled.friction = ImpactFriction::kCoupled;
  const auto operators = make_operators(after), coupling = make_operators(coupled);
  int ended = 0, gained = 0, pointed = 0, pointed_ended = 0, blunt_ended = 0;
  for (int trial = 0; trial < count; ++trial) {
    const HandmadeImpact before = make_random(static_cast<std::uint64_t>(trial), 1 + trial % 12, 0.4);
    const auto k = static_cast<std::size_t>(trial) % operators.size();
    HandmadeImpact one = before;
    ended += one.resolve(operators[k].second).status == ImpactStatus::kResolved;
    gained += one.energy() > before.energy() * (1 + 1e-12);
    HandmadeImpact other = before;
    const ImpactReport report = other.resolve(coupling[k].second);
    const bool done = report.status == ImpactStatus::kResolved;
    pointed += report.friction_pointed;
    pointed_ended += report.friction_pointed && done;
    blunt_ended += !report.friction_pointed && done;
  }
  outcome.clauses = {
      {"applied after the normal response, it ends", fmt::format("{} of {} random rough impacts", ended, count),
       ended == count},
      {"and takes energy out", fmt::format("{} gain energy", gained), gained == 0},
      {"beyond: friction in every application ends where the friction cones are pointed",
       fmt::format("{} of {}; where they are not, {} of {}", pointed_ended, pointed, blunt_ended, count - pointed),
       pointed_ended == pointed},
  };
  return outcome;
}

// ---- V9 -------------------------------------------------------------------------------------------------------------

/// Wedges narrower and narrower, down to what rounding cannot distinguish from shut.
Plot plot_narrow_wedges(bool& ended) {
  Plot plot{"wedges down to rounding", "theta [rad]", "iterations", true, true, {}};
  for (const bool lineality : {true, false}) {
    GaussSeidelLaw law;
    law.options.lineality = lineality;
    Curve curve{lineality ? "with lineality" : "without", {}, {}, true};
    for (double theta = 0.3; theta > 1e-13; theta *= 0.3) {
      HandmadeImpact wedge = make_wedge(theta, 0.37 * theta);
      wedge.velocities[0].linear.y() += 0.3;
      const ImpactReport report = wedge.resolve(law);
      if (lineality) ended &= report.status == ImpactStatus::kResolved && wedge.violation() <= 1e-9;
      if (report.status != ImpactStatus::kResolved) continue;
      curve.x.push_back(theta);
      curve.y.push_back(static_cast<double>(std::max<std::int64_t>(report.iterations, 1)));
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

Outcome run_inexact(const Setting& setting) {
  Outcome outcome;
  const int count = setting.full ? 20000 : 400;
  const auto operators = make_operators();
  Plot plot{"iterations beside their estimate", "estimate", "iterations", true, true, {}};
  for (const auto& one : operators) plot.curves.push_back({one.first, {}, {}, true});
  int ended = 0, opposed = 0;
  std::int64_t most = 0;
  double drift = 0;
  for (int trial = 0; trial < count; ++trial) {
    HandmadeImpact impact = make_random(static_cast<std::uint64_t>(trial), 1 + trial % 60);
    const double energy = impact.energy();
    const auto k = static_cast<std::size_t>(trial) % operators.size();
    const ImpactReport report = impact.resolve(operators[k].second);
    const double share = impact.energy() / energy;
    ended += report.status == ImpactStatus::kResolved && impact.violation() * std::sqrt(share) <= 1.1e-9;
    opposed += report.lineality > 0;
    most = std::max(most, report.iterations_max);
    drift = std::max(drift, std::abs(share + report.energy_removed / energy - 1));
    if (report.iterations_max == 0 || report.expected_iterations == 0) continue;
    plot.curves[k].x.push_back(report.expected_iterations);
    plot.curves[k].y.push_back(static_cast<double>(report.iterations_max));
  }
  bool narrow = true;
  outcome.plots.push_back(plot_narrow_wedges(narrow));
  outcome.plots.push_back(std::move(plot));
  outcome.clauses = {
      {"ends in floating point within the tolerance",
       fmt::format("{} of {} random impacts end within 1e-9, {} of them with opposed contacts, at most {} iterations",
                   ended, count, opposed, most),
       ended == count && opposed > 0},
      {"renormalization keeps the energy", fmt::format("to {:.0e}", drift), drift <= 1e-12},
      {"with the approximate lineality space nearly opposed contacts end", "wedges down to 1e-13 rad", narrow},
  };
  outcome.note =
      "up to 60 contacts, mass ratios to 10,000; what counts as opposed: no velocity opens every contact by 1e-4 of "
      "its "
      "length. The estimate of the number of iterations is beyond the paper";
  return outcome;
}

}  // namespace

std::vector<Experiment> vouga_termination_experiments() {
  return {
      {"V2", "wedged balls", "figure 2", "all opposing constraints active; chosen: unit balls, speeds of about 1 m/s",
       "neither operator ends; with lineality detection both do", run_wedged},
      {"V3", "ball geyser", "figure 1, section 8",
       "a ball fired up a shaft into a plug that fills it; chosen: 4 x 5 balls of 1 m, 25 m/s",
       "fails without, resolves with lineality detection; shrinking the balls removes the degeneracy", run_geyser},
      {"V8", "friction", "section 6.3", "applied after the normal response; chosen: random balls, friction 0.4", "ends",
       run_friction},
      {"V9", "inexact arithmetic", "section 7",
       "tolerance -eps |v|, renormalization, approximate lineality space; chosen: eps 1e-9, margin 1e-4",
       "ends in floating point", run_inexact},
  };
}

}  // namespace achilles::reproduce
