// How cost and memory grow: beds of more and more balls, all of one depth so that a ball has the same to do, or silos
// as high as wide; time per step and per contact, bytes per ball.
#include "engines/scenes.hpp"

#include <achilles/profile.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace achilles::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string method = "soft-step";
  int threads = 1;
  int layers = 10;
  int untimed = 120;
  int steps = 20;
  bool stages = false;
};

/// Resident memory of this process [byte].
double measure_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return 1024 * std::stod(line.substr(6));
  }
  return 0;
}

void print_stages(const Profile& profile, double contacts) {
  for (const Profile::Stage& stage : profile.stages()) {
    const double each = stage.seconds / static_cast<double>(profile.steps());
    fmt::print("    {:<24} {:>10.3f} ms {:>8.1f} ns per contact\n", stage.name, 1e3 * each, 1e9 * each / contacts);
  }
}

void run(int balls, const Arguments& arguments) {
  const double before = measure_memory();
  auto scene = std::make_unique<Scene>(make_silo(balls, arguments.layers));
  scene->method = {arguments.method, "", "", {}};
  const auto start = Clock::now();
  Simulation simulation(*scene, arguments.threads);
  scene.reset();
  for (int k = 0; k < arguments.untimed; ++k) (void)simulation.step();
  Profile profile;
  if (arguments.stages) simulation.set_profile(&profile);
  double fastest = 1e300, points = 0;
  for (int k = 0; k < arguments.steps; ++k) {
    const auto began = Clock::now();
    (void)simulation.step();
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - began).count());
    points = static_cast<double>(simulation.contacts().size());
  }
  const std::chrono::duration<double> whole = Clock::now() - start;
  fmt::print("{:>8} {:>10.0f} {:>10.3f} {:>12.1f} {:>12.1f} {:>12.0f} {:>9.1f}\n", balls, points, 1e3 * fastest,
             1e9 * fastest / points, 1e9 * fastest / balls, (measure_memory() - before) / balls, whole.count());
  if (arguments.stages) print_stages(profile, points);
  std::fflush(stdout);
}

int main_of(int argc, char** argv) {
  CLI::App app("How cost and memory grow with the number of balls");
  Arguments arguments;
  std::vector<int> balls{1000, 3000, 10'000, 30'000, 100'000};
  app.add_option("--balls", balls, "How many")->delimiter(',');
  app.add_option("--layers", arguments.layers, "Layers of balls; 0: as many as there are balls across");
  app.add_option("--method", arguments.method, "Method");
  app.add_option("--threads", arguments.threads, "Threads");
  app.add_option("--untimed", arguments.untimed, "Steps before the clock starts");
  app.add_option("--steps", arguments.steps, "Timed steps, of which the fastest counts");
  app.add_flag("--stages", arguments.stages, "Time of every stage as well");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:>8} {:>10} {:>10} {:>12} {:>12} {:>12} {:>9}\n", "balls", "contacts", "ms/step", "ns/contact",
             "ns/ball", "bytes/ball", "all [s]");
  for (const int count : balls) run(count, arguments);
  return 0;
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) { return achilles::bench::main_of(argc, argv); }
