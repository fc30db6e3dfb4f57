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

constexpr double kGravity = 9.81;

/// A box at rest on a slope of the given angle, down the x axis.
Scene make_incline(double angle, double friction, double step) {
  Scene scene = make_scene(step, friction, 0);
  const Quat tilt(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  BodyDescription box = make_body("box", {Box{Vec3(0.4, 0.4, 0.2)}}, tilt * Vec3(0, 0, 0.1));
  box.pose.q = tilt;
  scene.bodies = {make_ground(tilt * Vec3::UnitZ()), box};
  return scene;
}

// Coulomb: at rest while tan θ < µ. The bound on creep is the product's promise.
TEST(Friction, BlockOnInclineSticksBelowArctanMu) {
  const double mu = 0.5;
  Simulation simulation(make_incline(std::atan(mu) - 0.02, mu, 0.01));
  const Vec3 start = position_of(simulation, "box");
  run_to(simulation, 10);
  EXPECT_LT((position_of(simulation, "box") - start).norm(), 1e-6);
}

// Coulomb: above arctan µ the block accelerates with g (sin θ − µ cos θ).
TEST(Friction, BlockOnInclineSlidesAboveArctanMuWithTheClosedFormAcceleration) {
  const double mu = 0.3;
  const double angle = std::atan(mu) + 0.1;
  Simulation simulation(make_incline(angle, mu, 0.005));
  run_to(simulation, 2);
  const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle)) * simulation.world().time;
  EXPECT_NEAR(velocity_of(simulation, "box").linear.norm(), expected, 0.005 * expected);
}

// Friction stops sliding when the rim speed matches: m v R + I ω about the contact is kept, so v ends at 5/7 v₀.
TEST(Rolling, SlidingSphereSettlesAtFiveSeventhsOfItsSpeed) {
  Scene scene = make_scene(0.005, 0.3, 0);
  BodyDescription ball = make_body("ball", {Sphere{0.2}}, Vec3(0, 0, 0.2));
  ball.velocity = Vec3(7, 0, 0);
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  run_to(simulation, 3);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 5.0, 0.005 * 5.0);
  EXPECT_NEAR(velocity_of(simulation, "ball").angular.y(), 5.0 / 0.2, 0.005 * 25.0);
}

// Newton's restitution: speed after = e times speed before, so the height returns to e² of itself.
TEST(Restitution, DroppedSphereReturnsToESquaredOfItsHeight) {
  for (const double e : {0.3, 0.5, 0.8, 1.0}) {
    Scene scene = make_scene(0.001, 0, e);
    scene.bodies = {make_ground(), make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1.1))};
    Simulation simulation(scene);
    const double impact_time = std::sqrt(2 / kGravity);
    run_to(simulation, impact_time + 0.01);
    double apex = 0;
    while (velocity_of(simulation, "ball").linear.z() > 0) {
      simulation.step();
      apex = std::max(apex, position_of(simulation, "ball").z() - 0.1);
    }
    EXPECT_NEAR(apex, e * e, 0.01 * e * e) << "e = " << e;
  }
}

// A stack at rest stays: its weight is carried by impulses that the warm start keeps from step to step.
TEST(Stack, TenBoxesStandForThirtySeconds) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_ground()};
  for (int i = 0; i < 10; ++i) {
    scene.bodies.push_back(make_body("box" + std::to_string(i), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5 + i)));
  }
  Simulation simulation(scene);
  run_to(simulation, 30);
  EXPECT_LT((position_of(simulation, "box9") - Vec3(0, 0, 9.5)).norm(), 0.01);
  EXPECT_LT(simulation.penetration(), 1e-3);
}

// Head-on, equal masses, e = 1: momentum and energy leave only one outcome, the swap.
TEST(Impact, EqualSpheresHeadOnWithUnitRestitutionSwapVelocities) {
  Scene scene = make_scene(0.001, 0, 1);
  scene.gravity = Vec3::Zero();
  BodyDescription left = make_body("left", {Sphere{0.1}}, Vec3(-0.5, 0, 0));
  left.velocity = Vec3(2, 0, 0);
  scene.bodies = {left, make_body("right", {Sphere{0.1}}, Vec3(0, 0, 0))};
  Simulation simulation(scene);
  run_to(simulation, 0.5);
  EXPECT_NEAR(velocity_of(simulation, "left").linear.x(), 0, 1e-9);
  EXPECT_NEAR(velocity_of(simulation, "right").linear.x(), 2, 1e-9);
}

// A body faster than its own size per step meets the wall all the same: its row carries the gap.
TEST(Speculation, FastSphereDoesNotPassThroughAThinWall) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription wall = make_body("wall", {Box{Vec3(0.01, 2, 2)}}, Vec3(1, 0, 0));
  wall.kind = BodyKind::kFixed;
  BodyDescription bullet = make_body("bullet", {Sphere{0.01}}, Vec3(-1.234, 0, 0));
  bullet.velocity = Vec3(300, 0, 0);
  scene.bodies = {wall, bullet};
  Simulation simulation(scene);
  run_to(simulation, 0.2);
  EXPECT_LT(position_of(simulation, "bullet").x(), 1);
}

// Compliant contact carries the weight where the spring does: sinking m g / k over all four corners together.
TEST(CompliantContact, BoxSinksByItsWeightOverTheStiffness) {
  Scene scene = make_scene(0.001, 0.5, 0);
  scene.materials[0].law.stiffness = 1e4;  // per contact point
  scene.materials[0].law.damping = 200;
  BodyDescription box = make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5));
  box.mass = 40;
  scene.bodies = {make_ground(), box};
  Simulation simulation(scene);
  run_to(simulation, 5);
  const double expected = 40 * kGravity / (4 * 1e4);
  EXPECT_NEAR(0.5 - position_of(simulation, "box").z(), expected, 1e-3 * expected);
}

// A wheel of radius R under rolling friction δ decelerates with δ g / R · 5/7 (solid sphere rolling without slip).
TEST(RollingFriction, RollingSphereDeceleratesWithTheClosedForm) {
  const double radius = 0.2;
  const double delta = 0.004;
  Scene scene = make_scene(0.002, 0.8, 0);
  scene.materials[0].law.rolling_friction = delta;
  BodyDescription ball = make_body("ball", {Sphere{radius}}, Vec3(0, 0, radius));
  ball.velocity = Vec3(2, 0, 0);
  ball.spin = Vec3(0, 2 / radius, 0);
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  run_to(simulation, 2);
  const double expected = 2 - (5.0 / 7.0) * kGravity * delta / radius * simulation.world().time;
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), expected, 0.005 * expected);
}

}  // namespace
}  // namespace achilles
