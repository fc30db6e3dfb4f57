// `impulse-conservative`: everything out of collisions and microcollisions, [Mirtich95].
#include "support/allocations.hpp"
#include "support/full_size.hpp"
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
using testing::shoot_at_paper;
using testing::velocity_of;

constexpr double kGravity = 9.81;

Scene make_conservative(double step, double friction, double restitution, double tolerance) {
  Scene scene = make_scene(step, friction, restitution);
  scene.method.name = "impulse-conservative";
  scene.method.options["tolerance"] = tolerance;
  return scene;
}

Scene make_ramp(double friction, double angle, double tolerance) {
  Scene scene = make_conservative(1.0 / 30, friction, 0.2, tolerance);
  const Quat tilt(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  BodyDescription block = make_body("block", {Box{Vec3(0.2, 0.2, 0.1)}}, tilt * Vec3(0, 0, 0.05));
  block.pose.q = tilt;
  block.mass = 1;
  scene.bodies = {make_ground(tilt * Vec3::UnitZ()), block};
  return scene;
}

// [Mirtich95, sec. 4.5]. The block bounces within the tolerance, along the vertical; nothing of that adds up.
TEST(Conservative, BlockBelowTheFrictionAngleDoesNotCreepAndWithoutTheRuleItDoes) {
  constexpr double kTolerance = 1e-6;
  const double time = is_full() ? 60 : 6;
  Scene scene = make_ramp(0.5, 0.349, kTolerance);
  Simulation simulation(scene);
  const Vec3 start = position_of(simulation, "block");
  while (simulation.world().time < time) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_LE(simulation.penetration(), kTolerance);
    ASSERT_LT((position_of(simulation, "block") - start).norm(), 1e-6);
  }
  scene.method.options["static_friction"] = false;
  Simulation creeping(scene);
  run_to(creeping, time);
  EXPECT_GT((position_of(creeping, "block") - start).norm(), 1e-4);
}

// A table whose legs and top are shapes of their own, two degrees below the friction angle. All legs are reversed
// together, so that nothing turns it and nothing adds up: it stays within the band of its microcollisions. Leg by leg
// it slid by a centimetre per second.
TEST(Conservative, TableOnFourLegsBelowTheFrictionAngleDoesNotCreep) {
  constexpr double kTolerance = 1e-5;
  const double mu = 0.5, angle = std::atan(mu) - 2 * std::numbers::pi / 180;
  Scene scene = make_conservative(1.0 / 30, mu, 0.2, kTolerance);
  const Quat tilt(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  Compound table;
  const auto add_part = [&](const Vec3& size, const Vec3& place) {
    CompoundPart part{{Box{size}}, {}};
    part.pose.p = place;
    table.parts.push_back(part);
  };
  add_part(Vec3(0.2, 0.2, 0.02), Vec3(0, 0, 0.01));
  for (const double x : {-0.09, 0.09}) {
    for (const double y : {-0.09, 0.09}) {
      add_part(Vec3(0.02, 0.02, 0.1), Vec3(x, y, -0.05));
    }
  }
  BodyDescription body = make_body("table", {table}, tilt * Vec3(0, 0, 0.1));
  body.pose.q = tilt;
  body.mass = 1;
  scene.bodies = {make_ground(tilt * Vec3::UnitZ()), body};
  Simulation simulation(scene);
  const Vec3 start = position_of(simulation, "table");
  while (simulation.world().time < 2) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_LE(simulation.penetration(), kTolerance);
    ASSERT_LT((position_of(simulation, "table") - start).norm(), 2 * kTolerance);
  }
}

// Painlevé's rod: its tip slides at 1 m/s towards what it pushes into, with µ beyond the critical value. Friction stops
// the tip; what it has to the other side afterwards is at most what a microcollision reverses, max(1, µ) √(4 g ε).
TEST(Conservative, FrictionStopsTheTipOfPainlevesRodAndDoesNotThrowItBack) {
  constexpr double kTolerance = 1e-4, kFriction = 2, kTilt = std::numbers::pi / 6;
  for (const double step : {0.001, 0.00037}) {
    Scene scene = make_conservative(step, kFriction, 0, kTolerance);
    BodyDescription rod = make_body("rod", {Capsule{0.005, 1}}, Vec3(0, 0, 0.5 * std::cos(kTilt) + 0.005));
    rod.pose.q = Quat(Eigen::AngleAxisd(kTilt, Vec3::UnitY()));
    rod.mass = 1;
    rod.velocity = Vec3(-1, 0, 0);
    scene.bodies = {make_ground(), rod};
    Simulation simulation(scene);
    double slowest = 1;
    while (simulation.world().time < 0.2) {
      ASSERT_FALSE(simulation.step().stopped);
      const BodyVelocity u = velocity_of(simulation, "rod");
      const Vec3 arm = simulation.world().bodies.orientation[1] * Vec3(0, 0, -0.5) - Vec3(0, 0, 0.005);
      const double slip = (u.linear + u.angular.cross(arm)).x();
      EXPECT_LT(slip, kFriction * std::sqrt(4 * kGravity * kTolerance)) << simulation.world().time;
      slowest = std::min(slowest, std::abs(slip));
    }
    EXPECT_LT(slowest, 0.1) << "it did not stop";
  }
}

