// Joints in impacts of `reflections`: the operators act in the space of velocities that the joints allow, in which
// [Vouga17] states its proof.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_ground;
using testing::make_joint;
using testing::make_scene;
using testing::position_of;
using testing::velocity_of;

Scene make_jointed_scene(double step, double restitution, const std::string& law) {
  Scene scene = make_scene(step, 0, restitution);
  scene.method.name = "reflections";
  scene.method.impact = law;
  return scene;
}

std::string ball_name(int k) {
  std::string name = "ball";
  name += std::to_string(k);
  return name;
}

/// n balls of radius 0.1 in a row, each on a hinge one metre above it.
void hang_cradle(int n, Scene& scene) {
  scene.bodies = {make_anchor(Vec3(0, 3, 0))};
  for (int k = 0; k < n; ++k) {
    const Vec3 at(0.2 * k, 0, 0);
    scene.bodies.push_back(make_body(ball_name(k), {Sphere{0.1}}, at));
    scene.joints.push_back(make_joint(JointKind::kHinge, "anchor", ball_name(k), at + Vec3(0, 0, 1), {Vec3(0, 1, 0)}));
  }
}

// Each ball has one freedom with one and the same generalized mass, so that a strike exchanges two speeds: one impact
// sorts them, whichever operator makes it. The step is so short that what gravity adds (h g sin) is below 1e-9.
TEST(ReflectionsJoints, CradlesOnHingesPermuteVelocities) {
  for (const char* law : {"generalized-reflections", "gauss-seidel"}) {
    for (int n = 3; n <= 20; n += law[0] == 'g' && law[1] == 'a' ? 4 : 1) {
      for (int moving = 1; moving < std::min(n, 4); ++moving) {
        Scene scene = make_jointed_scene(1e-7, 1, law);
        hang_cradle(n, scene);
        for (int k = 0; k < moving; ++k) {
          scene.bodies[1 + k].velocity = Vec3(1, 0, 0);
          scene.bodies[1 + k].spin = Vec3(0, -1, 0);
        }
        Simulation simulation(scene);
        ASSERT_FALSE(simulation.step().stopped);
        for (int k = 0; k < n; ++k) {
          EXPECT_NEAR(velocity_of(simulation, ball_name(k)).linear.x(), k >= n - moving ? 1 : 0, 1e-9)
              << law << " " << n << " " << moving << " " << k;
        }
      }
    }
  }
}

// Released from 30 degrees, the last ball must come as high as the first was, at every swing: the energy of the swing
// is kept to the second order of the step and does not drift, and the others hardly move.
TEST(ReflectionsJoints, SwingingCradleOfFiveKeepsItsSwing) {
  Scene scene = make_jointed_scene(0.001, 1, "generalized-reflections");
  hang_cradle(5, scene);
  const double angle = std::acos(-1) / 6;
  scene.bodies[1].pose.p = Vec3(-std::sin(angle), 0, 1 - std::cos(angle));
  Simulation simulation(scene);
  const World& world = simulation.world();
  const double energy = world.kinetic_energy() + world.potential_energy();
  const double swing = world.bodies.mass[1] * 9.81 * (1 - std::cos(angle));
  double highest = 0, error = 0;
  for (int k = 0; k < 4000; ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped);
    error = std::max(error, report.joint_error);
    EXPECT_NEAR(world.kinetic_energy() + world.potential_energy(), energy, 1e-4 * swing) << k;
    if (k > 3000) highest = std::max(highest, position_of(simulation, "ball4").z());
    ASSERT_LT(std::abs(position_of(simulation, "ball2").x() - 0.4), 0.02) << k;
  }
  EXPECT_NEAR(highest, 1 - std::cos(angle), 1e-3);
  EXPECT_LT(error, 1e-9);
}

// A chain of plates thrown at smooth ground, e = 1: impacts and joints keep the energy, and the ground has no hold on
// the momentum along it. Joints take part in the impact of the foot; between impacts the energy is of second order.
TEST(ReflectionsJoints, FootOfAChainTouchesDownElastically) {
  Scene scene = make_jointed_scene(0.001, 1, "generalized-reflections");
  scene.bodies = {make_ground()};
  for (int k = 0; k < 4; ++k) {
    scene.bodies.push_back(make_body(ball_name(k), {Box{Vec3(0.1, 0.1, 0.4)}}, Vec3(0, 0, 0.3 + 0.4 * k)));
    scene.bodies.back().velocity = Vec3(0.5, 0.1 * k, -1);
    if (k == 0) continue;
    scene.joints.push_back(make_joint(JointKind::kBall, ball_name(k - 1), ball_name(k), Vec3(0, 0, 0.1 + 0.4 * k)));
  }
  Simulation simulation(scene);
  ASSERT_FALSE(simulation.step().stopped);  // puts velocities on the joints
  const World& world = simulation.world();
  const double energy = world.kinetic_energy() + world.potential_energy();
  const Vec3 momentum = world.linear_momentum();
  int impacts = 0;
  for (int k = 0; k < 600; ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped) << report.stopped->message;
    impacts += report.impacts;
    EXPECT_LT(report.joint_error, 1e-6);
  }
  EXPECT_GT(impacts, 0);
  EXPECT_NEAR(world.kinetic_energy() + world.potential_energy(), energy, 1e-2 * energy);
  EXPECT_NEAR(world.linear_momentum().x(), momentum.x(), 1e-9 * momentum.norm());
  EXPECT_NEAR(world.linear_momentum().y(), momentum.y(), 1e-9 * momentum.norm());
}

