// Stacks of boxes as distance maps that do not start in equilibrium: gaps, tilts and offsets.
#include "geometry/sample.hpp"
#include "support/full_size.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;

constexpr double kTilt = 1e-3;  // [rad]
constexpr double kGap = 1e-3;   // [m]

/// Unit cubes, each with a gap below it, turned about a horizontal axis of its own and up to `offset` [m] off the line.
Scene make_map_stack(int count, double cell, const std::string& method, std::uint32_t seed, double offset = 2e-3) {
  sample::Random random(seed);
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.method.name = method;
  scene.bodies = {make_ground()};
  const DistanceMap map{sample::box_mesh({1, 1, 1}, 1), cell};
  for (int k = 0; k < count; ++k) {
    const double angle = random.uniform(0, 2 * std::numbers::pi);
    const double x = random.uniform(-offset, offset), y = random.uniform(-offset, offset);
    scene.bodies.push_back(make_body("map" + std::to_string(k), {map}, Vec3(x, y, 0.5 + k + kGap * (k + 1))));
    scene.bodies.back().pose.q = Quat(Eigen::AngleAxisd(kTilt, Vec3(std::cos(angle), std::sin(angle), 0)));
    scene.bodies.back().density = 10;
  }
  return scene;
}

double measure_drift(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
  double drift = 0;
  for (std::size_t i = 0; i < from.size(); ++i) drift = std::max(drift, (to[i] - from[i]).head<2>().norm());
  return drift;
}

// A cube that comes to rest from a tilt of 1 mrad turns about one of its edges: its top moves sideways by the tilt
// times its height, 1 mm, and carries what stands on it along. So nothing of a stack of three moves by more than 3 mm,
// at any cell.
TEST(MapStack, OfThreeDriftsByNoMoreThanItsTiltsExplain) {
  for (const char* method : {"shock-propagation", "lcp-fixed"}) {
    for (const double cell : {0.05, 0.1, 0.2}) {
      for (std::uint32_t seed = 1; seed <= (is_full() ? 10 : 2); ++seed) {
        Simulation simulation(make_map_stack(3, cell, method, seed));
        const std::vector<Vec3> start = simulation.world().bodies.position;
        (void)run_to(simulation, 5);
        EXPECT_LT(measure_drift(start, simulation.world().bodies.position), 3 * kTilt) << method << ' ' << cell;
        EXPECT_LT(simulation.world().kinetic_energy(), 1e-12) << method << ' ' << cell;
        EXPECT_LT(simulation.penetration(), 2e-4) << method << ' ' << cell;  // the slop is 1e-4
      }
    }
  }
}

// The rocking that the fall of 1 to 10 mm leaves in a stack of ten dies away, and then nothing moves: in ten seconds
// less than the slop. Contacts that come and go kept such stacks rocking, and they crept by 2 to 6 mm a second.
TEST(MapStack, OfTenComesToRestAndStaysWhereItIs) {
  for (const double offset : {2e-3, 0.015, 0.05}) {
    for (std::uint32_t seed = 1; seed <= (is_full() ? 6 : 2); ++seed) {
      const double cell = seed % 2 == 0 ? 0.05 : 0.2;
      Simulation simulation(make_map_stack(10, cell, "shock-propagation", seed, offset));
      (void)run_to(simulation, 30);
      const std::vector<Vec3> settled = simulation.world().bodies.position;
      (void)run_to(simulation, 40);
      EXPECT_LT(measure_drift(settled, simulation.world().bodies.position), 1e-4) << offset << ' ' << seed;
      EXPECT_LT(simulation.world().kinetic_energy(), 1e-6) << offset << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace achilles
