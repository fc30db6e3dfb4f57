#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::shoot_at_paper;
using testing::velocity_of;

constexpr double kGravity = 9.8;  // as in the paper

Scene make_impulse_scene(double friction, double restitution) {
  Scene scene = make_scene(0.001, friction, restitution);
  scene.gravity = Vec3(0, 0, -kGravity);
  scene.method.name = "impulse-zeno-free";
  return scene;
}

/// Two stacked boxes that spin about the vertical, and an elastic ball dropped beside them; [Drumwright10, sec. IV-A].
Scene make_spinning_boxes() {
  Scene scene = make_impulse_scene(0, 0);
  Material rubber;
  rubber.name = "rubber";
  rubber.law.friction = 0;
  rubber.law.restitution = 1;
  scene.materials.push_back(rubber);
  BodyDescription ground = make_ground();
  ground.material = "rubber";
  BodyDescription bottom = make_body("bottom", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5));
  bottom.spin = Vec3(0, 0, 10);
  BodyDescription top = make_body("top", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 1.5));
  top.spin = Vec3(0, 0, 20);
  BodyDescription ball = make_body("ball", {Sphere{0.5}}, Vec3(2, 0, 2));
  ball.material = "rubber";
  scene.bodies = {ground, bottom, top, ball};
  return scene;
}

/// A box at 10 m/s about to meet one at rest; [Drumwright10, sec. IV-B].
Scene make_sliding_boxes() {
  Scene scene = make_impulse_scene(0, 0);
  BodyDescription left = make_body("left", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5));
  left.velocity = Vec3(10, 0, 0);
  BodyDescription right = make_body("right", {Box{Vec3(1, 1, 1)}}, Vec3(1.01, 0, 0.5));
  left.mass = right.mass = 1;
  scene.bodies = {make_ground(), left, right};
  return scene;
}

double tolerance() { return 1e-7; }

TEST(ZenoFree, SpinningBoxesKeepTheirSpinsAndTheBallItsHeight) {
  Simulation simulation(make_spinning_boxes());
  double apex = 0;
  // The ball is back at its height after 2 √(2 · 1.5 / g), every time.
  const double period = 2 * std::sqrt(2 * 1.5 / kGravity);
  for (int k = 0; k < 3000; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    if (simulation.world().time > 0.5 * period) apex = std::max(apex, position_of(simulation, "ball").z());
    ASSERT_LE(simulation.penetration(), tolerance());
  }
  EXPECT_NEAR(velocity_of(simulation, "bottom").angular.z(), 10, 1e-6);
  EXPECT_NEAR(velocity_of(simulation, "top").angular.z(), 20, 1e-6);
  // Steps do not meet the apex: at most half a step away from it, g (h/2)²/2 below.
  EXPECT_NEAR(apex, 2, 1e-6 + kGravity * 0.0005 * 0.0005 / 2);
}

TEST(ZenoFree, SlidingBoxesGoOnTogetherAtHalfTheSpeed) {
  Simulation simulation(make_sliding_boxes());
  for (int k = 0; k < 2000; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_LE(simulation.penetration(), tolerance());
  }
  EXPECT_NEAR(velocity_of(simulation, "left").linear.x(), 5, 1e-9);
  EXPECT_NEAR(velocity_of(simulation, "right").linear.x(), 5, 1e-9);
  EXPECT_NEAR(position_of(simulation, "left").z(), 0.5, 2 * tolerance());
}

TEST(Naive, StopsAtTheZenoPointOfARestingContactAndNamesIt) {
  for (Scene scene : {make_spinning_boxes(), make_sliding_boxes()}) {
    scene.method.name = "impulse-naive";
    Simulation simulation(scene);
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.stopped);
    EXPECT_EQ(report.stopped->reason, "zeno-point");
    EXPECT_EQ(report.stopped->time, 0);
    EXPECT_NE(report.stopped->message.find("'ground'"), std::string::npos);
  }
}

// Without resting contact there is nothing to get stuck in: the naive method flies and bounces like the other.
TEST(Naive, ElasticBallBouncesForever) {
  Scene scene = make_impulse_scene(0, 1);
  scene.method.name = "impulse-naive";
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.5}}, Vec3(0, 0, 1.5))};
  Simulation simulation(scene);
  const double energy = simulation.world().potential_energy();
  for (int k = 0; k < 5000; ++k) ASSERT_FALSE(simulation.step().stopped);
  EXPECT_NEAR(simulation.world().kinetic_energy() + simulation.world().potential_energy(), energy, 1e-9 * energy);
}

