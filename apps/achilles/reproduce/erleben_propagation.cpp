// Erleben, sections 6.4 and 6.5: shock propagation, figure 6.60 to the letter and ours.
#include "reproduce/experiment.hpp"
#include "reproduce/stack_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace achilles::reproduce {
namespace {

constexpr double kRipple = 1;        // [m/s] bricks that are faster leave the tower
constexpr double kCorrected = 1e-4;  // [m] what is not deeper has been corrected

/// Figs. 6.53-6.54: what is left of the penetration after each frame.
Outcome correct_penetration(const Setting& setting) {
  constexpr int kFrames = 10;
  StackMethod thesis = thesis_propagation(0), without = shock_propagation(0);
  thesis.options["second_correction"] = false;  // these figures come before figure 6.60
  without.options["propagate"] = false;
  Plot plot{"penetration of 125 balls", "frame", "depth [m]", false, true, {}};
  const auto follow = [&](const char* name, const StackMethod& method) {
    StackRun run(setting.scenes / "erleben" / "penetrating_balls.yaml", method);
    Curve curve{name, {}, {}, true};
    for (int frame = 0; frame <= kFrames; ++frame) {
      curve.x.push_back(frame);
      curve.y.push_back(std::max(run.depth_now(), 1e-9));
      (void)run.step();
    }
    plot.curves.push_back(curve);
    return curve;
  };
  const Curve layers = follow("figure 6.56", thesis), none = follow("without layers", without);
  const Curve ours = follow("ours", shock_propagation(0));
  const auto count_frames = [](const Curve& curve) {
    const auto right = std::find_if(curve.y.begin(), curve.y.end(), [](double depth) { return depth <= kCorrected; });
    return static_cast<int>(right - curve.y.begin());
  };
  const int frames = count_frames(layers);
  Outcome outcome;
  outcome.clauses = {{"5 layers are right after 5 frames",
                      fmt::format("after {}, with {:.1e} m after 4", frames, layers.y[4]), frames == 5},
                     {"without layers the same sweeps do not take it out in as many frames",
                      fmt::format("{:.1e} m are left of 0.1 m", none.y[5]), none.y[5] > kCorrected}};
  outcome.ours = fmt::format("ours: {:.1e} m are left after one frame", ours.y[1]);
  outcome.note = "gaps of a layer are re-evaluated from the displacements below, by which ours takes one frame";
  outcome.plots = {plot};
  return outcome;
}

struct Standing {
  const char* scene;
  double size;  // [m] of a body, the smallest edge
};

/// How one stack ripples under one algorithm, by the weight feeling.
struct Ripples {
  Curve speed;  // [m/s] largest from `since` on, over f
  Curve drift;  // [m] over f
};

Ripples measure_ripples(const Setting& setting, const Standing& stack, bool thesis, double perturbation,
                        const std::vector<double>& weights) {
  const double duration = setting.full ? 5 : 1;
  const std::string name = fmt::format("{}{}", thesis ? "figure 6.60" : "ours", perturbation > 0 ? ", perturbed" : "");
  Ripples ripples{{name, {}, {}, false}, {name, {}, {}, false}};
  for (const double f : weights) {
    StackMethod method = thesis ? thesis_propagation(f) : shock_propagation(f);
    method.perturbation = perturbation;
    StackRun run(setting.scenes / "erleben" / stack.scene, method);
    const double speed = run.measure_speed(0.5 * duration, duration);
    ripples.speed.x.push_back(f);
    ripples.speed.y.push_back(std::max(speed, 1e-12));
    ripples.drift.x.push_back(f);
    ripples.drift.y.push_back(std::max(run.drift(), 1e-12));
  }
  return ripples;
}

std::string describe(const Curve& curve) {
  std::string text;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    text += fmt::format("{}{:.1e} (f {})", k == 0 ? "" : ", ", curve.y[k], curve.x[k]);
  }
  return text;
}

