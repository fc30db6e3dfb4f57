#include "support/scenes.hpp"

#include <gtest/gtest.h>

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
