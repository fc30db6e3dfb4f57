// Joints under the throughput method, beyond what swept_joint_test.cpp asks of every method that sweeps them.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;
using testing::position_of;
using testing::run_to;

constexpr double kGravity = 9.81;

Scene make_soft_scene(double step) {
  Scene scene = make_scene(step, 0, 0);
  scene.method.name = "soft-step";
  scene.bodies = {make_anchor()};
  return scene;
}

/// A ball of 2 kg and radius 0.1 on a massless rod of 1 m, at an angle from the vertical.
Scene make_pendulum(JointKind kind, double angle, double step) {
  Scene scene = make_soft_scene(step);
  BodyDescription bob = make_body("bob", {Sphere{0.1}}, Vec3(std::sin(angle), 0, -std::cos(angle)));
  bob.mass = 2;
  scene.bodies.push_back(bob);
  const bool turns = kind == JointKind::kHinge;
  scene.joints = {make_joint(kind, "anchor", "bob", Vec3::Zero(), std::vector<Vec3>(turns ? 1 : 0, Vec3::UnitY()))};
  return scene;
}

// Small swings: T/4 = ½ π √(I/(m g l)) with I/m = 1 + 0.4 · 0.1² about the pivot; at 0.1 rad the arc adds 1/1600 of it.
TEST(SoftJoint, PendulumPassesTheVerticalAfterAQuarterOfItsPeriod) {
  for (const JointKind kind : {JointKind::kBall, JointKind::kHinge}) {
    Simulation simulation(make_pendulum(kind, 0.1, 0.001));
    while (position_of(simulation, "bob").x() > 0) ASSERT_FALSE(simulation.step().stopped);
    const double quarter = 0.5 * std::numbers::pi * std::sqrt(1.004 / kGravity) * (1 + 1.0 / 1600);
    EXPECT_NEAR(simulation.world().time, quarter, 0.005);
  }
}

// Dropped from the horizontal, the pull reaches 3 m g and the rod must still keep its length.
TEST(SoftJoint, RodKeepsItsLengthAndEnergyDoesNotGrow) {
  Simulation simulation(make_pendulum(JointKind::kBall, std::numbers::pi / 2, 1.0 / 60));
  const double energy = simulation.world().kinetic_energy() + simulation.world().potential_energy();
  for (int k = 0; k < 300; ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped);
    EXPECT_LT(report.joint_error, 5e-3);
    EXPECT_NEAR(position_of(simulation, "bob").norm(), 1, 5e-3);
    EXPECT_LT(simulation.world().kinetic_energy() + simulation.world().potential_energy() - energy,
              0.01 * 2 * kGravity);
  }
}

TEST(SoftJoint, PendulumStopsAtItsLimitAndStaysWithinIt) {
  Scene scene = make_pendulum(JointKind::kHinge, 0.5, 0.005);
  // Let go at 0.5 rad, where the scene counts 0; the limit lies 0.2 rad on.
  scene.joints.front().axes.front().limits = {-0.2, 0.2};
  Simulation simulation(scene);
  double farthest = 0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    const Vec3 p = position_of(simulation, "bob");
    farthest = std::max(farthest, std::abs(std::atan2(p.x(), -p.z()) - 0.5));
  }
  EXPECT_NEAR(farthest, 0.2, 0.01);
}

// T = 2 π √(m/k) = 2 π √(2/200): after half of it the carriage is at the other end.
TEST(SoftJoint, SliderOnASpringSwingsWithItsNaturalPeriod) {
  Scene scene = make_soft_scene(0.0005);
  scene.gravity = Vec3::Zero();
  BodyDescription carriage = make_body("carriage", {Sphere{0.1}}, Vec3(0.5, 0, 0));
  carriage.mass = 2;
  scene.bodies.push_back(carriage);
  JointDescription joint = make_joint(JointKind::kSlider, "anchor", "carriage", Vec3(0.5, 0, 0), {Vec3::UnitX()});
  joint.axes.front().stiffness = 200;
  joint.axes.front().rest = -0.1;
  scene.joints = {joint};
  Simulation simulation(scene);
  (void)run_to(simulation, std::numbers::pi * std::sqrt(2.0 / 200));
  EXPECT_NEAR(position_of(simulation, "carriage").x(), 0.3, 0.01);
  EXPECT_LT(Vec3(0, position_of(simulation, "carriage").y(), position_of(simulation, "carriage").z()).norm(), 1e-4);
}

