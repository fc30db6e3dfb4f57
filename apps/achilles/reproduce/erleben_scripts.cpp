// Erleben, chapter 3: scripted bodies driven into stacks.
#include "reproduce/experiment.hpp"
#include "reproduce/stack_run.hpp"

#include <achilles/script.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles::reproduce {
namespace {

/// Eq. 3.49: how far the twice integrated acceleration of a script ends up from the scripted place, at worst [m].
double integrate_script(const WorldScript& script) {
  constexpr double kStep = 1e-3;
  if (script.description.speed.size() < 2) return 0;
  const double begin = script.description.speed.front().first, end = script.description.speed.back().first;
  const int steps = std::max(1, static_cast<int>(std::ceil((end - begin) / kStep)));
  const double h = (end - begin) / steps;
  const ScriptMotion start = evaluate_script(script, begin);
  Vec3 r = start.pose.p, v = start.velocity;
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    const double t = begin + k * h;
    const Vec3 a0 = evaluate_script(script, t).acceleration;
    const Vec3 a1 = evaluate_script(script, t + 0.5 * h).acceleration;
    const ScriptMotion next = evaluate_script(script, t + h);
    r += h * v + h * h / 6 * (a0 + 2 * a1);
    v += h / 6 * (a0 + 4 * a1 + next.acceleration);
    worst = std::max(worst, (r - next.pose.p).norm());
  }
  return worst;
}

struct ScriptScene {
  const char* file;
  const char* words;
  const char* body;  // the repeated one
  double duration;   // [s] in default size; 0: only in full
};

constexpr ScriptScene kScenes[] = {{"scripted_into_balls.yaml", "125 balls", "ball", 4},
                                   {"scripted_into_2000_balls.yaml", "2,000 balls", "ball", 0},
                                   {"scripted_into_wall.yaml", "wall of 200 bricks", "brick", 4},
                                   {"scripted_into_tower.yaml", "tower of 320 bricks", "brick", 0}};

/// A script drives into what stands: run to the end, how much is swept away, how deep bodies come into each other.
Clause sweep_away(const Setting& setting, const ScriptScene& scene, double shift, double& script_error) {
  StackMethod method = shock_propagation(1);
  if (shift != 0) {
    const Scene given = load_scene((setting.scenes / "erleben" / scene.file).string());
    const auto first = std::find_if(given.bodies.begin(), given.bodies.end(), [&](const BodyDescription& body) {
      return body.name.starts_with(std::string(scene.body) + "[");
    });
    if (first == given.bodies.end())
      throw std::runtime_error(fmt::format("no body '{}' in {}", scene.body, scene.file));
    const Vec3& p = first->pose.p;
    method.overrides = {{fmt::format("bodies.{}.position", scene.body),
                         fmt::format("[{:.17g}, {:.17g}, {:.17g}]", p.x() + shift, p.y() - 0.6 * shift, p.z())}};
  }
  StackRun run(setting.scenes / "erleben" / scene.file, method);
  for (const WorldScript& script : run.world().scripts) {
    script_error = std::max(script_error, integrate_script(script));
  }
  const std::vector<Vec3> start = run.world().bodies.position;
  const double duration = setting.full ? run.duration() : std::min(scene.duration, run.duration());
  Curve unused;
  run.follow(duration, unused);
  int swept = 0, all = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!run.world().bodies.is_movable(i)) continue;
    ++all;
    swept += (run.world().bodies.position[i] - start[i]).head<2>().norm() > 0.5 ? 1 : 0;
  }
  return {fmt::format("into {}{}: swept away", scene.words, shift != 0 ? ", moved by 8 mm" : ""),
          fmt::format("{} of {} bodies moved by more than 0.5 m in {} s, {:.1e} m deep at most{}", swept, all, duration,
                      run.penetration(), run.stopped() ? ", stopped" : ""),
          !run.stopped() && swept > all / 10 && run.penetration() < 0.01};
}

/// Figs. 3.7-3.10: scripted bodies driven into stacks.
Outcome drive_script(const Setting& setting) {
  Outcome outcome;
  double worst = 0;
  for (const ScriptScene& scene : kScenes) {
    if (!setting.full && scene.duration == 0) continue;
    outcome.clauses.push_back(sweep_away(setting, scene, 0, worst));
    outcome.clauses.push_back(sweep_away(setting, scene, 0.007, worst));
  }
  outcome.clauses.push_back(
      {"eq. 3.49: the acceleration of a script, integrated twice, leads where the script does "
       "(the thesis gets off track)",
       fmt::format("misses the places by {:.1e} m", worst), worst < 1e-6});
  outcome.note = setting.full ? "turning scripts are twice continuously differentiable here"
                              : "2,000 balls and the tower with --full";
  return outcome;
}

}  // namespace

Experiment erleben_script_experiment() {
  return {"E14",
          "scripted bodies",
          "figs. 3.6-3.10",
          "µ 0.25, e 0.25, step 0.01, density 10",
          "stacks are swept away",
          drive_script};
}

}  // namespace achilles::reproduce
