#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_scene;
using testing::run_to;

Scene make_tumbling_box() {
  Scene scene = make_scene(0.001, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription box = make_body("box", {Box{Vec3(0.1, 0.4, 1.0)}}, Vec3::Zero());
  box.spin = Vec3(0.001, 5, 0.001);  // the middle axis: unstable, so the box flips over and over
  scene.bodies = {box};
  return scene;
}

// A free body keeps its energy and its angular momentum, whatever it does; the bound is the promise of the product.
TEST(TorqueFreeRotation, KeepsEnergyAndAngularMomentumThroughAHundredSecondsOfFlips) {
  Simulation simulation(make_tumbling_box());
  const double energy = simulation.world().kinetic_energy();
  const Vec3 momentum = simulation.world().angular_momentum();
  double flipped = 1;
  while (simulation.world().time < 100) {
    simulation.step();
    const Vec3 middle_axis = simulation.world().bodies.orientation[0] * Vec3::UnitY();
    flipped = std::min(flipped, middle_axis.y());
    ASSERT_NEAR(simulation.world().kinetic_energy(), energy, 1e-6 * energy);
    ASSERT_LT((simulation.world().angular_momentum() - momentum).norm(), 1e-6 * momentum.norm());
  }
  EXPECT_LT(flipped, -0.99);  // it did turn over: this is Dzhanibekov's motion, not a steady spin
}

class FreeRotation : public ::testing::TestWithParam<const char*> {};

// No step is too long: rods, plates and needles that turn by up to half a radian per step about no axis of symmetry
// keep energy and angular momentum to rounding, which grows with the number of steps.
TEST_P(FreeRotation, RodPlateAndNeedleKeepEnergyAndAngularMomentumAtAnyStep) {
  for (const Vec3& size : {Vec3(0.5, 0.04, 0.04), Vec3(0.5, 0.4, 0.01), Vec3(0.3, 0.003, 0.002)}) {
    for (const double step : {0.001, 0.005, 0.01, 0.1}) {
      Scene scene = make_scene(step, 0.3, 0);
      scene.gravity = Vec3::Zero();
      scene.method.name = GetParam();
      BodyDescription body = make_body("body", {Box{size}}, Vec3::Zero());
      body.mass = 1;
      body.spin = Vec3(40, 20, 12);
      scene.bodies = {body};
      Simulation simulation(scene);
      const double energy = simulation.world().kinetic_energy();
      const Vec3 momentum = simulation.world().angular_momentum();
      for (int k = 0; k < 400; ++k) {
        ASSERT_FALSE(simulation.step().stopped);
        ASSERT_NEAR(simulation.world().kinetic_energy(), energy, 1e-8 * energy) << step << " s, step " << k;
        ASSERT_LT((simulation.world().angular_momentum() - momentum).norm(), 1e-8 * momentum.norm()) << step << " s";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, FreeRotation,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "penalty",
                                           "position-optimal", "impulse-naive", "impulse-zeno-free", "lcp-event",
                                           "anitescu-potra", "impulse-conservative", "hybrid"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class LockedVelocity : public ::testing::TestWithParam<std::string> {};

// What is locked does not move, whatever velocity the scene gives it.
TEST_P(LockedVelocity, BodyStaysWhereItIsLocked) {
  Scene scene = make_scene(0.01, 0.3, 0);
  scene.method.name = GetParam();
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 5));
  ball.velocity = Vec3(1, 2, 3);
  ball.spin = Vec3(4, 5, 6);
  ball.locks.bits = Locks::kY | Locks::kRx | Locks::kRz;
  scene.bodies = {ball};
  Simulation simulation(scene);
  simulation.world().set_velocity(simulation.world().find("ball"), {Vec3(1, 2, 3), Vec3(4, 5, 6)});
  for (int k = 0; k < 20; ++k) (void)simulation.step();
  EXPECT_EQ(simulation.world().bodies.position[0].y(), 0);
  const Vec3 side = simulation.world().bodies.orientation[0] * Vec3::UnitY();
  EXPECT_NEAR(side.y(), 1, 1e-12);
  if (GetParam() != "first-order") {
    EXPECT_NEAR(simulation.world().bodies.position[0].x(), 0.2, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, LockedVelocity,
                         ::testing::Values("impulse-naive", "impulse-zeno-free", "impulse-conservative", "lcp-fixed",
                                           "lcp-retroactive", "lcp-fixpoint", "lcp-event", "anitescu", "anitescu-potra",
                                           "shock-propagation", "reflections", "penalty", "position-optimal", "hybrid",
                                           "first-order", "soft-step"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// z(t) = z0 + v t − ½ g t² holds for the conserving integrator up to round-off.
TEST(FreeFlight, FollowsTheParabolaExactly) {
  Scene scene = make_scene(0.01, 0, 0);
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1));
  ball.velocity = Vec3(3, 0, 7);
  scene.bodies = {ball};
  Simulation simulation(scene);
  run_to(simulation, 2);
  const double t = simulation.world().time;
  const Vec3 expected = Vec3(3, 0, 7) * t + 0.5 * t * t * scene.gravity + Vec3(0, 0, 1);
  EXPECT_LT((testing::position_of(simulation, "ball") - expected).norm(), 1e-12);
}

// Semi-implicit Euler is first order: halving the step halves the error at a fixed time.
TEST(FreeFlight, SemiImplicitEulerConvergesWithFirstOrder) {
  const auto error = [](double h) {
    Scene scene = make_scene(h, 0, 0);
    scene.method.options["integrator"] = std::string("semi-implicit");
    scene.bodies = {make_body("ball", {Sphere{0.1}}, Vec3::Zero())};
    Simulation simulation(scene);
    run_to(simulation, 1);
    return std::abs(testing::position_of(simulation, "ball").z() + 0.5 * 9.81);
  };
  EXPECT_NEAR(error(0.01) / error(0.005), 2, 0.01);
}

// Two bodies that are each other's snapshot move alike to the last bit.
// The finite rotation about the given axis turns by ω h exactly, however long the step; ω h is 1 here, and the
// midpoint rule of the conserving integrator would turn by 2 arctan(½) = 0.93.
TEST(FreeFlight, TurnsByTheRuleThatTheSceneAsksFor) {
  for (const char* method : {"lcp-fixed", "lcp-retroactive", "shock-propagation", "penalty", "reflections"}) {
    Scene scene = make_scene(0.05, 0, 0);
    scene.gravity = Vec3::Zero();
    scene.method.name = method;
    BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3::Zero());
    ball.spin = Vec3(20, 0, 0);
    ball.rotation = RotationUpdate::kPartial;
    ball.rotation_axis = Vec3::UnitX();
    scene.bodies = {ball};
    Simulation simulation(scene);
    (void)simulation.step();
    EXPECT_NEAR(Eigen::AngleAxisd(simulation.world().bodies.orientation[0]).angle(), 1, 1e-12) << method;
  }
}

TEST(Snapshot, CopyOfTheWorldContinuesWithTheSameBits) {
  Simulation first(make_tumbling_box());
  run_to(first, 0.5);
  Simulation second(make_tumbling_box());
  second.restore(first.world());
  run_to(first, 1);
  run_to(second, 1);
  EXPECT_EQ(first.world().state_hash(), second.world().state_hash());
}

// With rotation about x and z locked and y locked, motion stays in the xz plane exactly.
TEST(Locks, PlanarBodyNeverLeavesItsPlane) {
  Scene scene = make_scene(0.01, 0.5, 0.3);
  BodyDescription box = make_body("box", {Box{Vec3(1, 0.5, 0.7)}}, Vec3(0, 0, 2));
  box.pose.q = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitY()));
  box.velocity = Vec3(1, 0, 0);
  box.spin = Vec3(0, 3, 0);
  box.locks.bits = Locks::kY | Locks::kRx | Locks::kRz;
  scene.bodies = {testing::make_ground(), box};
  Simulation simulation(scene);
  run_to(simulation, 3);
  const BodyVelocity u = testing::velocity_of(simulation, "box");
  EXPECT_EQ(testing::position_of(simulation, "box").y(), 0);
  EXPECT_EQ(u.angular.x(), 0);
  EXPECT_EQ(u.angular.z(), 0);
}

// Ten thousand times 0.1 s are 1000 s; added up they would be 1.6e-10 s more.
TEST(Time, IsTheNumberOfStepsTimesTheStep) {
  Scene scene = make_scene(0.1, 0, 0);
  scene.bodies = {make_body("ball", {Sphere{1}}, Vec3::Zero())};
  Simulation simulation(scene);
  for (int k = 0; k < 10000; ++k) {
    (void)simulation.step();
    ASSERT_EQ(simulation.world().time, 0.1 * (k + 1));
  }
}

}  // namespace
}  // namespace achilles