// Bounces of e, e², ... times the first flight: the ball is at rest after √(2H/g) (1 + e)/(1 − e).
TEST(ZenoFree, BouncingBallComesToRestAtTheAccumulationPointAndTimeGoesOn) {
  for (const double e : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}) {
    Scene scene = make_impulse_scene(0, e);
    scene.bodies = {make_ground(), make_body("ball", {Sphere{0.5}}, Vec3(0, 0, 1.5))};
    const double expected = std::sqrt(2 / kGravity) * (1 + e) / (1 - e);
    scene.step = 1e-4 * expected;
    Simulation simulation(scene);
    double last_motion = 0;
    while (simulation.world().time < 1.02 * expected + 0.05) {
      ASSERT_FALSE(simulation.step().stopped);
      if (velocity_of(simulation, "ball").linear.norm() > 1e-6) last_motion = simulation.world().time;
    }
    EXPECT_NEAR(last_motion, expected, 0.001 * expected) << "e = " << e;
    EXPECT_LE(simulation.penetration(), tolerance());
  }
}

TEST(ZenoFree, BlockOnARampDoesNotCreepBelowTheFrictionAngleAndSlidesAbove) {
  for (const double excess : {-0.02, 0.1}) {
    const double mu = 0.4;
    const double angle = std::atan(mu) + excess;
    Scene scene = make_impulse_scene(mu, 0);
    const Quat tilt(Eigen::AngleAxisd(angle, Vec3::UnitY()));
    BodyDescription box = make_body("box", {Box{Vec3(0.4, 0.4, 0.2)}}, tilt * Vec3(0, 0, 0.1));
    box.pose.q = tilt;
    scene.bodies = {make_ground(tilt * Vec3::UnitZ()), box};
    Simulation simulation(scene);
    run_to(simulation, 2);
    if (excess < 0) {
      EXPECT_LT((position_of(simulation, "box") - tilt * Vec3(0, 0, 0.1)).norm(), 1e-6 + 2 * tolerance());
      EXPECT_LT(velocity_of(simulation, "box").linear.norm(), 1e-8);
    } else {
      const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle)) * 2;
      EXPECT_NEAR(velocity_of(simulation, "box").linear.norm(), expected, 0.005 * expected);
    }
  }
}

// A line of balls, elastic: only the far one leaves, under the laws that pass impulses on from pair to pair.
TEST(ZenoFree, OnlyTheFarBallOfALineLeaves) {
  for (const char* law : {"newton", "guendelman", "mirtich", "gauss-seidel"}) {
    Scene scene = make_impulse_scene(0, 1);
    scene.gravity = Vec3::Zero();
    scene.method.impact = law;
    BodyDescription first = make_body("first", {Sphere{0.1}}, Vec3(-0.5, 0, 0));
    first.velocity = Vec3(1, 0, 0);
    scene.bodies = {first};
    for (int k = 0; k < 4; ++k) {
      scene.bodies.push_back(make_body("ball" + std::to_string(k), {Sphere{0.1}}, Vec3(0.2 * k, 0, 0)));
    }
    Simulation simulation(scene);
    run_to(simulation, 0.6);
    EXPECT_NEAR(velocity_of(simulation, "ball3").linear.x(), 1, 1e-6) << law;
    EXPECT_NEAR(velocity_of(simulation, "first").linear.x(), 0, 1e-6) << law;
  }
}

/// A piston at 0.5 m/s drives three balls of given masses [kg] against each other and the last against a wall.
Scene make_press(const std::array<double, 3>& masses, bool is_wall_fixed) {
  Scene scene = make_impulse_scene(0.3, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription piston = make_body("piston", {Box{Vec3(0.2, 1, 1)}}, Vec3(-0.25, 0, 0));
  piston.kind = BodyKind::kScripted;
  BodyDescription wall = make_body("wall", {Box{Vec3(0.2, 1, 1)}}, Vec3(0.75, 0, 0));
  if (is_wall_fixed) wall.kind = BodyKind::kFixed;
  scene.bodies = {piston, wall};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto x = static_cast<double>(k);
    BodyDescription ball = make_body("ball" + std::to_string(k), {Sphere{0.1}}, Vec3(0.22 * x, 1e-6 * x, 5e-7 * x * x));
    ball.mass = masses[k];
    scene.bodies.push_back(ball);
  }
  ScriptDescription script;
  script.body = "piston";
  script.space = {Vec3(-0.25, 0, 0), Vec3(1, 0, 0)};
  script.speed = {{0, 0}, {2.5, 1.25}};
  scene.scripts = {script};
  return scene;
}

