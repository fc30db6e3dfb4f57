// Scenes that begin with bodies inside each other: parting them is no work.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

class StartInsideEachOther : public ::testing::TestWithParam<const char*> {};

// Without gravity and at rest there is no energy, however deep the overlap.
TEST_P(StartInsideEachOther, BodiesAtRestArePartedAndNotThrown) {
  for (const double depth : {0.1, 0.01, 0.001}) {
    Scene scene = make_scene(0.01, 0.3, 0);
    scene.gravity = Vec3::Zero();
    scene.method.name = GetParam();
    scene.bodies = {make_body("left", {Box{Vec3(1, 1, 1)}}, Vec3::Zero()),
                    make_body("right", {Box{Vec3(1, 1, 1)}}, Vec3(1 - depth, 0.1, 0.05))};
    Simulation simulation(scene);
    for (int k = 0; k < 100; ++k) {
      ASSERT_FALSE(simulation.step().stopped);
      // A millionth of the depth in a step.
      const double speed = 1e-6 * depth / scene.step;
      ASSERT_LT(simulation.world().kinetic_energy(), 1000 * speed * speed) << depth << " m, step " << k;
    }
    EXPECT_LT(simulation.penetration(), 2e-4) << depth;
  }
}

// On a stack energy rises by the work of lifting what lies above, at most.
TEST_P(StartInsideEachOther, AStackIsLiftedByItsOverlaps) {
  constexpr int kBoxes = 5;
  constexpr double kDepth = 0.01;
  Scene scene = make_scene(0.005, 0.3, 0);
  scene.method.name = GetParam();
  scene.bodies = {make_ground()};
  for (int k = 0; k < kBoxes; ++k) {
    BodyDescription box =
        make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5 + k * (1 - kDepth)));
    box.mass = 1;
    scene.bodies.push_back(box);
  }
  Simulation simulation(scene);
  const auto energy = [&] { return simulation.world().kinetic_energy() + simulation.world().potential_energy(); };
  const double start = energy();
  double lifting = 0;  // box k lies on k overlaps
  for (int k = 0; k < kBoxes; ++k) lifting += 9.81 * k * kDepth;
  for (int k = 0; k < 200; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_LT(energy(), start + 1.01 * lifting) << "step " << k;
  }
  EXPECT_LT(simulation.world().kinetic_energy(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Methods, StartInsideEachOther,
                         ::testing::Values("anitescu", "lcp-fixpoint", "lcp-fixed", "lcp-retroactive"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace achilles
