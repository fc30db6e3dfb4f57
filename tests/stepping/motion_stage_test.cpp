// The stages after the solve: motion, correction, rebound, joints, and the speed-ups.
#include "stepping/energy_blend.hpp"
#include "stepping/frame.hpp"
#include "stepping/joint_check.hpp"
#include "stepping/speed_ups.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_ball;
using testing::make_fixed_ground;
using testing::make_scene_of;
using testing::StageFrame;

constexpr double kStep = 0.01;  // [s]

Scene make_weightless(double restitution, const BodyDescription& ball) {
  Scene scene = make_scene_of(restitution, {make_fixed_ground(), ball});
  scene.gravity = Vec3::Zero();
  return scene;
}

// Sunk by 10 mm with a slop of 1 mm, a share of a fifth lifts by 0.2 · 9 mm and leaves the velocity.
TEST(Correction, LiftsByItsShareOfThePenetrationBeyondTheSlop) {
  StageFrame frame(make_weightless(0, make_ball("ball", Vec3(0, 0, 0.49))));
  frame.build(kStep);
  frame.solve();
  EXPECT_EQ(frame.world.bodies.velocity[1].linear, Vec3::Zero());
  correct_positions(frame.world, {.share = 0.2, .slop = 1e-3, .sweeps = 10}, kStep, frame.work);
  EXPECT_NEAR(frame.world.bodies.position[1].z(), 0.49 + 0.2 * 0.009, 1e-12);
  EXPECT_EQ(frame.world.bodies.velocity[1].linear, Vec3::Zero());
}

// 4 mm above the ground at 2 m/s: the ball lands within the step, stands on the surface at its end, and leaves with
// half of the speed it came with.
TEST(Rebound, LeavesTheSurfaceWithRestitutionTimesTheSpeedOfLanding) {
  StageFrame frame(make_weightless(0.5, make_ball("ball", Vec3(0, 0, 0.504), Vec3(0, 0, -2))));
  frame.build(kStep);
  frame.solve();
  EXPECT_NEAR(frame.world.bodies.velocity[1].linear.z(), -0.004 / kStep, 1e-12);
  move_bodies(frame.world, {}, NonsmoothCgOptions{}, {0, kStep}, frame.work, frame.report);
  EXPECT_NEAR(frame.world.bodies.position[1].z(), 0.5, 1e-12);
  EXPECT_NEAR(frame.world.bodies.velocity[1].linear.z(), 1, 1e-12);
}

TEST(Rebound, DoesNotFollowALandingBelowTheThreshold) {
  StageFrame frame(make_weightless(0.5, make_ball("ball", Vec3(0, 0, 0.5), Vec3(0, 0, -0.05))));
  frame.build(kStep, 0.01, 0.1);
  frame.solve();
  move_bodies(frame.world, {}, NonsmoothCgOptions{}, {0, kStep}, frame.work, frame.report);
  EXPECT_NEAR(frame.world.bodies.velocity[1].linear.norm(), 0, 1e-12);
}

// With c = 1/2 the work (1 − c)² (−1) + c² 1 is zero; what takes energy out whole is left whole.
TEST(EnergyBlend, EndsWhereTheWorkIsWhatIsAllowed) {
  EXPECT_DOUBLE_EQ(find_energy_blend({-1, 1, 0}, 0), 0.5);
  EXPECT_EQ(find_energy_blend({-1, -0.5, 0}, 0), 1);
  for (const double mixed : {-1.0, 0.3, 2.0}) {
    const ImpactWork work{-0.7, 1.9, mixed};
    const double c = find_energy_blend(work, 0.4);
    const double done = (1 - c) * (1 - c) * work.plastic + c * (1 - c) * work.mixed + c * c * work.elastic;
    EXPECT_NEAR(done, 0.4, 1e-12) << mixed;
  }
}

// v ← v / (1 + c h) for what moves.
TEST(SpeedUps, DampingDividesVelocities) {
  World world(make_weightless(0, make_ball("ball", Vec3(0, 0, 2), Vec3(3, 0, 0))));
  damp_velocities(world, 5, 0.1);
  EXPECT_DOUBLE_EQ(world.bodies.velocity[1].linear.x(), 2);
}

Scene make_pendulum() {
  Scene scene = make_weightless(0, make_ball("bob", Vec3(0, 0, 3)));
  JointDescription pin;
  pin.kind = JointKind::kBall;
  pin.first = "ground";
  pin.second = "bob";
  pin.at = Vec3(0, 0, 4);
  scene.joints = {pin};
  return scene;
}

// The arm is 1 m: an error of 5 cm is beyond 1 % of it and stops the run at the end of the step; one that the step has
// just halved does not.
TEST(JointCheck, StopsWhereAJointIsOffAndDoesNotComeCloser) {
  World world(make_pendulum());
  world.bodies.position[1].z() -= 0.05;
  EXPECT_NEAR(measure_relative_joint_error(world), 0.05, 1e-9);
  StepReport report;
  check_joints(world, {2.5, kStep}, 0.05, report);
  ASSERT_TRUE(report.stopped);
  EXPECT_EQ(report.stopped->reason, "joint-error");
  EXPECT_DOUBLE_EQ(report.stopped->time, 2.5 + kStep);
  EXPECT_NEAR(report.joint_error, 0.05, 1e-12);
  StepReport closer;
  check_joints(world, {2.5, kStep}, 0.1, closer);
  EXPECT_FALSE(closer.stopped);
}

// Newton's method on the equalities alone brings the bob back to its arm.
TEST(Correction, ClosesJointsToTheTolerance) {
  StageFrame frame(make_pendulum());
  frame.world.bodies.position[1] += Vec3(0.02, 0, -0.05);
  frame.build(kStep);
  frame.solve();
  close_joints(frame.world, 1e-9, frame.work);
  EXPECT_LT(measure_relative_joint_error(frame.world), 1e-8);
}

}  // namespace
}  // namespace achilles
