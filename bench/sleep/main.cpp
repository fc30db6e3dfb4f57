// What sleepers cost: a hundred boxes awake in ten columns, alone and among many boxes asleep, in turns. Beside the
// step, what a run does with it: the account that is kept of every step, and the depth that is measured at every
// instant.
#include "engines/scene_parts.hpp"
#include "record/run_report.hpp"
#include "world/world_memory.hpp"

#include <achilles/simulation.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace achilles::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTurn = 10;  // steps

struct Arguments {
  int sleepers = 1'000'000;
  int awake = 100;
  int turns = 20;
  std::string method = "soft-step";
};

Scene make_columns(const Arguments& arguments) {
  Scene scene = make_scene("columns");
  add_plane(scene, Vec3::UnitZ(), 0);
  for (int k = 0; k < arguments.awake; ++k) {
    const Vec3 at(3 * (k / 10) + 1.5, 1.5, 0.5 + k % 10);
    (void)add_solid(scene, {Box{Vec3(1, 1, 1)}}, {at, Quat::Identity()});
  }
  // Those that are awake stay so, however long they rest.
  scene.method = {arguments.method, "", "", {{"sleeping", true}, {"sleep_steps", 1e6}}};
  return scene;
}

/// Boxes on a grid around the columns, each of which sleeps by itself.
void add_sleepers(int count, World& world) {
  const int across = static_cast<int>(std::ceil(std::sqrt(count)));
  world.memory().sleep.gravity = world.gravity;
  for (int k = 0; k < count; ++k) {
    BodyDescription box;
    box.name = "sleeper" + std::to_string(k);
    box.shape = {Box{Vec3(1, 1, 1)}};
    box.pose.p = Vec3(3 * (k % across) - 9, 3 * (k / across) - 9, 0.5);
    const std::uint32_t index = world.index_of(world.add_body(box));
    ++world.memory().sleep.islands;
    world.lie_down(index, index);
  }
}

/// [ms]
struct Costs {
  double step = 0, account = 0, depth = 0;

  void keep_least(const Costs& other) {
    step = std::min(step, other.step);
    account = std::min(account, other.account);
    depth = std::min(depth, other.depth);
  }
};

/// A run and its account.
struct Watched {
  explicit Watched(const Scene& scene) : simulation(scene) {}

  /// Steps by themselves, then steps of which only what comes after counts: it leaves other things in the cache.
  Costs take_turn() {
    Costs costs;
    const auto start = Clock::now();
    for (int k = 0; k < kTurn; ++k) (void)simulation.step();
    costs.step = to_ms(Clock::now() - start) / kTurn;
    for (int k = 0; k < kTurn; ++k) {
      const StepReport step = simulation.step();
      const auto stepped = Clock::now();
      report.after_step(simulation.world(), step);
      report.contacts(simulation.world(), simulation.contacts());
      const auto accounted = Clock::now();
      (void)simulation.penetration();
      costs.depth += to_ms(Clock::now() - accounted) / kTurn;
      costs.account += to_ms(accounted - stepped) / kTurn;
    }
    return costs;
  }

  static double to_ms(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

  Simulation simulation;
  ReportBuilder report;
};

/// Resident memory of this process [MB].
double measure_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

void run(const Arguments& arguments) {
  const Scene scene = make_columns(arguments);
  Watched alone(scene), among(scene);
  const double before = measure_memory();
  const auto start = Clock::now();
  add_sleepers(arguments.sleepers, among.simulation.world());
  const std::chrono::duration<double> made = Clock::now() - start;
  const auto first = Clock::now();
  (void)among.simulation.step();
  const double indexed = Watched::to_ms(Clock::now() - first);
  for (Watched* one : {&alone, &among}) one->report.begin(one->simulation.world(), scene);
  (void)alone.take_turn();
  (void)among.take_turn();
  Costs t = alone.take_turn(), T = among.take_turn();
  for (int turn = 1; turn < arguments.turns; ++turn) {
    t.keep_least(alone.take_turn());
    T.keep_least(among.take_turn());
  }
  const World& world = among.simulation.world();
  const auto asleep = std::count(world.bodies.asleep.begin(), world.bodies.asleep.end(), 1);
  fmt::print(
      "{:<18} {:>7} {:>9} | {:>8.4f} {:>8.4f} {:>6.2f} | {:>8.4f} {:>8.4f} | {:>8.4f} {:>8.4f} | {:>9.1f} {:>7.1f} "
      "{:>9.0f}\n",
      arguments.method, arguments.awake, asleep, t.step, T.step, T.step / t.step, t.account, T.account, t.depth,
      T.depth, indexed, made.count(), (measure_memory() - before) * 1048576 / std::max(1, arguments.sleepers));
}

int main_of(int argc, char** argv) {
  CLI::App app("What sleepers cost: some boxes awake, alone and among many asleep");
  Arguments arguments;
  std::vector<int> sleepers{1000, 1'000'000};
  std::vector<std::string> methods{"soft-step", "shock-propagation", "lcp-fixed"};
  app.add_option("--sleepers", sleepers, "How many boxes sleep")->delimiter(',');
  app.add_option("--methods", methods, "Methods that know of sleeping")->delimiter(',');
  app.add_option("--awake", arguments.awake, "How many are awake")->check(CLI::Range(1, 100'000));
  app.add_option("--turns", arguments.turns, "Turns of twenty steps, of which the fastest counts");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:<18} {:>7} {:>9} | {:>24} | {:>17} | {:>17} |\n", "[ms], alone, among", "", "", "step, ratio",
             "account", "depth");
  fmt::print("{:<18} {:>7} {:>9} | {:>8} {:>8} {:>6} | {:>8} {:>8} | {:>8} {:>8} | {:>9} {:>7} {:>9}\n", "method",
             "awake", "asleep", "alone", "among", "", "alone", "among", "alone", "among", "index[ms]", "made[s]",
             "bytes each");
  for (const std::string& method : methods) {
    for (const int count : sleepers) {
      arguments.method = method;
      arguments.sleepers = count;
      run(arguments);
    }
  }
  return 0;
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) { return achilles::bench::main_of(argc, argv); }