TEST(ZenoFree, StopsWhereScriptsLeaveBodiesNoRoom) {
  Simulation simulation(make_press({0.5, 1, 2}, true));
  std::optional<Stop> stopped;
  for (int k = 0; k < 2000 && !stopped; ++k) {
    ASSERT_LE(simulation.penetration(), tolerance());
    stopped = simulation.step().stopped;
  }
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->reason, "crushed");
  EXPECT_NE(stopped->message.find("'ball"), std::string::npos) << stopped->message;
  EXPECT_NEAR(stopped->time, (0.8 - 0.6) / 0.5, 0.02);
}

TEST(ZenoFree, LightBodyDrivesOneOfAMillionTimesItsMass) {
  Simulation simulation(make_press({1e-3, 1, 1e3}, false));
  run_to(simulation, 0.5);
  for (const char* name : {"ball0", "ball1", "ball2", "wall"}) {
    EXPECT_NEAR(velocity_of(simulation, name).linear.x(), 0.5, 5e-3) << name;
  }
}

// Faster than its own size per step: continuous detection stops it at the wall all the same.
TEST(ZenoFree, BulletDoesNotPassThroughPaper) {
  Scene scene = make_impulse_scene(0, 0);
  shoot_at_paper(scene);
  Simulation simulation(scene);
  run_to(simulation, 0.01);
  EXPECT_LT(position_of(simulation, "bullet").x(), 1);
  EXPECT_NEAR(velocity_of(simulation, "bullet").linear.norm(), 0, 1e-9);
}

// What restitution gives up at the accumulation point is at most ½ m max(rest_speed², 2 g ε) per contact, and is told.
TEST(ZenoFree, EnergyRemovedAtAnAccumulationPointIsBoundedAndReported) {
  constexpr double kRestSpeed = 0.01;
  Scene scene = make_impulse_scene(0, 0.7);
  scene.method.options["rest_speed"] = kRestSpeed;
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.5}}, Vec3(0, 0, 1.5))};
  scene.bodies[1].mass = 2;
  Simulation simulation(scene);
  double removed = 0;
  while (simulation.world().time < 3.5) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped);
    removed += report.costs.energy_removed;
  }
  EXPECT_GT(removed, 0);
  EXPECT_LE(removed, 0.5 * 2 * kRestSpeed * kRestSpeed);
}

// Sequential laws with friction can gain energy in an impact (Kane's paradox); a run must not. Boxes that tumble in a
// room without gravity: between impacts energy is kept, so that every rise is an impact's. The flight's rotation keeps
// momentum and is of second order in energy, which is what the tolerance is for.
TEST(ZenoFree, ImpactsWithFrictionNeverGainEnergy) {
  for (const char* law : {"guendelman", "newton", "poisson", "mirtich"}) {
    Scene scene = make_impulse_scene(0.9, 0.9);
    scene.gravity = Vec3::Zero();
    scene.method.impact = law;
    for (int side = 0; side < 6; ++side) {
      const Vec3 normal = (side % 2 == 0 ? 1 : -1) * Vec3::Unit(side / 2);
      BodyDescription wall = make_body("wall" + std::to_string(side), {Plane{normal, -0.5}}, Vec3::Zero());
      wall.kind = BodyKind::kFixed;
      scene.bodies.push_back(wall);
    }
    for (int k = 0; k < 4; ++k) {
      const Vec3 place((k % 2) * 0.4 - 0.2, (k / 2) * 0.4 - 0.2, 0.1 * k - 0.15);
      BodyDescription rod = make_body("rod" + std::to_string(k), {Box{Vec3(0.3, 0.08, 0.06)}}, place);
      rod.velocity = Vec3(1 - 0.7 * k, 0.8 * k - 1, 1.3 - 0.9 * k);
      rod.spin = Vec3(0, 2.0 - k, 1.0 + k);
      scene.bodies.push_back(rod);
    }
    Simulation simulation(scene);
    double energy = simulation.world().kinetic_energy();
    for (int k = 0; k < 1000; ++k) {
      const StepReport report = simulation.step();
      ASSERT_FALSE(report.stopped) << law;
      const double now = simulation.world().kinetic_energy();
      ASSERT_LE(now, energy * (1 + 1e-5)) << law << " at " << simulation.world().time;
      energy = now;
    }
  }
}

