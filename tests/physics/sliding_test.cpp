// Sliding, spinning and being pushed on a floor: Coulomb's law in closed forms.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81;
constexpr double kPi = std::numbers::pi;

Scene make_slide(double angle, double friction, const Shape& shape, double height) {
  Scene scene = make_scene(0.001, friction, 0);
  BodyDescription body = make_body("body", shape, Vec3(0, 0, height));
  body.velocity = 2 * Vec3(std::cos(angle), std::sin(angle), 0);
  scene.bodies = {make_ground(), body};
  return scene;
}

// A body that slides straight stops after v²/(2µg) in the direction it started in, whichever that is: the friction
// cone is round. Positions follow the velocity after each step, which is short by half a step's travel: v h / 2 = 1 mm.
TEST(FrictionCone, IsRound) {
  const double mu = 0.4;
  const double distance = 4 / (2 * mu * kGravity);
  for (int k = 0; k < 24; ++k) {
    const double angle = k * kPi / 12 + 0.1;
    const Vec3 along(std::cos(angle), std::sin(angle), 0);
    Scene scene = make_slide(angle, mu, {Sphere{0.2}}, 0.2);
    scene.bodies[1].locks.bits = Locks::kRx | Locks::kRy | Locks::kRz;  // a point mass: one contact, no rolling
    Simulation simulation(scene);
    run_to(simulation, 1);
    const Vec3 at = position_of(simulation, "body") - Vec3(0, 0, 0.2);
    EXPECT_NEAR(at.dot(along), distance, 0.0011) << angle;
    EXPECT_NEAR(at.cross(along).z(), 0, 1e-9) << angle;
    EXPECT_LT(velocity_of(simulation, "body").linear.norm(), 1e-9) << angle;
  }
}

// A brick presses harder on its leading corners, but the load shifts along its path, so it does not turn either.
TEST(FrictionCone, BrickSlidesStraightWhicheverWayItIsPushed) {
  const double mu = 0.4;
  const double distance = 4 / (2 * mu * kGravity);
  for (int k = 0; k < 8; ++k) {
    const double angle = k * kPi / 16 + 0.05;
    const Vec3 along(std::cos(angle), std::sin(angle), 0);
    Simulation simulation(make_slide(angle, mu, {Box{Vec3(0.4, 0.4, 0.1)}}, 0.05));
    run_to(simulation, 1);
    const Vec3 at = position_of(simulation, "body") - Vec3(0, 0, 0.05);
    EXPECT_NEAR(at.dot(along), distance, 0.0011 + 0.001 * distance) << angle;
    EXPECT_NEAR(at.cross(along).z(), 0, 1e-3 * distance) << angle;
  }
}

// A pull below µ m g moves nothing; above it accelerates with (F − µ m g)/m.
TEST(Friction, PullBelowTheLimitHoldsAndAboveItAccelerates) {
  for (const double pull : {0.5, 0.95, 1.05, 2.0}) {
    Scene scene = make_scene(0.002, 0.5, 0);
    BodyDescription box = make_body("box", {Box{Vec3(1, 1, 0.2)}}, Vec3(0, 0, 0.1));
    box.mass = 3;
    box.force = Vec3(pull * 0.5 * 3 * kGravity, 0, 0);
    scene.bodies = {make_ground(), box};
    Simulation simulation(scene);
    run_to(simulation, 2);
    const double expected = std::max(0.0, (pull - 1) * 0.5 * kGravity * 2);
    if (expected == 0) {
      EXPECT_LT(position_of(simulation, "box").head<2>().norm(), 1e-6) << pull;
    } else {
      EXPECT_NEAR(velocity_of(simulation, "box").linear.x(), expected, 0.005 * expected) << pull;
    }
  }
}

// A spinning ball on its pole under torsional friction c: the torque c m g slows it by c m g / I, I = 2/5 m r².
TEST(TorsionalFriction, SpinOfABallDecaysLinearlyAndStops) {
  const double radius = 0.2;
  const double c = 0.01;
  Scene scene = make_scene(0.001, 0.5, 0);
  scene.materials[0].law.torsional_friction = c;
  BodyDescription ball = make_body("ball", {Sphere{radius}}, Vec3(0, 0, radius));
  ball.spin = Vec3(0, 0, 10);
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  const double slowing = c * kGravity / (0.4 * radius * radius);
  run_to(simulation, 1);
  EXPECT_NEAR(velocity_of(simulation, "ball").angular.z(), 10 - slowing, 1e-3 * slowing);
  run_to(simulation, 3);
  EXPECT_NEAR(velocity_of(simulation, "ball").angular.z(), 0, 1e-9);
  EXPECT_LT(position_of(simulation, "ball").head<2>().norm(), 1e-9);
}

// A torque τ about the vertical on a frictionless floor: ω = τ t / I and nothing else moves.
TEST(ExternalTorque, SpinsABoxUpOnASmoothFloor) {
  Scene scene = make_scene(0.002, 0, 0);
  BodyDescription box = make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5));
  box.mass = 6;
  box.torque = Vec3(0, 0, 2);
  scene.bodies = {make_ground(), box};
  Simulation simulation(scene);
  run_to(simulation, 1);
  EXPECT_NEAR(velocity_of(simulation, "box").angular.z(), 2 / (6.0 / 6), 1e-6);
  EXPECT_LT((position_of(simulation, "box") - Vec3(0, 0, 0.5)).norm(), 1e-6);
}

