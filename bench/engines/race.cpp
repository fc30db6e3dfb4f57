#include "engines/race.hpp"

#include "methods/method_spec.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>

namespace achilles::bench {
namespace {

// Steps. The first is not timed: it finds the caches as the others left them, and helpers asleep.
constexpr int kTurn = 10;

struct Runner {
  std::unique_ptr<Engine> engine;
  std::vector<double> turns;  // [ms] per step of the timed turns, each the fastest of the repeats
};

/// Time per step [ms].
double take_turn(Engine& engine) {
  engine.step();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 1; k < kTurn; ++k) engine.step();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / (kTurn - 1);
}

void run_once(const RaceOptions& options, std::vector<Runner>& runners) {
  for (Runner& runner : runners) {
    for (int k = 0; runner.engine && k < options.untimed; ++k) runner.engine->step();
  }
  const int turns = (options.steps - options.untimed) / kTurn;
  for (int turn = 0; turn < turns; ++turn) {
    for (Runner& runner : runners) {
      if (!runner.engine) continue;
      runner.turns.resize(static_cast<std::size_t>(turns), std::numeric_limits<double>::infinity());
      double& best = runner.turns[static_cast<std::size_t>(turn)];
      best = std::min(best, take_turn(*runner.engine));
    }
  }
}

void choose_method(const std::string& name, const std::vector<std::string>& options, Scene& scene) {
  scene.method.name = name;
  const std::vector<OptionInfo>& known = find_method(name)->options;
  for (const std::string& option : options) {
    const std::size_t sign = option.find('=');
    if (sign == std::string::npos) throw std::invalid_argument("option without a value: " + option);
    const std::string key = option.substr(0, sign), value = option.substr(sign + 1);
    if (std::none_of(known.begin(), known.end(), [&](const OptionInfo& one) { return one.name == key; })) continue;
    if (value == "true" || value == "false") {
      scene.method.options[key] = value == "true";
    } else {
      scene.method.options[key] = std::stod(value);
    }
  }
}

}  // namespace

std::vector<Contestant> contestants() {
  std::vector<Contestant> all{{"soft-step", make_achilles, "soft-step", 1},
                              {"soft-step-2", make_achilles, "soft-step", 2},
                              {"shock", make_achilles, "shock-propagation", 1},
                              {"shock-2", make_achilles, "shock-propagation", 2},
                              {"soft-step-twice", make_achilles_twice, "soft-step", 1, 2},
                              {"shock-twice", make_achilles_twice, "shock-propagation", 1, 2}};
#ifdef ACHILLES_BENCH_BULLET
  all.push_back({"bullet", make_bullet, "", 1});
#endif
#ifdef ACHILLES_BENCH_ODE
  all.push_back({"ode", make_ode, "", 1});
#endif
#ifdef ACHILLES_BENCH_MUJOCO
  all.push_back({"mujoco", make_mujoco, "", 1});
#endif
#ifdef ACHILLES_BENCH_BOX3D
  all.push_back({"box3d", make_box3d, "", 1});
  all.push_back({"box3d-2", make_box3d, "", 2});
#endif
#ifdef ACHILLES_BENCH_JOLT
  all.push_back({"jolt", make_jolt, "", 1});
  all.push_back({"jolt-2", make_jolt, "", 2});
#endif
  return all;
}

double time_of_bullet(const std::vector<Result>& results) {
  for (const Result& result : results) {
    if (result.engine == "bullet" && result.able) return result.milliseconds;
  }
  return 0;
}

std::vector<Result> race(const Scene& scene, const std::vector<Contestant>& contestants, const RaceOptions& options) {
  std::vector<Runner> runners(contestants.size());
  std::vector<Result> results(contestants.size());
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Scene own = scene;
      if (!contestants[i].method.empty()) choose_method(contestants[i].method, options.options, own);
      runners[i].engine = contestants[i].make(own, contestants[i].threads);
    }
    run_once(options, runners);
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    results[i].engine = contestants[i].name;
    results[i].able = runners[i].engine != nullptr;
    if (!results[i].able) continue;
    for (const double turn : runners[i].turns) results[i].milliseconds += turn;
    results[i].milliseconds /= static_cast<double>(std::max<std::size_t>(runners[i].turns.size(), 1));
    results[i].milliseconds /= contestants[i].copies;
    results[i].measured = measure(scene, *runners[i].engine);
  }
  return results;
}

}  // namespace achilles::bench
