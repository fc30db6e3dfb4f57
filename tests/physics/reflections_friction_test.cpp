// Friction of `reflections`: the bound is all of the normal impulse, and normals answer the torque of friction.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kWeight = 9.81;  // [m/s²]

/// A box on the ground, by `gap` above it, with a velocity along x.
Scene make_sliding_box(const Vec3& size, double friction, double speed, double step, double gap = 0) {
  Scene scene = make_scene(step, friction, 0);
  scene.method.name = "reflections";
  scene.gravity = Vec3(0, 0, -kWeight);
  BodyDescription box = make_body("box", {Box{size}}, Vec3(0, 0, 0.5 * size.z() + gap));
  box.velocity = Vec3(speed, 0, 0);
  scene.bodies = {make_ground(), box};
  return scene;
}

// v = v₀ − µ g t until rest, whatever the height over which friction acts, as long as that does not tip the box over
// (µ < 1 for a cube). Impulses µ λ are exact at every step, so the speed is exact to the tolerance of the solve.
TEST(ReflectionsFriction, SlidingBoxesAreSlowedByFrictionTimesGravity) {
  for (const double step : {0.01, 0.002}) {
    for (const double friction : {0.1, 0.3, 0.6}) {
      for (const double height : {0.2, 0.4}) {
        Simulation simulation(make_sliding_box(Vec3(0.4, 0.4, height), friction, 4, step));
        run_to(simulation, 0.3);
        const Vec3 v = velocity_of(simulation, "box").linear;
        EXPECT_NEAR(v.x(), 4 - friction * kWeight * 0.3, 1e-6) << step << " " << friction << " " << height;
        EXPECT_NEAR(v.z(), 0, 1e-6);
      }
    }
  }
}

// µ = 0.7 > tan θ = 0.5: friction that rest needs, m g sin θ, is below its bound µ m g cos θ. A start off the ground by
// 1e-4 m falls and stops; it may slide by what it gained in the fall, v²/(2 g (µ cos θ − sin θ)) with
// v = t g sin θ, t² = 2e-4/(g cos θ): 2e-4 m.
TEST(ReflectionsFriction, BlockOnInclineBelowTheFrictionAngleStays) {
  for (const double step : {0.025, 0.005}) {
    for (const double gap : {0.0, 1e-4}) {
      Scene scene = make_sliding_box(Vec3(1, 1, 1), 0.7, 0, step, gap);
      const double angle = std::atan(0.5);
      scene.gravity = kWeight * Vec3(std::sin(angle), 0, -std::cos(angle));
      Simulation simulation(scene);
      run_to(simulation, 2);
      EXPECT_LT(std::abs(position_of(simulation, "box").x()), gap > 0 ? 4e-4 : 1e-9) << step << " " << gap;
      EXPECT_LT(velocity_of(simulation, "box").linear.norm(), 1e-6);
    }
  }
}

// Above the friction angle it slides with a = g (sin θ − µ cos θ): tan θ = 0.5, µ = 0.3. The speed is exact at every
// step.
TEST(ReflectionsFriction, BlockOnInclineAboveTheFrictionAngleSlides) {
  Scene scene = make_sliding_box(Vec3(1, 1, 0.6), 0.3, 0, 0.005);
  const double angle = std::atan(0.5);
  scene.gravity = kWeight * Vec3(std::sin(angle), 0, -std::cos(angle));
  Simulation simulation(scene);
  run_to(simulation, 1);
  const double expected = kWeight * (std::sin(angle) - 0.3 * std::cos(angle));
  EXPECT_NEAR(velocity_of(simulation, "box").linear.x(), expected, 1e-6);
}

// A ball that slides begins to roll when friction has turned it: at 5/7 of its speed, after 2 v₀ / (7 µ g) = 0.146 s.
TEST(ReflectionsFriction, SlidingBallSettlesAtFiveSeventhsOfItsSpeed) {
  Scene scene = make_sliding_box(Vec3(1, 1, 1), 0.4, 0, 0.002);
  scene.bodies[1] = make_body("box", {Sphere{0.1}}, Vec3(0, 0, 0.1));
  scene.bodies[1].velocity = Vec3(2, 0, 0);
  Simulation simulation(scene);
  run_to(simulation, 0.4);
  EXPECT_NEAR(velocity_of(simulation, "box").linear.x(), 10.0 / 7, 1e-6);
}

// A box that lands flat with restitution slides on with the friction of all of the impulse: m (1 + e) v upwards, so
// µ (1 + e) v slower along the ground while it still slides. Friction at its corners presses the front down and that
// adds friction; the answer to the torque adds normal impulse, hence at least the first value. It cannot reverse.
TEST(ReflectionsFriction, BoxThatBouncesFlatLosesAtLeastFrictionTimesItsImpulse) {
  Scene scene = make_sliding_box(Vec3(0.4, 0.4, 0.1), 0.2, 5, 0.001, 0.01);
  scene.materials[0].law.restitution = 0.5;
  scene.gravity = Vec3::Zero();
  scene.bodies[1].velocity.z() = -1;
  Simulation simulation(scene);
  run_to(simulation, 0.02);
  const Vec3 v = velocity_of(simulation, "box").linear;
  EXPECT_GT(v.z(), 0.4);
  EXPECT_LE(v.x(), 5 - 0.2 * 1.5 + 1e-9);
  EXPECT_GT(v.x(), 0);
}

}  // namespace
}  // namespace achilles
