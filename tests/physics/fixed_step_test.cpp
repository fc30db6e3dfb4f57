// What each of the fixed-step methods has that the others do not.
#include "methods/penalty/penalty.hpp"
#include "support/joints.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::hang_bob;
using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81;

/// A plastic ball without gravity on its way to the ground, which it meets in the middle of a step.
Scene make_landing(const std::string& method) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.method.name = method;
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1 + 0.055));
  ball.velocity = Vec3(0, 0, -1);
  scene.bodies = {make_ground(), ball};
  return scene;
}

TEST(LcpRetroactive, BallComesToRestOnTheSurface) {
  Simulation simulation(make_landing("lcp-retroactive"));
  run_to(simulation, 0.2);
  EXPECT_NEAR(position_of(simulation, "ball").z(), 0.1, 1e-9);
}

// [Erleben04, fig. 4.18]: a contact of the end of the step taken as one of its beginning stops the ball where it is.
TEST(LcpRetroactive, WithTheForceFieldOfTheFigureTheBallHangsInTheAir) {
  Scene scene = make_landing("lcp-retroactive");
  scene.method.options["force_field"] = true;
  Simulation simulation(scene);
  run_to(simulation, 0.2);
  // Five steps of 0.01 m fit into 0.055 m.
  EXPECT_NEAR(position_of(simulation, "ball").z(), 0.1 + 0.005, 1e-9);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.z(), 0, 1e-9);
}

// Corners that hit later in the same step are found in later rounds.
TEST(LcpRetroactive, TiltedBoxLandsWithoutSinkingIn) {
  Scene scene = make_scene(0.01, 0.3, 0);
  scene.method.name = "lcp-retroactive";
  BodyDescription box = make_body("box", {Box{Vec3(0.4, 0.3, 0.2)}}, Vec3(0, 0, 0.6));
  box.pose.q = Quat(Eigen::AngleAxisd(0.3, Vec3(1, 2, 0).normalized()));
  scene.bodies = {make_ground(), box};
  Simulation simulation(scene);
  run_to(simulation, 2);
  EXPECT_NEAR(position_of(simulation, "box").z(), 0.1, 1e-3);
  EXPECT_LT(velocity_of(simulation, "box").linear.norm(), 1e-3);
}

// The rod keeps its length at the end of every step, although nothing is projected: the rows are those of the end.
TEST(LcpFixpoint, PendulumKeepsItsLengthToTheToleranceOfTheFixPoint) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.method.name = "lcp-fixpoint";
  hang_bob(scene);
  Simulation simulation(scene);
  for (int k = 0; k < 500; ++k) {
    const StepReport report = simulation.step();
    ASSERT_LT(report.joint_error, 1e-7);
    ASSERT_LT(report.residual, 1e-4);
  }
}

// A box that tumbles over its edges: the linearization of one step sinks in by (h ω)² r / 2, the fix-point does not.
TEST(LcpFixpoint, TumblingBoxDoesNotPenetrate) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.method.name = "lcp-fixpoint";
  BodyDescription box = make_body("box", {Box{Vec3(0.4, 0.4, 0.4)}}, Vec3(0, 0, 0.5));
  box.pose.q = Quat(Eigen::AngleAxisd(0.6, Vec3::UnitY()));
  box.velocity = Vec3(2, 0, 0);
  box.spin = Vec3(0, 8, 0);
  scene.bodies = {make_ground(), box};
  Simulation simulation(scene);
  for (int k = 0; k < 300; ++k) {
    (void)simulation.step();
    ASSERT_LT(simulation.penetration(), 1e-6) << "step " << k;
  }
}

/// Two boxes of 1 m that overlap by 0.2 m, [Erleben04, fig. 4.32].
Scene make_overlap(double mass) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.method.name = "first-order";
  BodyDescription left = make_body("left", {Box{Vec3(1, 1, 1)}}, Vec3::Zero());
  BodyDescription right = make_body("right", {Box{Vec3(1, 1, 1)}}, Vec3(0.8, 0, 0));
  left.mass = 1;
  right.mass = mass;
  scene.bodies = {left, right};
  return scene;
}

TEST(FirstOrder, OverlapIsRemovedInProportionToTheInverseMasses) {
  for (const double mass : {1.0, 10.0}) {
    Simulation simulation(make_overlap(mass));
    run_to(simulation, 0.1);
    EXPECT_NEAR(position_of(simulation, "left").x(), -0.2 * mass / (1 + mass), 1e-9);
    EXPECT_NEAR(position_of(simulation, "right").x(), 0.8 + 0.2 / (1 + mass), 1e-9);
    EXPECT_EQ(simulation.world().kinetic_energy(), 0);
    EXPECT_LT(simulation.penetration(), 1e-9);
  }
}