// A rod on a hinge falls onto a fixed block with e = 1 and swings back to where it fell from: a hammer. No friction at
// the hinge, so its energy is that of its first moment.
TEST(ReflectionsJoints, HammerOnAHingeReboundsToItsHeight) {
  Scene scene = make_jointed_scene(0.001, 1, "generalized-reflections");
  BodyDescription anvil = make_body("anvil", {Box{Vec3(0.2, 0.4, 0.2)}}, Vec3(0.9, 0, -0.17));
  anvil.kind = BodyKind::kFixed;
  BodyDescription hammer = make_body("hammer", {Box{Vec3(1, 0.1, 0.1)}}, Vec3(0.5, 0, 0));
  const Quat raised(Eigen::AngleAxisd(-0.5, Vec3::UnitY()));
  hammer.pose = Pose{raised * Vec3(0.5, 0, 0), raised};
  scene.bodies = {make_anchor(Vec3(0, 2, 0)), anvil, hammer};
  scene.joints = {make_joint(JointKind::kHinge, "anchor", "hammer", Vec3::Zero(), {Vec3(0, 1, 0)})};
  Simulation simulation(scene);
  const double height = position_of(simulation, "hammer").z();
  double highest = 0, lowest = 1;
  for (int k = 0; k < 1500; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    lowest = std::min(lowest, position_of(simulation, "hammer").z());
    if (k > 400) highest = std::max(highest, position_of(simulation, "hammer").z());
  }
  EXPECT_LT(lowest, 0.05);
  EXPECT_NEAR(highest, height, 2e-3 * height);
}

// Four plates hinged to a ring, a closed loop with redundant joints, meets a wall in free space, e = 1: energy to 1e-6
// over the impacts, momentum along the wall to rounding, and the ring stays closed.
TEST(ReflectionsJoints, ClosedLoopMeetsAWallElastically) {
  Scene scene = make_jointed_scene(0.001, 1, "generalized-reflections");
  scene.gravity = Vec3::Zero();
  scene.bodies = {make_ground(-Vec3::UnitX())};
  scene.bodies[0].pose.p = Vec3(1, 0, 0);
  const Vec3 corner[] = {Vec3(-0.3, -0.3, 0), Vec3(0.3, -0.3, 0), Vec3(0.3, 0.3, 0), Vec3(-0.3, 0.3, 0)};
  for (int k = 0; k < 4; ++k) {
    const Vec3 along = corner[(k + 1) % 4] - corner[k];
    const Vec3 size = along.cwiseAbs() + Vec3(0.05, 0.05, 0.1);
    scene.bodies.push_back(make_body(ball_name(k), {Box{size}}, 0.5 * (corner[k] + corner[(k + 1) % 4])));
    scene.bodies.back().velocity = Vec3(2, 0.3, 0);
    scene.joints.push_back(
        make_joint(JointKind::kHinge, ball_name((k + 3) % 4), ball_name(k), corner[k], {Vec3::UnitZ()}));
  }
  for (BodyDescription& body : scene.bodies) body.group = body.name == "ground" ? "" : "ring";
  scene.rules = {{"ring", "ring"}};
  Simulation simulation(scene);
  const World& world = simulation.world();
  const double energy = world.kinetic_energy();
  const double momentum = world.linear_momentum().y();
  int impacts = 0;
  for (int k = 0; k < 800; ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped) << report.stopped->message;
    EXPECT_LT(report.joint_error, 1e-6);
    impacts += report.impacts;
  }
  EXPECT_GT(impacts, 0);
  EXPECT_NEAR(world.kinetic_energy(), energy, 1e-4 * energy);
  EXPECT_NEAR(world.linear_momentum().y(), momentum, 1e-9 * std::abs(momentum));
}

// A limit stops a hinge without bounce and the impact beyond it reaches what hangs there: a door of two leaves, the
// second held by a limit at 0 towards the blow, takes it as one body; without the limit it folds.
TEST(ReflectionsJoints, LimitThatIsReachedPassesAnImpactOn) {
  for (const bool limited : {true, false}) {
    Scene scene = make_jointed_scene(1e-5, 1, "generalized-reflections");
    scene.gravity = Vec3::Zero();
    scene.bodies = {make_anchor(Vec3(0, 0, 2)), make_body("near", {Box{Vec3(1, 0.1, 0.5)}}, Vec3(0.5, 0, 0)),
                    make_body("far", {Box{Vec3(1, 0.1, 0.5)}}, Vec3(1.5, 0, 0)),
                    make_body("ball", {Sphere{0.1}}, Vec3(1.8, -0.15 - 1e-6, 0))};
    scene.bodies.back().velocity = Vec3(0, 1, 0);
    scene.joints = {make_joint(JointKind::kHinge, "anchor", "near", Vec3(0, 0, 0), {Vec3::UnitZ()}),
                    make_joint(JointKind::kHinge, "near", "far", Vec3(1, 0, 0), {Vec3::UnitZ()})};
    if (limited) scene.joints[1].axes[0].limits = {-3.0, 0.0};
    Simulation simulation(scene);
    for (int k = 0; k < 3; ++k) ASSERT_FALSE(simulation.step().stopped);
    const double near = velocity_of(simulation, "near").angular.z(), far = velocity_of(simulation, "far").angular.z();
    if (limited) {
      EXPECT_NEAR(near, far, 1e-6);
      EXPECT_GT(near, 0.01);
    } else {
      EXPECT_GT(far, 2 * std::abs(near));
    }
  }
}

}  // namespace
}  // namespace achilles