// a = g (sin θ − µ cos θ), on average over the bounces: friction is exact in the mean, since every microcollision that
// slides takes µ times the normal impulse and those add up to the weight. What is left is one bounce more or less.
TEST(Conservative, BlockAboveTheFrictionAngleSlidesAsCoulombSays) {
  const double mu = 0.3, angle = 0.5;
  Simulation simulation(make_ramp(mu, angle, 1e-6));
  run_to(simulation, 2);
  const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle)) * 2;
  EXPECT_NEAR(velocity_of(simulation, "block").linear.norm(), expected, 2e-3 * expected);
}

// A ball that rolls on a table turning at Ω circles at 2/7 Ω, wherever it is: dv/dt = 2/7 Ω × v, [Mirtich95, fig. 11].
TEST(Conservative, BallOnATurningPlatterCirclesAtTwoSeventhsOfItsRate) {
  constexpr double kRate = 2, kSpeed = 0.5, kRadius = 0.1;
  Scene scene = make_conservative(0.01, 1, 0, 1e-5);
  BodyDescription platter = make_body("platter", {Cylinder{3, 0.1}}, Vec3(0, 0, -0.05));
  platter.kind = BodyKind::kScripted;
  platter.spin = Vec3(0, 0, kRate);
  BodyDescription ball = make_body("ball", {Sphere{kRadius}}, Vec3(1, 0, kRadius));
  ball.velocity = Vec3(0, kSpeed, 0);
  ball.spin = Vec3((kRate - kSpeed) / kRadius, 0, 0);
  scene.bodies = {platter, ball};
  Simulation simulation(scene);
  const double rate = 2.0 / 7 * kRate;
  const double period = 2 * std::numbers::pi / rate;
  double turned = 0;
  Vec3 last = Vec3::UnitY();
  while (simulation.world().time < period) {
    ASSERT_FALSE(simulation.step().stopped);
    const Vec3 now = velocity_of(simulation, "ball").linear;
    turned += std::atan2(last.cross(now).z(), last.dot(now));
    last = now;
  }
  EXPECT_NEAR(turned / simulation.world().time, rate, 0.005 * rate);
  // Back where it began, on a circle of radius v / rate about a centre that is not the axis.
  EXPECT_NEAR((position_of(simulation, "ball") - Vec3(1, 0, kRadius)).norm(), 0, 0.01 * kSpeed / rate);
}

// Sliding friction takes µ g; the slip vanishes after 2 v/(7 µ g), with 5/7 of the speed left.
TEST(Conservative, BowlingBallRollsAtTheClosedFormTimeWithFiveSeventhsOfItsSpeed) {
  constexpr double kSpeed = 8, kMu = 0.15, kRadius = 0.108;
  Scene scene = make_conservative(0.002, kMu, 0.3, 1e-5);
  BodyDescription ball = make_body("ball", {Sphere{kRadius}}, Vec3(0, 0, kRadius));
  ball.velocity = Vec3(kSpeed, 0, 0);
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  const double expected = 2 * kSpeed / (7 * kMu * kGravity);
  double rolls = 0;
  while (simulation.world().time < 1.3 * expected) {
    ASSERT_FALSE(simulation.step().stopped);
    const BodyVelocity u = velocity_of(simulation, "ball");
    if (u.linear.x() - kRadius * u.angular.y() > 0.01 * kSpeed) rolls = simulation.world().time;
  }
  EXPECT_NEAR(rolls, 0.99 * expected, 0.01 * expected);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 5.0 / 7 * kSpeed, 0.002 * kSpeed);
}

TEST(Conservative, OnlyTheFarMarbleOfALineLeaves) {
  Scene scene = make_conservative(0.01, 0, 1, 1e-5);
  scene.gravity = Vec3::Zero();
  BodyDescription first = make_body("first", {Sphere{0.1}}, Vec3(-0.5, 0, 0));
  first.velocity = Vec3(1, 0, 0);
  scene.bodies = {first};
  for (int k = 0; k < 4; ++k) {
    scene.bodies.push_back(make_body("ball" + std::to_string(k), {Sphere{0.1}}, Vec3(0.2 * k, 0, 0)));
  }
  Simulation simulation(scene);
  run_to(simulation, 0.6);
  EXPECT_NEAR(velocity_of(simulation, "ball3").linear.x(), 1, 1e-12);
  for (const char* name : {"first", "ball0", "ball1", "ball2"}) {
    EXPECT_NEAR(velocity_of(simulation, name).linear.norm(), 0, 1e-12) << name;
  }
}

