// Rows of boxes on smooth ground that a fast one runs into: impact and rest at once. What one dimension lets us know
// holds in the row: momentum, no passing through each other, and at e = 1 an exchange of speeds.
#include "support/draw.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace achilles {
namespace {

using testing::Draw;
using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

/// Cubes of 1 m and 1 kg in a row along x, gaps drawn up to `gap`; the first moves at 10 m/s.
Scene make_row(const std::string& method, int count, double restitution, double gap, std::uint64_t seed) {
  Scene scene = make_scene(0.001, 0, restitution);
  scene.gravity = Vec3(0, 0, -9.8);
  scene.method.name = method;
  scene.bodies = {make_ground()};
  Draw draw(seed);
  double x = 0;
  for (int k = 0; k < count; ++k) {
    BodyDescription box = make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(x, 0, 0.5));
    box.mass = 1;
    if (k == 0) box.velocity = Vec3(10, 0, 0);
    scene.bodies.push_back(box);
    x += 1 + draw.number(0.1, 1) * gap;
  }
  return scene;
}

/// Runs a row and judges it at every step; the ground is smooth and flat, so that nothing leaves it or turns.
void expect_row_keeps_its_laws(Scene scene, int count, double time, const std::string& where) {
  Simulation simulation(scene);
  double energy = simulation.world().kinetic_energy();
  const double lift = 1e-6;
  while (simulation.world().time < time) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped) << where << ": " << report.stopped->message;
    ASSERT_NEAR(simulation.world().linear_momentum().x(), 10, 1e-9) << where;
    ASSERT_LE(simulation.world().kinetic_energy(), energy + 1e-7) << where << " at " << simulation.world().time;
    ASSERT_LE(simulation.penetration(), 1e-6) << where;
    energy = simulation.world().kinetic_energy();
  }
  for (int k = 0; k < count; ++k) {
    ASSERT_NEAR(position_of(simulation, "box" + std::to_string(k)).z(), 0.5, lift) << where << ", box " << k;
    ASSERT_LT(velocity_of(simulation, "box" + std::to_string(k)).angular.norm(), 1e-5) << where << ", box " << k;
  }
}

// Two boxes, e = 1: the one stops where the other goes on, and neither leaves the ground.
TEST(SlidingRow, ElasticPairExchangesItsSpeeds) {
  for (const char* method : {"impulse-zeno-free", "reflections"}) {
    for (const char* law : {"guendelman", "newton", "poisson", "mirtich", "gauss-seidel", "generalized-reflections"}) {
      Scene scene = make_row(method, 2, 1, 0.02, 1);
      scene.method.impact = law;
      Simulation simulation(scene);
      const StepReport report = run_to(simulation, 0.5);
      ASSERT_FALSE(report.stopped) << method << ", " << law;
      EXPECT_NEAR(velocity_of(simulation, "box0").linear.x(), 0, 1e-6) << method << ", " << law;
      EXPECT_NEAR(velocity_of(simulation, "box1").linear.x(), 10, 1e-6) << method << ", " << law;
      for (const char* box : {"box0", "box1"}) {
        EXPECT_NEAR(position_of(simulation, box).z(), 0.5, 1e-6) << method << ", " << law << ", " << box;
        EXPECT_LT(velocity_of(simulation, box).angular.norm(), 1e-6) << method << ", " << law << ", " << box;
      }
    }
  }
}

// Between each two boxes of forty a plastic, a partly elastic and an elastic impact.
TEST(SlidingRow, OfFortyBoxesPassesTheImpulseOn) {
  for (const double e : {0.0, 0.5, 1.0}) {
    expect_row_keeps_its_laws(make_row("impulse-zeno-free", 40, e, 0.01, 2), 40, 0.1, "e = " + std::to_string(e));
  }
}

}  // namespace
}  // namespace achilles
