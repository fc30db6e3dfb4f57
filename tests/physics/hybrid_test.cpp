// `hybrid`: impulses for what flies, constraints for what rests, in one run.
#include "support/full_size.hpp"
#include "support/joints.hpp"
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_ground;
using testing::make_joint;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kTolerance = 1e-4;  // [m] the method's own

Scene make_hybrid(double step, double friction, double restitution) {
  Scene scene = make_scene(step, friction, restitution);
  scene.method.name = "hybrid";
  return scene;
}

// Both sets of bodies at once: a stack that must stand and a ball beside it that bounces elastically for ever.
TEST(Hybrid, StackStandsWhileAnElasticBallKeepsBouncingBesideIt) {
  Scene scene = make_hybrid(0.01, 0.5, 0);
  Material rubber;
  rubber.name = "rubber";
  rubber.law.friction = 0;
  rubber.law.restitution = 1;
  scene.materials.push_back(rubber);
  MaterialPair bounce;
  bounce.first = "rubber";
  bounce.second = "default";
  bounce.law = rubber.law;
  scene.material_pairs.push_back(bounce);
  scene.bodies = {make_ground()};
  for (int k = 0; k < 3; ++k) {
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5 + k)));
  }
  BodyDescription ball = make_body("ball", {Sphere{0.2}}, Vec3(3, 0, 1.2));
  ball.material = "rubber";
  scene.bodies.push_back(ball);
  Simulation simulation(scene);
  const double g = 9.81;
  while (simulation.world().time < 5) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_LE(simulation.penetration(), kTolerance);
    // The height it rises to, from its state at any time; it turns around up to the tolerance above the ground.
    const double v = velocity_of(simulation, "ball").linear.z();
    ASSERT_NEAR(position_of(simulation, "ball").z() + v * v / (2 * g), 1.2, 1e-9);
  }
  EXPECT_NEAR(position_of(simulation, "box2").z(), 2.5, 3 * kTolerance);
  EXPECT_LT(velocity_of(simulation, "box2").linear.norm(), 1e-6);
}

// A pendulum keeps its length under the joint, and swings with its closed-form period while a ball flies past.
TEST(Hybrid, PendulumSwingsOnItsHingeWhileABallFlies) {
  Scene scene = make_hybrid(0.001, 0, 0.5);
  BodyDescription bob = make_body("bob", {Sphere{0.05}}, Vec3(0.05, 0, 1));
  bob.mass = 1;
  scene.joints = {make_joint(JointKind::kBall, "anchor", "bob", Vec3(0, 0, 2))};
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(5, 0, 0));
  ball.velocity = Vec3(0, 0, 10);
  scene.bodies = {make_anchor(Vec3(0, 0, 2)), bob, ball};
  Simulation simulation(scene);
  // Half a period: inertia about the pivot L² + 2/5 r², gravity arm L.
  const double L = std::hypot(0.05, 1.0);
  const double half = M_PI * std::sqrt((L * L + 0.4 * 0.05 * 0.05) / (9.81 * L));
  const StepReport report = run_to(simulation, half);
  EXPECT_FALSE(report.stopped);
  EXPECT_LT(report.joint_error, 1e-6);
  EXPECT_NEAR(position_of(simulation, "bob").x(), -0.05, 0.01 * 0.05);
  const double t = simulation.world().time;
  EXPECT_NEAR(position_of(simulation, "ball").z(), 10 * t - 0.5 * 9.81 * t * t, 1e-9);
}

// What [Mirtich95, sec. 5.2] leaves to a hybrid system: what microcollisions are slow at comes to rest and stays clear
// of the tolerance at every step.
TEST(Hybrid, StackArchAndPileSettleWithinTheTolerance) {
  for (const char* name : {"stack_of_ten", "arch", "pile"}) {
    Simulation simulation(load_scene((source_folder() / "scenes/mirtich" / name).string() + ".yaml"));
    const bool pile = std::string(name) == "pile";
    const double duration = is_full() ? 4 : pile ? 0.6 : 0.5;
    while (simulation.world().time < duration) {
      ASSERT_FALSE(simulation.step().stopped) << name;
      ASSERT_LE(simulation.penetration(), kTolerance) << name << " at " << simulation.world().time;
    }
    if (!pile || is_full()) {
      EXPECT_LT(simulation.world().kinetic_energy(), 1e-6) << name;
    }
  }
}

// Islands trade places: a ball that comes to rest on the ground goes over to the constraint method and stays there.
TEST(Hybrid, BouncingBallComesToRestAtItsClosedFormTime) {
  const double e = 0.5;
  Scene scene = make_hybrid(0.002, 0, e);
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.5}}, Vec3(0, 0, 1.5))};
  Simulation simulation(scene);
  const double expected = std::sqrt(2 / 9.81) * (1 + e) / (1 - e);
  double last_motion = 0;
  while (simulation.world().time < expected + 0.5) {
    ASSERT_FALSE(simulation.step().stopped);
    if (velocity_of(simulation, "ball").linear.norm() > 0.05) last_motion = simulation.world().time;
  }
  // Bounces that leave with less than 0.05 m/s are given up; all of them together would take 2 · 0.05/(g (1 − e)).
  EXPECT_LE(last_motion, expected);
  EXPECT_GE(last_motion, expected - 2 * 0.05 / (9.81 * (1 - e)));
  EXPECT_LT(velocity_of(simulation, "ball").linear.norm(), 1e-9);
}

}  // namespace
}  // namespace achilles