TEST(Conservative, BulletDoesNotPassThroughPaper) {
  Scene scene = make_conservative(1.0 / 30, 0, 0, 1e-6);
  shoot_at_paper(scene);
  Simulation simulation(scene);
  run_to(simulation, 0.1);
  EXPECT_LT(position_of(simulation, "bullet").x(), 1);
  EXPECT_NEAR(velocity_of(simulation, "bullet").linear.norm(), 0, 1e-9);
}

// A body of three different moments tumbles near its middle axis and hits a ball on the way: energy and momentum of the
// flight are exact, whenever it is cut.
TEST(Conservative, TumblingFlightKeepsEnergyAndMomentum) {
  Scene scene = make_conservative(0.05, 0, 1, 1e-4);
  scene.gravity = Vec3::Zero();
  BodyDescription box = make_body("box", {Box{Vec3(0.3, 0.2, 0.1)}}, Vec3::Zero());
  box.spin = Vec3(0.01, 8, 0.02);
  BodyDescription ball = make_body("ball", {Sphere{0.05}}, Vec3(2, 0.05, 0.02));
  ball.velocity = Vec3(-1, 0, 0);
  scene.bodies = {box, ball};
  Simulation simulation(scene);
  const double energy = simulation.world().kinetic_energy();
  const Vec3 linear = simulation.world().linear_momentum(), angular = simulation.world().angular_momentum();
  run_to(simulation, 5);
  EXPECT_GT(velocity_of(simulation, "ball").linear.x(), -0.9);
  EXPECT_NEAR(simulation.world().kinetic_energy(), energy, 1e-9 * energy);
  EXPECT_LT((simulation.world().linear_momentum() - linear).norm(), 1e-10 * linear.norm());
  EXPECT_LT((simulation.world().angular_momentum() - angular).norm(), 1e-9 * angular.norm());
}

// Coins thrown on a table. Bounces within the tolerance trade height for speed. Only a contact that lost all of its own
// is given a least speed, which lets it rise within the band from -ε to ε: 2 m g ε for each coin at most, 1 % of what
// the lowest of them fell.
TEST(Conservative, TossedCoinsNeverGainEnergyAndComeToRest) {
  constexpr double kTolerance = 1e-5;
  Scene scene = make_conservative(0.002, 0.3, 0.5, kTolerance);
  for (int k = 0; k < 4; ++k) {
    BodyDescription coin =
        make_body("coin" + std::to_string(k), {Cylinder{0.012, 0.002}}, Vec3(0.015 * k, 0.005 * k, 0.02 + 0.02 * k));
    coin.density = 8000;
    coin.pose.q = Quat(Eigen::AngleAxisd(0.5 + 0.3 * k, Vec3(1, 0.2 * k, 0).normalized()));
    coin.spin = Vec3(3, -5, 20);
    scene.bodies.push_back(coin);
  }
  scene.bodies.push_back(make_ground());
  Simulation simulation(scene);
  const auto energy = [&] { return simulation.world().kinetic_energy() + simulation.world().potential_energy(); };
  double weight = 0;  // [N]
  for (std::size_t i = 0; i < 4; ++i) weight += simulation.world().bodies.mass[i] * kGravity;
  double lowest = energy();
  const double rise = 2 * weight * kTolerance;
  while (simulation.world().time < 2.5) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_LE(energy(), lowest + rise);
    lowest = std::min(lowest, energy());
    ASSERT_LE(simulation.penetration(), kTolerance);
  }
  // At rest: no faster than a bounce within the tolerance, √(4 g ε) at most, and flat.
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT(velocity_of(simulation, "coin" + std::to_string(k)).linear.norm(), std::sqrt(4 * kGravity * kTolerance));
  }
}

TEST(Conservative, WarmFrameAllocatesNothing) {
  Scene scene = make_conservative(0.01, 0.4, 0.3, 1e-4);
  scene.bodies = {make_ground()};
  for (int k = 0; k < 5; ++k) {
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(0.2, 0.2, 0.1)}}, Vec3(0.3 * k, 0, 0.05)));
  }
  Simulation simulation(scene);
  run_to(simulation, 1);
  const std::int64_t before = testing::count_allocations();
  for (int k = 0; k < 50; ++k) (void)simulation.step();
  EXPECT_EQ(testing::count_allocations(), before);
}

}  // namespace
}  // namespace achilles