// F = m v: what is pulled moves as long as it is pulled, [Erleben04, eq. 4.244], and pushes what is in its way along.
TEST(FirstOrder, ForceCausesVelocityAndPushesWhatIsInTheWay) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.method.name = "first-order";
  BodyDescription pulled = make_body("pulled", {Box{Vec3(1, 1, 1)}}, Vec3::Zero());
  BodyDescription other = make_body("other", {Box{Vec3(1, 1, 1)}}, Vec3(1.5, 0, 0));
  pulled.mass = 2;
  other.mass = 6;
  pulled.force = Vec3(4, 0, 0);
  scene.bodies = {pulled, other};
  Simulation simulation(scene);
  run_to(simulation, 0.25);  // alone at 2 m/s, up to the other
  EXPECT_NEAR(position_of(simulation, "pulled").x(), 0.5, 1e-9);
  run_to(simulation, 1.25);  // together at F / (m₁ + m₂)
  EXPECT_NEAR(position_of(simulation, "pulled").x(), 0.5 + 0.5, 1e-6);
  EXPECT_NEAR(position_of(simulation, "other").x(), 1.5 + 0.5, 1e-6);
}

TEST(FirstOrder, JointErrorsAreTakenOut) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.method.name = "first-order";
  hang_bob(scene);
  Simulation simulation(scene);
  World& world = simulation.world();
  world.set_pose(world.find("bob"), {Vec3(0.9, 0.3, -0.2), Quat::Identity()});
  double error = 0;
  for (int k = 0; k < 10; ++k) error = simulation.step().joint_error;
  EXPECT_LT(error, 1e-9);
}

// What [Schwager07] gives for a damper that never pulls, at three points where the formula is simple: no damping,
// critical damping (e⁻²), and ζ = 1/√2, where the angle is a right one: exp(−π/2).
TEST(Penalty, DampingRatioGivesTheRestitution) {
  EXPECT_EQ(find_damping_ratio(1), 0);
  EXPECT_NEAR(find_damping_ratio(std::exp(-2.0)), 1, 1e-6);
  EXPECT_NEAR(find_damping_ratio(std::exp(-std::numbers::pi / 2)), std::sqrt(0.5), 1e-9);
}

// A material of stiffness k carries a ball at m g / k below the surface.
TEST(Penalty, StiffnessOfTheMaterialSetsTheDepthOfRest) {
  Scene scene = make_scene(0.005, 0, 0);
  scene.method.name = "penalty";
  scene.materials[0].law.stiffness = 4000;
  scene.materials[0].law.damping = 60;
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1));
  ball.mass = 2;
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  run_to(simulation, 3);
  EXPECT_NEAR(simulation.penetration(), 2 * kGravity / 4000, 1e-3 * 2 * kGravity / 4000);
}

TEST(Penalty, ElasticBounceKeepsItsEnergy) {
  Scene scene = make_scene(0.005, 0, 1);
  scene.method.name = "penalty";
  scene.method.options["accuracy"] = 0.01;
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.6))};
  Simulation simulation(scene);
  const double energy = simulation.world().potential_energy() - simulation.world().bodies.mass[1] * kGravity * 0.1;
  run_to(simulation, 2.45);
  const double now = simulation.world().kinetic_energy() + simulation.world().potential_energy() -
                     simulation.world().bodies.mass[1] * kGravity * 0.1;
  EXPECT_NEAR(now, energy, 0.02 * energy);
}

TEST(Penalty, StepThatIsTooLongForTheStiffnessIsRefusedWithTheReason) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.method.name = "penalty";
  scene.materials[0].law.stiffness = 1e15;
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1));
  ball.mass = 1;
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  const StepReport report = simulation.step();
  ASSERT_TRUE(report.stopped);
  EXPECT_EQ(report.stopped->reason, "step-too-long");
  EXPECT_NE(report.stopped->message.find("substeps"), std::string::npos);
}

// All collisions of a frame happen at its end, at positions that do not overlap, however long the frame.
TEST(PositionOptimal, FastBallIsAtTheWallAtTheEndOfTheFrameInWhichItMeetsIt) {
  Scene scene = make_scene(1.0 / 30, 0, 0.5);
  scene.gravity = Vec3::Zero();
  scene.method.name = "position-optimal";
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1.1));
  ball.velocity = Vec3(0, 0, -20);
  scene.bodies = {make_ground(), ball};
  Simulation simulation(scene);
  (void)simulation.step();
  EXPECT_NEAR(position_of(simulation, "ball").z(), 1.1 - 20.0 / 30, 1e-9);
  (void)simulation.step();
  EXPECT_NEAR(position_of(simulation, "ball").z(), 0.1, 1e-7);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.z(), 10, 1e-9);
}

// min ½ Σ m (x − x_free)² with x₂ − x₁ ≥ d: both give way in proportion to their inverse masses.
TEST(PositionOptimal, OverlapAtTheEndOfTheFrameIsSharedByTheInverseMasses) {
  Scene scene = make_scene(0.1, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.method.name = "position-optimal";
  BodyDescription light = make_body("light", {Sphere{0.5}}, Vec3(-0.6, 0, 0));
  BodyDescription heavy = make_body("heavy", {Sphere{0.5}}, Vec3(0.6, 0, 0));
  light.mass = 1;
  heavy.mass = 4;
  light.velocity = Vec3(4, 0, 0);
  scene.bodies = {light, heavy};
  Simulation simulation(scene);
  (void)simulation.step();
  // Free flight ends at −0.2 and 0.6: 0.2 m too near.
  EXPECT_NEAR(position_of(simulation, "light").x(), -0.2 - 0.2 * 0.8, 1e-7);
  EXPECT_NEAR(position_of(simulation, "heavy").x(), 0.6 + 0.2 * 0.2, 1e-7);
}

}  // namespace
}  // namespace achilles