// Balls that fill a shaft exactly press on each other and on both walls: the contacts oppose each other.
TEST(ZenoFree, OpposedContactsDoNotStopTime) {
  Scene scene = make_impulse_scene(0, 1);
  BodyDescription left = make_ground(Vec3::UnitX());
  left.name = "left";
  left.shape = {Plane{Vec3::UnitX(), -2}};
  BodyDescription right = left;
  right.name = "right";
  right.shape = {Plane{-Vec3::UnitX(), -2}};
  scene.bodies = {left, right};
  for (int k = 0; k < 8; ++k) {
    scene.bodies.push_back(
        make_body("ball" + std::to_string(k), {Sphere{0.5}}, Vec3(-1.5 + k % 4, 0, 4.5 + std::floor(k / 4))));
  }
  BodyDescription shot = make_body("shot", {Sphere{0.5}}, Vec3(0, 0, 2));
  shot.velocity = Vec3(0, 0, 25);
  scene.bodies.push_back(shot);
  for (const char* law : {"guendelman", "gauss-seidel", "generalized-reflections"}) {
    scene.method.impact = law;
    Simulation simulation(scene);
    const StepReport report = run_to(simulation, 0.5);
    EXPECT_FALSE(report.stopped) << law << ": " << (report.stopped ? report.stopped->message : "");
    EXPECT_LE(simulation.penetration(), tolerance()) << law;
  }
}

// Bodies that touch and fall together carry nothing: both fly their parabolas exactly, but for what parts them when
// rounding lets them overlap, half the contact tolerance.
TEST(ZenoFree, BoxesThatFallTogetherKeepTheirEnergy) {
  Scene scene = make_impulse_scene(0.3, 0);
  scene.bodies = {make_body("lower", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 10)),
                  make_body("upper", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 11))};
  Simulation simulation(scene);
  run_to(simulation, 1);
  const double t = simulation.world().time;
  EXPECT_NEAR(position_of(simulation, "lower").z(), 10 - 0.5 * kGravity * t * t, tolerance());
  EXPECT_NEAR(position_of(simulation, "upper").z(), 11 - 0.5 * kGravity * t * t, tolerance());
  EXPECT_NEAR(velocity_of(simulation, "upper").linear.z(), -kGravity * t, 1e-12);
}

/// A needle that tumbles between six elastic walls, without gravity: all that can change its energy is its flight.
Scene make_needle_in_a_box(const std::string& method, double step) {
  Scene scene = make_impulse_scene(0, 1);
  scene.gravity = Vec3::Zero();
  scene.method.name = method;
  scene.step = step;
  for (int k = 0; k < 6; ++k) {
    const Vec3 inward = Vec3::Unit(k / 2) * (k % 2 == 0 ? 1 : -1);
    BodyDescription wall = make_ground(inward);
    wall.name = "wall" + std::to_string(k);
    wall.pose.p = -0.4 * inward;
    scene.bodies.push_back(wall);
  }
  BodyDescription needle = make_body("needle", {Box{Vec3(0.5, 0.02, 0.01)}}, Vec3(0.02, -0.01, 0.03));
  needle.mass = 1;
  needle.velocity = Vec3(1.1, -0.7, 0.4);
  needle.spin = Vec3(40, 20, 12);
  scene.bodies.push_back(needle);
  return scene;
}

// An elastic impact of one point keeps the energy to rounding and so does the flight, whenever it is interrupted: what
// is left is the rounding of some hundred impacts. No wall is entered by more than the tolerance.
TEST(ZenoFree, ElasticNeedleBetweenWallsKeepsItsEnergyAndStaysBetweenThem) {
  for (const double step : {0.001, 0.01, 0.03}) {
    Simulation simulation(make_needle_in_a_box("impulse-zeno-free", step));
    const double energy = simulation.world().kinetic_energy();
    int impacts = 0;
    while (simulation.world().time < 1.5) {
      const StepReport report = simulation.step();
      ASSERT_FALSE(report.stopped) << report.stopped->message;
      impacts += report.impacts;
      ASSERT_NEAR(simulation.world().kinetic_energy(), energy, 1e-8 * energy) << simulation.world().time;
      ASSERT_LE(simulation.penetration(), tolerance());
    }
    EXPECT_GT(impacts, 10);
  }
}

}  // namespace
}  // namespace achilles