// Two balls that circle each other at 13/s pull with T = m v²/R = 1.4 mN at a link of a fortieth of their mass, whose
// anchors lie far outside it: it turns back at ω = √(2 T r/I) = 2000/s with I = 5.3e-12 kg m², 3.5 per substep of 1.75
// ms. Where one ball runs into the other, the link between them is pressed and folds as fast. Nothing brings energy.
TEST(SoftJoint, TinyLinkUnderAStrongForceGainsNoEnergy) {
  const std::pair<Vec3, Vec3> starts[] = {{Vec3(0, -0.2, 0), Vec3(0, 0.2, 0.01)},
                                          {Vec3::Zero(), Vec3(-0.2, -0.09, 0.006)}};
  for (const auto& [left, right] : starts) {
    Scene scene = make_scene(0.014, 0, 0);
    scene.method.name = "soft-step";
    scene.gravity = Vec3::Zero();
    scene.bodies = {make_body("left", {Sphere{0.005}}, Vec3(-0.0151, 0.0002, 0)),
                    make_body("link", {Capsule{0.000892, 0.00435}}, Vec3::Zero()),
                    make_body("right", {Sphere{0.005}}, Vec3(0.0151, 0, 0.0001))};
    scene.bodies[0].velocity = left;
    scene.bodies[2].velocity = right;
    scene.joints = {make_joint(JointKind::kBall, "left", "link", Vec3(-0.0076, 0, 0)),
                    make_joint(JointKind::kBall, "link", "right", Vec3(0.0076, 0, 0))};
    Simulation simulation(scene);
    const double start = simulation.world().kinetic_energy();
    for (int k = 0; k < 140; ++k) {
      const StepReport report = simulation.step();
      ASSERT_FALSE(report.stopped) << report.stopped->message;
      ASSERT_LT(simulation.world().kinetic_energy(), 1.01 * start) << "step " << k;
    }
  }
}

Scene make_net(int across) {
  Scene scene = make_soft_scene(1.0 / 60);
  const auto name = [](int i, int j) {
    std::string knot = "knot";
    return knot.append(std::to_string(i)).append(",").append(std::to_string(j));
  };
  for (int i = 0; i < across; ++i) {
    for (int j = 0; j < across; ++j) {
      scene.bodies.push_back(make_body(name(i, j), {Sphere{0.2}}, Vec3(i, j, 5)));
      if (i == 0 || i == across - 1) scene.bodies.back().kind = BodyKind::kFixed;
      if (i > 0) scene.joints.push_back(make_joint(JointKind::kBall, name(i - 1, j), name(i, j), Vec3(i - 0.5, j, 5)));
      if (j > 0) scene.joints.push_back(make_joint(JointKind::kBall, name(i, j - 1), name(i, j), Vec3(i, j - 0.5, 5)));
    }
  }
  return scene;
}

TEST(SoftJoint, NetHangsTogetherWithTheSameBitsOnTwoThreads) {
  const Scene scene = make_net(12);
  Simulation one(scene, 1), two(scene, 2);
  double worst = 0;
  for (int k = 0; k < 120; ++k) {
    worst = std::max(worst, one.step().joint_error);
    (void)two.step();
  }
  EXPECT_EQ(one.world().state_hash(), two.world().state_hash());
  EXPECT_LT(worst, 0.05);
}

// Long arms on small bodies under a strong pull: were the arms held for a whole step, the pull would feed their swing.
TEST(SoftJoint, NetBetweenTwoBarsGainsNoEnergyAndHoldsTogether) {
  Simulation simulation(make_net(40));
  const double before = simulation.world().kinetic_energy() + simulation.world().potential_energy();
  const double weight = 1000 * 4.0 / 3 * std::numbers::pi * 0.008 * kGravity * 38 * 40;
  for (int k = 0; k < 300; ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped);
    const double now = simulation.world().kinetic_energy() + simulation.world().potential_energy();
    ASSERT_LT(now - before, 1e-3 * weight) << "step " << k;
    ASSERT_LT(report.joint_error, 0.1) << "step " << k;
  }
}

}  // namespace
}  // namespace achilles
