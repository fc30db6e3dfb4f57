// What sleepers cost: a hundred boxes awake in ten columns, alone and among many boxes asleep, in turns.
#include "engines/scene_parts.hpp"

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
  world.sleep.gravity = world.gravity;
  for (int k = 0; k < count; ++k) {
    BodyDescription box;
    box.name = "sleeper" + std::to_string(k);
    box.shape = {Box{Vec3(1, 1, 1)}};
    box.pose.p = Vec3(3 * (k % across) - 9, 3 * (k / across) - 9, 0.5);
    const std::uint32_t index = world.index_of(world.add_body(box));
    ++world.sleep.groups;
    world.lie_down(index, index);
  }
}

double take_turn(Simulation& simulation) {
  const auto start = Clock::now();
  for (int k = 0; k < kTurn; ++k) (void)simulation.step();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count() / kTurn;
}

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
  Simulation alone(scene), among(scene);
  const double before = measure_memory();
  const auto start = Clock::now();
  add_sleepers(arguments.sleepers, among.world());
  const std::chrono::duration<double> made = Clock::now() - start;
  (void)take_turn(alone);
  const auto first = Clock::now();
  (void)among.step();
  const std::chrono::duration<double, std::milli> indexed = Clock::now() - first;
  (void)take_turn(among);
  std::vector<double> times_alone, times_among;
  for (int turn = 0; turn < arguments.turns; ++turn) {
    times_alone.push_back(take_turn(alone));
    times_among.push_back(take_turn(among));
  }
  const double t = *std::min_element(times_alone.begin(), times_alone.end());
  const double T = *std::min_element(times_among.begin(), times_among.end());
  const auto asleep = std::count(among.world().bodies.asleep.begin(), among.world().bodies.asleep.end(), 1);
  fmt::print("{:<18} {:>9} {:>9} {:>10.4f} {:>10.4f} {:>7.3f} {:>10.1f} {:>9.1f} {:>11.0f}\n", arguments.method,
             arguments.awake, asleep, t, T, T / t, indexed.count(), made.count(),
             (measure_memory() - before) * 1048576 / std::max(1, arguments.sleepers));
}

int main_of(int argc, char** argv) {
  CLI::App app("What sleepers cost: some boxes awake, alone and among many asleep");
  Arguments arguments;
  std::vector<int> sleepers{1000, 1'000'000};
  std::vector<std::string> methods{"soft-step", "shock-propagation", "lcp-fixed"};
  app.add_option("--sleepers", sleepers, "How many boxes sleep")->delimiter(',');
  app.add_option("--methods", methods, "Methods that know of sleeping")->delimiter(',');
  app.add_option("--awake", arguments.awake, "How many are awake")->check(CLI::Range(1, 100'000));
  app.add_option("--turns", arguments.turns, "Turns of ten steps, of which the fastest counts");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:<18} {:>9} {:>9} {:>10} {:>10} {:>7} {:>10} {:>9} {:>11}\n", "method", "awake", "asleep", "alone [ms]",
             "among [ms]", "ratio", "first [ms]", "made [s]", "byte/sleeper");
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
