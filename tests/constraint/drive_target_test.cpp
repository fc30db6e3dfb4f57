// What a drive follows over a step, and over the parts of one.
#include "constraint/drive_target.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace achilles {
namespace {

/// A hinge whose target rises from 0 at 0 s to 4 rad at 2 s.
World make_driven(double max_rate) {
  Scene scene;
  BodyDescription wall, door;
  wall.name = "wall";
  wall.kind = BodyKind::kFixed;
  wall.shape = {Box{Vec3(1, 1, 1)}};
  door.name = "door";
  door.shape = {Box{Vec3(1, 1, 1)}};
  door.pose.p = Vec3(2, 0, 0);
  scene.bodies = {wall, door};
  JointDescription hinge;
  hinge.kind = JointKind::kHinge;
  hinge.first = "wall";
  hinge.second = "door";
  hinge.at = Vec3(1, 0, 0);
  JointAxis axis;
  axis.axis = Vec3::UnitZ();
  DriveDescription drive;
  drive.kind = DriveDescription::Kind::kPosition;
  drive.target = {{0.0, 0.0}, {2.0, 4.0}};
  drive.stiffness = 1;
  drive.damping = 1;
  drive.max_rate = max_rate;
  axis.drive = drive;
  hinge.axes = {axis};
  scene.joints = {hinge};
  return World(scene);
}

TEST(DriveTargets, AreThoseOfTheSpanWhateverTheTimeOfTheWorld) {
  World world = make_driven(std::numeric_limits<double>::infinity());
  world.time = 17;
  const DriveTarget target = find_drive_target(world, 0, 0, {1, 0.5});
  EXPECT_DOUBLE_EQ(target.start, 2);
  EXPECT_DOUBLE_EQ(target.end, 3);
  EXPECT_DOUBLE_EQ(target.mean, 2.5);
  EXPECT_DOUBLE_EQ(target.rate, 2);
  EXPECT_DOUBLE_EQ(find_drive_target(world, 0, 0, {5, 0.5}).end, 4);
}

// At 1 rad/s at most the drive lags behind a target that rises at 2 rad/s; two halves of a step follow as far as one.
TEST(DriveTargets, WithALimitedRateAreFollowedPartByPart) {
  World whole = make_driven(1), parts = whole;
  follow_drive_targets(whole, {1, 0.5});
  follow_drive_targets(parts, {1, 0.25});
  follow_drive_targets(parts, {1.25, 0.25});
  EXPECT_DOUBLE_EQ(whole.joint_states[0].followed[0], 0.5);
  EXPECT_DOUBLE_EQ(parts.joint_states[0].followed[0], 0.5);
  for (int k = 0; k < 20; ++k) follow_drive_targets(parts, {5, 0.25});
  EXPECT_EQ(parts.joint_states[0].followed[0], 4);
}

}  // namespace
}  // namespace achilles