/// Figs. 6.55-6.61.
Outcome ripple(const Setting& setting) {
  const std::vector<double> weights =
      setting.full ? std::vector<double>{0, 0.01, 0.025, 0.05, 0.075, 0.1, 0.125} : std::vector<double>{0, 0.025, 0.05};
  const Standing tower{"tower_640.yaml", 1};
  const Ripples thesis = measure_ripples(setting, tower, true, 0, weights);
  const Ripples ours = measure_ripples(setting, tower, false, 0, weights);
  const Curve& speed = thesis.speed;
  // The thesis shows f up to 0.05.
  const auto shown = std::upper_bound(speed.x.begin(), speed.x.end(), 0.05) - speed.x.begin();
  Outcome outcome;
  outcome.clauses = {
      {"the tower ripples at f 0.025 and 0.05", "speeds [m/s]: " + describe(speed),
       speed.y[static_cast<std::size_t>(shown) - 1] > kRipple},
      {"the larger f the more violent", "the same speeds", std::is_sorted(speed.y.begin(), speed.y.begin() + shown)},
      {"f = 0 makes it disappear", fmt::format("{:.1e} m/s, {:.1e} m", speed.y.front(), thesis.drift.y.front()),
       speed.y.front() < 0.01 * kRipple}};
  outcome.ours = "ours, speeds [m/s]: " + describe(ours.speed) + "; drifts [m]: " + describe(ours.drift);
  outcome.note =
      "speeds of the fastest brick in the second half of the run. A layer that is solved with those below held hands "
      "its error up, times the lever of a brick; ours propagates loads from the top down before sweeps over all "
      "contacts, and re-evaluates positions from layer to layer";
  outcome.plots = {{"tower of 640 bricks: speed", "f", "largest speed [m/s]", false, true, {thesis.speed, ours.speed}},
                   {"tower of 640 bricks: drift", "f", "drift [m]", false, true, {thesis.drift, ours.drift}}};
  const std::vector<Standing> others =
      setting.full
          ? std::vector<Standing>{{"ball_grid.yaml", 1}, {"stack.yaml", 1}, {"wall.yaml", 1}, {"tower_320.yaml", 0.5}}
          : std::vector<Standing>{};
  for (const Standing& stack : others) {
    Plot plot{fmt::format("{}: drift", stack.scene), "f", "drift [m]", false, true, {}};
    for (const double perturbation : {0.0, 1e-3}) {
      for (const bool is_thesis : {true, false}) {
        plot.curves.push_back(measure_ripples(setting, stack, is_thesis, perturbation, weights).drift);
      }
    }
    outcome.plots.push_back(plot);
  }
  return outcome;
}

/// Figs. 6.67-6.69: how the boxes fall asleep under one restitution.
struct Sleep {
  int frame = 0;  // by which all sleep
  bool asleep = false;
  double energy = 0;  // [J] kinetic, the largest
};

Sleep fall_asleep(const Setting& setting, StackMethod method, double restitution) {
  constexpr int kFrames = 300;
  method.options["sleeping"] = true;
  method.options["sleep_steps"] = 4.0;
  method.options["sleep_energy"] = 1e-4;
  method.options["restitution_threshold"] = 0.0;
  method.restitution = restitution;
  StackRun run(setting.scenes / "erleben" / "sleeping_stack.yaml", method);
  Sleep sleep;
  for (; sleep.frame < kFrames && !run.all_asleep(); ++sleep.frame) {
    (void)run.step();
    sleep.energy = std::max(sleep.energy, run.world().kinetic_energy());
  }
  sleep.asleep = run.all_asleep();
  return sleep;
}

std::string describe(const Sleep& sleep) {
  return sleep.asleep ? fmt::format("asleep by frame {}", sleep.frame)
                      : fmt::format("awake after {} frames, up to {:.2g} J", sleep.frame, sleep.energy);
}

Outcome watch_sleep(const Setting& setting) {
  constexpr double kExplosion = 100;  // [J] the boxes weigh 10 kg: all of them at 1.4 m/s
  constexpr double f = 0.01;
  std::map<double, Sleep> thesis;
  std::string ours;
  for (const double restitution : {0.1, 0.4, 1.0}) {
    thesis[restitution] = fall_asleep(setting, thesis_propagation(f), restitution);
    ours += fmt::format("{}e {}: {}", ours.empty() ? "ours: " : ", ", restitution,
                        describe(fall_asleep(setting, shock_propagation(f), restitution)));
  }
  Outcome outcome;
  outcome.clauses = {{"e 0.1: asleep by frame 5", describe(thesis[0.1]), thesis[0.1].asleep && thesis[0.1].frame <= 10},
                     {"e 0.4: asleep by frame 28, later than with e 0.1", describe(thesis[0.4]),
                      thesis[0.4].asleep && std::abs(thesis[0.4].frame - 28) <= 14},
                     {"e 1: explodes", describe(thesis[1.0]), thesis[1.0].energy > kExplosion}};
  outcome.ours = ours;
  outcome.note =
      "f = 0.01, asleep after 4 calm steps, so that frame 5 is 10 at most. What ten sweeps leave is a collision in the "
      "next "
      "frame, which restitution hands on: an exact solver, by the thesis, would see the boxes asleep at once, and "
      "loads that are propagated exactly are such";
  return outcome;
}

}  // namespace

std::vector<Experiment> erleben_propagation_experiments() {
  return {
      {"E10", "penetration removed by layers", "figs. 6.53-6.54", "125 balls 0.1 m deep in each other, 5 sweeps",
       "one layer per frame; without layers the grid is lost", correct_penetration},
      {"E11", "rippling", "figs. 6.55-6.61",
       "tower of 640 bricks, f 0, 0.025 and 0.05, 1 s; with --full five stacks, f from 0 to 0.125, 5 s, perturbed too",
       "ripples, the more the larger f; none for f = 0", ripple},
      {"E13", "sleeping stack", "figs. 6.67-6.69", "10 boxes, e 0.1, 0.4 and 1; asleep after 4 calm steps",
       "asleep by frame 5 and 28; e = 1 explodes", watch_sleep},
  };
}

}  // namespace achilles::reproduce
