// Joints under loads far heavier than the links that carry them.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;

constexpr double kGravity = 9.81;
constexpr double kLink = 0.5;  // [m]
constexpr int kLinks = 5;

void let_pass_through_each_other(Scene& scene) {
  for (BodyDescription& body : scene.bodies) body.group = "chain";
  scene.rules = {{"chain", "chain"}};
}

/// Links of 1 kg from the anchor along a direction, and a ball of the given mass at the end.
Scene make_loaded_chain(const std::string& method, double step, double mass, const Vec3& along) {
  Scene scene = make_scene(step, 0.25, 0);
  scene.method.name = method;
  scene.bodies = {make_anchor()};
  std::string last = "anchor";
  for (int k = 0; k < kLinks; ++k) {
    const std::string name = "link" + std::to_string(k);
    BodyDescription link = make_body(name, {Box{Vec3(kLink, 0.1, 0.1)}}, kLink * (k + 0.5) * along);
    link.pose.q = Quat::FromTwoVectors(Vec3::UnitX(), along);
    link.mass = 1;
    scene.bodies.push_back(link);
    scene.joints.push_back(make_joint(JointKind::kBall, last, name, kLink * k * along));
    last = name;
  }
  const double radius = 0.3;
  BodyDescription weight = make_body("weight", {Sphere{radius}}, (kLink * kLinks + radius) * along);
  weight.mass = mass;
  scene.bodies.push_back(weight);
  scene.joints.push_back(make_joint(JointKind::kBall, last, "weight", kLink * kLinks * along));
  let_pass_through_each_other(scene);
  return scene;
}

double total_energy(const Simulation& simulation) {
  return simulation.world().kinetic_energy() + simulation.world().potential_energy();
}

class LoadedJoints : public ::testing::TestWithParam<const char*> {};
class WreckingBall : public LoadedJoints {};

// Let go level, the chain swings down and up again. Links under the weight swing at ω = √(T r / I), up to 850 rad/s for
// a thousandfold weight, so that h ω is far beyond 2. Nothing brings energy: the total never exceeds that of the start,
// by more than a thousandth of what falls. Joints stay within a hundredth of half a link; under a thousandfold weight a
// method that cannot keep that stops and says so.
TEST_P(WreckingBall, HoldsAndBringsNoEnergyOrStopsWithAReason) {
  for (const double mass : {1.0, 10.0, 100.0, 1000.0}) {
    for (const double lift : {0.0, 0.3}) {
      const Vec3 along(std::cos(lift), 0.05, std::sin(lift));
      Simulation simulation(make_loaded_chain(GetParam(), 0.01, mass, along.normalized()));
      const double start = total_energy(simulation);
      const double scale = (mass + kLinks) * kGravity * kLinks * kLink;
      while (simulation.world().time < 4 - 1e-9) {
        const StepReport report = simulation.step();
        if (report.stopped && mass == 1000) {
          EXPECT_EQ(report.stopped->reason, "joint-error");
          break;
        }
        ASSERT_FALSE(report.stopped) << mass << " kg: " << report.stopped->message;
        ASSERT_LT(report.joint_error, 0.01 * 0.5 * kLink) << mass << " kg at " << simulation.world().time;
        ASSERT_LT(total_energy(simulation) - start, 1e-3 * scale) << mass << " kg at " << simulation.world().time;
      }
    }
  }
}

// At rest each joint carries the weight of all that hangs below it.
TEST_P(LoadedJoints, HangingChainCarriesTheWeightBelowEachJoint) {
  const double mass = 1000;
  Simulation simulation(make_loaded_chain(GetParam(), 0.01, mass, -Vec3::UnitZ()));
  for (int k = 0; k < 100; ++k) (void)simulation.step();
  for (int k = 0; k <= kLinks; ++k) {
    const double below = (mass + kLinks - k) * kGravity;
    EXPECT_NEAR(simulation.joint_loads()[static_cast<std::size_t>(k)].force.z(), below, 1e-6 * below) << k;
  }
}

// Two bodies on one joint in free space: no outer force, so momentum and angular momentum stay; the energy does not
// rise.
TEST_P(LoadedJoints, FreeDumbbellKeepsItsMomenta) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.method.name = GetParam();
  BodyDescription rod = make_body("rod", {Box{Vec3(1, 0.1, 0.1)}}, Vec3(0.5, 0, 0));
  rod.mass = 1;
  rod.velocity = Vec3(0, 0, 1);
  BodyDescription ball = make_body("ball", {Sphere{0.2}}, Vec3(1.2, 0, 0));
  ball.mass = 10;
  ball.velocity = Vec3(0, 1, 0);
  scene.bodies = {rod, ball};
  scene.joints = {make_joint(JointKind::kBall, "rod", "ball", Vec3(1, 0, 0))};
  let_pass_through_each_other(scene);
  Simulation simulation(scene);
  const double energy = simulation.world().kinetic_energy();
  const Vec3 momentum = simulation.world().linear_momentum();
  for (int k = 0; k < 200; ++k) (void)simulation.step();
  EXPECT_LT((simulation.world().linear_momentum() - momentum).norm(), 1e-9 * momentum.norm());
  EXPECT_LT(simulation.world().kinetic_energy(), (1 + 1e-9) * energy);
}

INSTANTIATE_TEST_SUITE_P(Methods, LoadedJoints,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });
INSTANTIATE_TEST_SUITE_P(Methods, WreckingBall,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "hybrid", "anitescu",
                                           "shock-propagation"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Two rods of different lengths between the same two points cannot both fit: one is off by a quarter of its arm at
// least, more than soft-step allows, which allows a tenth.
TEST(JointCheck, ContradictingJointsStopTheRunWithTheReason) {
  for (const char* method : {"lcp-fixed", "soft-step"}) {
    Scene scene = make_scene(0.01, 0, 0);
    scene.method.name = method;
    scene.bodies = {make_anchor(), make_body("bob", {Sphere{0.05}}, Vec3(1, 0, 0))};
    for (const double length : {1.0, 1.5}) {
      JointDescription rod = make_joint(JointKind::kDistance, "anchor", "bob", Vec3::Zero());
      rod.name = "rod of " + std::to_string(length);
      rod.at_second = Vec3(1, 0, 0);
      rod.length = length;
      scene.joints.push_back(rod);
    }
    Simulation simulation(scene);
    // The first step shares the error between the rods; after it nothing comes closer.
    StepReport report = simulation.step();
    for (int k = 0; k < 100 && !report.stopped; ++k) report = simulation.step();
    ASSERT_TRUE(report.stopped) << method;
    EXPECT_EQ(report.stopped->reason, "joint-error") << method;
  }
}

}  // namespace
}  // namespace achilles
