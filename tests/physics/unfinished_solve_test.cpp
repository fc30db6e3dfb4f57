// Solves that end before they have found the impulses.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

class UnfinishedSolve : public ::testing::TestWithParam<const char*> {};

// Masses of 1 and 10⁶ on each other and far too few iterations: wrong, but contacts without restitution give no energy.
// Spheres keep theirs while they turn, and nothing else acts, so that no step may have more than the one before.
TEST_P(UnfinishedSolve, BringsNoEnergy) {
  for (const char* const solver : {"nonsmooth-cg", "newton"}) {
    for (const double iterations : {1.0, 2.0, 3.0, 5.0, 10.0}) {
      Scene scene = make_scene(0.001, 0.7, 0);
      scene.gravity = Vec3::Zero();
      scene.method.name = GetParam();
      scene.method.solver = solver;
      scene.method.options["iterations"] = iterations;
      scene.bodies = {make_ground()};
      const auto add = [&](const char* name, double radius, double mass, const Vec3& at, double fall,
                           const Vec3& spin) {
        BodyDescription ball = make_body(name, {Sphere{radius}}, at);
        ball.mass = mass;
        ball.velocity = Vec3(0, 0, -fall);
        ball.spin = spin;
        scene.bodies.push_back(ball);
      };
      add("a", 0.1, 1, Vec3(0, 0, 0.105), 0, Vec3::Zero());
      add("b", 0.1, 1, Vec3(0.21, 0, 0.105), 0, Vec3::Zero());
      add("c", 0.1, 1, Vec3(0.1, 0.19, 0.105), 0, Vec3::Zero());
      add("heavy", 0.2, 1e6, Vec3(0.1, 0.06, 0.4), 2, Vec3(3, 1, 2));
      add("light", 0.1, 1, Vec3(0.11, 0.06, 0.71), 2, Vec3::Zero());
      add("anvil", 0.2, 1e6, Vec3(0.08, 0.05, 1.02), 2, Vec3(1, 3, 0));
      Simulation simulation(scene);
      double before = simulation.world().kinetic_energy();
      for (int k = 0; k < 200; ++k) {
        ASSERT_FALSE(simulation.step().stopped);
        const double energy = simulation.world().kinetic_energy();
        ASSERT_LE(energy, before * (1 + 1e-9)) << solver << " " << iterations << ", step " << k;
        before = energy;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, UnfinishedSolve,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "hybrid", "anitescu"), [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace achilles