// A belt: a fixed-speed floor drags a box to its own speed in v/(µ g); meanwhile the box falls behind by v²/(2 µ g).
TEST(ScriptedBody, BeltCarriesABoxUpToItsSpeed) {
  const double mu = 0.5;
  const double speed = 1.5;
  Scene scene = make_scene(0.001, mu, 0);
  BodyDescription belt = make_body("belt", {Box{Vec3(20, 2, 0.2)}}, Vec3(0, 0, -0.1));
  belt.kind = BodyKind::kScripted;
  belt.velocity = Vec3(speed, 0, 0);
  scene.bodies = {belt, make_body("box", {Box{Vec3(0.4, 0.4, 0.2)}}, Vec3(0, 0, 0.1))};
  Simulation simulation(scene);
  const double slip_time = speed / (mu * kGravity);
  run_to(simulation, 0.5 * slip_time);
  EXPECT_NEAR(velocity_of(simulation, "box").linear.x(), mu * kGravity * simulation.world().time, 0.005 * speed);
  run_to(simulation, 2);
  EXPECT_NEAR(velocity_of(simulation, "box").linear.x(), speed, 1e-6);
  const double behind = speed * speed / (2 * mu * kGravity);
  EXPECT_NEAR(position_of(simulation, "belt").x() - position_of(simulation, "box").x(), behind, 0.01 * behind);
  EXPECT_NEAR(position_of(simulation, "belt").x(), speed * simulation.world().time, 1e-9);
}

// A turning table carries a box that sticks: it goes round with ω × r as long as ω² r < µ g.
TEST(ScriptedBody, TurntableCarriesABoxRound) {
  const double spin = 1;
  Scene scene = make_scene(0.001, 0.6, 0);
  BodyDescription table = make_body("table", {Cylinder{3, 0.2}}, Vec3(0, 0, -0.1));
  table.kind = BodyKind::kScripted;
  table.spin = Vec3(0, 0, spin);
  BodyDescription box = make_body("box", {Box{Vec3(0.4, 0.4, 0.1)}}, Vec3(1, 0, 0.05));
  box.velocity = Vec3(0, spin, 0);
  box.spin = Vec3(0, 0, spin);
  scene.bodies = {table, box};
  Simulation simulation(scene);
  run_to(simulation, kPi);  // half a turn
  // The velocity is tangential where it is applied, so each step drifts outwards by (ω h)² r / 2: 1.6 mm in all.
  EXPECT_LT((position_of(simulation, "box") - Vec3(-1, 0, 0.05)).norm(), 0.003);
}

// A wall that moves pushes whatever lies before it, at its own speed, against any friction.
TEST(ScriptedBody, MovingWallPushesARowOfBoxes) {
  Scene scene = make_scene(0.002, 0.5, 0);
  BodyDescription wall = make_body("wall", {Box{Vec3(0.2, 2, 0.5)}}, Vec3(-0.5, 0, 0.251));
  wall.kind = BodyKind::kScripted;
  wall.velocity = Vec3(0.5, 0, 0);
  scene.bodies = {make_ground(), wall};
  for (int i = 0; i < 3; ++i) {
    scene.bodies.push_back(make_body("box" + std::to_string(i), {Box{Vec3(0.3, 0.3, 0.3)}}, Vec3(0.4 * i, 0, 0.15)));
  }
  Simulation simulation(scene);
  run_to(simulation, 3);
  EXPECT_NEAR(position_of(simulation, "wall").x(), 1, 1e-9);
  for (int i = 0; i < 3; ++i) {
    const std::string name = "box" + std::to_string(i);
    // Touching boxes, each 0.3 long, from the wall's face at 1.1 on.
    EXPECT_NEAR(position_of(simulation, name).x(), 1.25 + 0.3 * i, 0.002) << name;
    EXPECT_NEAR(velocity_of(simulation, name).linear.x(), 0.5, 0.005) << name;
  }
  EXPECT_LT(simulation.penetration(), 1e-3);
}

// Which way is down is a matter of gravity alone: the same slide, turned with its floor and its gravity.
TEST(Gravity, SlideTurnsWithTheWholeScene) {
  Simulation upright(make_slide(0.3, 0.4, {Box{Vec3(0.4, 0.3, 0.2)}}, 0.1));
  run_to(upright, 0.3);
  const Vec3 expected = position_of(upright, "body");
  for (const Quat& turn : {Quat(0.5, 0.5, 0.5, 0.5), Quat(0, 1, 0, 0), Quat(0.3, -0.4, 0.1, 0.8).normalized()}) {
    Scene scene = make_slide(0.3, 0.4, {Box{Vec3(0.4, 0.3, 0.2)}}, 0.1);
    scene.gravity = turn * scene.gravity;
    for (BodyDescription& body : scene.bodies) {
      body.pose = {turn * body.pose.p, turn * body.pose.q};
      body.velocity = turn * body.velocity;
    }
    Simulation simulation(scene);
    run_to(simulation, 0.3);
    // Friction directions are laid out in world axes; the solver ends within its tolerance of 1e-9 m/s per step.
    EXPECT_LT((position_of(simulation, "body") - turn * expected).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace achilles
