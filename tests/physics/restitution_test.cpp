// Rebounds and the energy they leave, where the touch lies within a step.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;

class ElasticBall : public ::testing::TestWithParam<const char*> {};

// The speed of the rebound is that of the height at which the ball turns round, so that the energy of every flight is
// that of the first, to rounding, whatever the step.
TEST_P(ElasticBall, KeepsItsEnergyFromFlightToFlight) {
  for (const double h : {0.02, 0.013, 0.005}) {
    Scene scene = make_scene(h, 0, 1);
    scene.method.name = GetParam();
    scene.bodies = {make_ground(), make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1.1))};
    Simulation simulation(scene);
    const auto energy = [&] { return simulation.world().kinetic_energy() + simulation.world().potential_energy(); };
    const double start = energy();
    int bounces = 0;
    while (simulation.world().time < 3) {
      bounces += static_cast<int>(simulation.step().impacts);
      const bool is_touching = position_of(simulation, "ball").z() < 0.1 + 1e-9;
      if (is_touching) continue;
      ASSERT_NEAR(energy(), start, 1e-9 * start) << h << " s, at " << simulation.world().time << " s";
    }
    EXPECT_GE(bounces, 3) << h;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ElasticBall, ::testing::Values("anitescu", "position-optimal"), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace achilles
