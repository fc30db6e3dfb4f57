// How cost and memory grow: beds of more and more balls, all of one depth so that a ball has the same to do, or silos
// as high as wide; the fastest step, its time per contact and that of the median, bytes per ball.
#include "engines/scenes.hpp"

#include <achilles/profile.hpp>
#include <achilles/simulation.hpp>
#include <achilles/world.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
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
  bool turns = false;
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

/// A bed or silo, what it takes, and what its steps cost.
class Bed {
 public:
  Bed(int balls, const Arguments& arguments) : balls_(balls), arguments_(arguments) {
    const double before = measure_memory();
    {
      Scene scene = make_silo(balls, arguments.layers);
      scene.method = {arguments.method, "", "", {}};
      simulation_ = std::make_unique<Simulation>(scene, arguments.threads);
    }
    for (int k = 0; k < arguments.untimed; ++k) (void)simulation_->step();
    bytes_ = measure_memory() - before;
  }

  void step() {
    Profile profile;
    if (arguments_.stages) simulation_->set_profile(&profile);
    const auto began = Clock::now();
    (void)simulation_->step();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    simulation_->set_profile(nullptr);
    const auto points = static_cast<double>(simulation_->contacts().size());
    costs_.push_back(seconds / points);
    if (seconds >= fastest_) return;
    fastest_ = seconds;
    points_ = points;
    profile_ = std::move(profile);
  }

  [[nodiscard]] double least_cost() const { return fastest_ / points_; }  // [s] per contact
  /// The fastest of some steps of a millisecond is luckier than that of as many steps a hundred times as long; what is
  /// in the middle is alike.
  [[nodiscard]] double usual_cost() const {
    std::vector<double> sorted = costs_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

  void print() const {
    fmt::print("{:>8} {:>10.0f} {:>10.3f} {:>12.1f} {:>12.1f} {:>12.0f}\n", balls_, points_, 1e3 * fastest_,
               1e9 * least_cost(), 1e9 * usual_cost(), bytes_ / balls_);
    if (arguments_.stages) print_stages();
    std::fflush(stdout);
  }

 private:
  /// Of the fastest step; and what tells whether beds are alike: how fast they move, what they rest on.
  void print_stages() const {
    for (const Profile::Stage& stage : profile_.stages()) {
      fmt::print("    {:<24} {:>10.3f} ms {:>8.1f} ns per contact\n", stage.name, 1e3 * stage.seconds,
                 1e9 * stage.seconds / points_);
    }
    for (const Profile::Counter& counter : profile_.counters())
      fmt::print("    {:<24} {:>10.6g}    {:>8.3f} per ball\n", counter.name, counter.sum, counter.sum / balls_);
    const BodyArrays& bodies = simulation_->world().bodies;
    double square = 0, held = 0;
    for (const BodyVelocity& u : bodies.velocity) square += u.linear.squaredNorm();
    for (const ContactRecord& record : simulation_->contacts()) {
      if (!bodies.is_movable(record.body_a) || !bodies.is_movable(record.body_b)) ++held;
    }
    fmt::print("    {:<24} {:>10.3f} m/s\n", "root mean square speed", std::sqrt(square / balls_));
    fmt::print("    {:<24} {:>10.3f}\n", "share of floor and walls", held / points_);
  }

  int balls_;
  Arguments arguments_;
  std::unique_ptr<Simulation> simulation_;
  double fastest_ = 1e300, points_ = 0, bytes_ = 0;
  std::vector<double> costs_;  // [s] per contact, of every step
  Profile profile_;
};

/// One size after the other; or all at once, ten steps of each in turns, so that what else the machine does meets all,
/// and those of a small bed but the first find its own data in the cache.
void run(const std::vector<int>& balls, const Arguments& arguments) {
  std::vector<std::unique_ptr<Bed>> beds;
  std::vector<double> least, usual;
  const auto conclude = [&] {
    for (const auto& bed : beds) {
      bed->print();
      least.push_back(bed->least_cost());
      usual.push_back(bed->usual_cost());
    }
    beds.clear();
  };
  const auto spread = [](const std::vector<double>& costs) {
    const auto [low, high] = std::minmax_element(costs.begin(), costs.end());
    return *high / *low;
  };
  const auto race = [&] {
    constexpr int kTurn = 10;
    for (int left = arguments.steps; left > 0; left -= kTurn) {
      for (const auto& bed : beds) {
        for (int k = 0; k < std::min(left, kTurn); ++k) bed->step();
      }
    }
    conclude();
  };
  for (const int count : balls) {
    beds.push_back(std::make_unique<Bed>(count, arguments));
    if (!arguments.turns) race();
  }
  race();
  if (balls.size() > 1) {
    fmt::print("dearest contact over cheapest: {:.3f} in the fastest step, {:.3f} in the median\n", spread(least),
               spread(usual));
  }
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
  app.add_option("--steps", arguments.steps, "Timed steps");
  app.add_flag("--turns", arguments.turns, "All sizes at once, ten steps of each in turns");
  app.add_flag("--stages", arguments.stages, "Stages of the fastest step as well, and what beds are like");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:>8} {:>10} {:>10} {:>12} {:>12} {:>12}\n", "balls", "contacts", "ms/step", "ns/contact", "median",
             "bytes/ball");
  run(balls, arguments);
  return 0;
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) { return achilles::bench::main_of(argc, argv); }
