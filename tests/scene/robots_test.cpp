// What robots need of the format: the ground as a body, bodies without a shape, parents, drives, couplings, sensors.
#include "scene/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace achilles {
namespace {

using testing::HasSubstr;

std::string arm_with(const std::string& joint, const std::string& rest = "") {
  return R"(
achilles: 1
bodies:
  - {name: arm, shape: {box: {size: [1, 0.1, 0.1]}}, position: [0.5, 0, 1]}
joints:
  - {name: shoulder, kind: hinge, between: [world, arm], at: [0, 0, 1], axis: [0, 1, 0])" +
         joint + "}\n" + rest;
}

TEST(SceneRobots, WorldIsTheGroundToJointsAndNoNameForBodies) {
  const Scene scene = parse_scene(arm_with(""));
  EXPECT_EQ(scene.joints[0].first, "world");
  EXPECT_EQ(scene.bodies.size(), 1U);
  EXPECT_THAT(error_of("achilles: 1\nbodies:\n  - {name: world, shape: {sphere: {radius: 1}}}\n"),
              HasSubstr("means the ground"));
}

TEST(SceneRobots, BodiesWithoutAShapeNeedMassAndInertia) {
  const std::string body = "achilles: 1\nbodies:\n  - {name: hub, shape: none";
  const Scene scene = parse_scene(body + ", mass: 2, inertia: [1, 2, 2.5]}\n");
  EXPECT_TRUE(std::holds_alternative<NoShape>(scene.bodies[0].shape.kind));
  EXPECT_THAT(error_of(body + ", mass: 2}\n"), HasSubstr("needs a mass and an inertia"));
  EXPECT_THAT(error_of(body + ", inertia: [1, 2, 2.5]}\n"), HasSubstr("needs a mass and an inertia"));
  EXPECT_TRUE(errors_of(body + ", kind: fixed}\n").empty());
}

// The parent is turned by a quarter about z: its x is the world's y.
TEST(SceneRobots, PosesAreInTheFrameOfTheParentAndJointsInThatOfTheirFrame) {
  const Scene scene = parse_scene(R"(
achilles: 1
bodies:
  - {name: base, shape: {box: {size: [1, 1, 1]}}, position: [10, 0, 0], euler: {xyz: [0, 0, 1.5707963267948966]}}
  - {name: tool, parent: base, shape: {box: {size: [1, 1, 1]}}, position: [3, 0, 1]}
  - {name: tip, parent: tool, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [1, 0, 0]}
joints:
  - {name: wrist, kind: hinge, between: [base, tool], frame: tool, at: [-1, 0, 0], axis: [1, 0, 0]}
)");
  EXPECT_TRUE(scene.bodies[1].pose.p.isApprox(Vec3(10, 3, 1), 1e-12));
  EXPECT_TRUE(scene.bodies[2].pose.p.isApprox(Vec3(10, 4, 1), 1e-12));
  EXPECT_TRUE(scene.joints[0].at.isApprox(Vec3(10, 2, 1), 1e-12));
  EXPECT_TRUE(scene.joints[0].axes[0].axis.isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_THAT(error_of(R"(
achilles: 1
bodies:
  - {name: a, parent: b, shape: {sphere: {radius: 1}}}
  - {name: b, parent: a, shape: {sphere: {radius: 1}}, position: [5, 0, 0]}
)"),
              HasSubstr("there is no body 'b'"));
}

TEST(SceneRobots, RepeatedJointsHoldTheCopiesOfRepeatedBodies) {
  const Scene scene = parse_scene(R"(
achilles: 1
bodies:
  - {name: link, repeat: {count: [4, 1, 1], spacing: [1, 0, 0]}, shape: {box: {size: [0.9, 0.1, 0.1]}}, position: [0.5, 0, 0]}
joints:
  - {name: root, kind: ball, between: [world, "link[0,0,0]"], at: [0, 0, 0]}
  - name: pin
    kind: hinge
    between: [link, link]
    second: [1, 0, 0]
    repeat: {count: [4, 1, 1], spacing: [1, 0, 0]}
    at: [1, 0, 0]
    axis: [0, 1, 0]
)");
  ASSERT_EQ(scene.joints.size(), 4U);  // the last link has none after it
  EXPECT_EQ(scene.joints[3].name, "pin[2,0,0]");
  EXPECT_EQ(scene.joints[3].first, "link[2,0,0]");
  EXPECT_EQ(scene.joints[3].second, "link[3,0,0]");
  EXPECT_TRUE(scene.joints[3].at.isApprox(Vec3(3, 0, 0)));
}

TEST(SceneRobots, DrivesFollowANumberOrPointsInTime) {
  const Scene scene = parse_scene(
      arm_with(", drive: {position: [[0, 0], [2, 1.5]], stiffness: 100, damping: 5, max_force: 20, max_rate: 3}, "
               "armature: 0.02"));
  const JointAxis& axis = scene.joints[0].axes[0];
  ASSERT_TRUE(axis.drive);
  EXPECT_EQ(axis.drive->kind, DriveDescription::Kind::kPosition);
  EXPECT_EQ(axis.drive->target, (std::vector<std::pair<double, double>>{{0, 0}, {2, 1.5}}));
  EXPECT_EQ(axis.drive->max_force, 20);
  EXPECT_EQ(axis.drive->max_rate, 3);
  EXPECT_EQ(axis.armature, 0.02);
  EXPECT_EQ(parse_scene(arm_with(", drive: {force: 4}")).joints[0].axes[0].drive->target.front().second, 4);
  EXPECT_THAT(error_of(arm_with(", drive: {position: 1}")), HasSubstr("stiffness above 0"));
  EXPECT_THAT(error_of(arm_with(", drive: {speed: 1}")), HasSubstr("damping above 0"));
  EXPECT_THAT(error_of(arm_with(", drive: {force: 1, damping: 2}")), HasSubstr("a force has no damping"));
  EXPECT_THAT(error_of(arm_with(", drive: {force: [[1, 0], [1, 2]]}")), HasSubstr("rising times"));
  EXPECT_THAT(error_of(arm_with(", drive: {force: 1}, motor: {speed: 1, max_torque: 1}")), HasSubstr("only one of"));
  EXPECT_THAT(error_of(arm_with(", compliance_damping: 3")), HasSubstr("compliance above 0"));
}

TEST(SceneRobots, CouplingsAreSumsOfPositions) {
  const Scene scene = parse_scene(arm_with("", R"(
  - {name: elbow, kind: slider, between: [world, arm], axis: [1, 0, 0]}
couplings:
  - {name: mimic, joints: [elbow, shoulder], ratio: 2, offset: 0.5}
  - {name: tendon, terms: [{joint: shoulder, coefficient: 3}, {joint: elbow, coefficient: -1}]}
)"));
  ASSERT_EQ(scene.couplings.size(), 2U);
  EXPECT_EQ(scene.couplings[0].terms[0].joint, "elbow");
  EXPECT_EQ(scene.couplings[0].terms[0].coefficient, 1);
  EXPECT_EQ(scene.couplings[0].terms[1].coefficient, -2);
  EXPECT_EQ(scene.couplings[0].offset, 0.5);
  EXPECT_EQ(scene.couplings[1].terms[0].coefficient, 3);
  EXPECT_THAT(error_of(arm_with("", "couplings:\n  - {name: c, joints: [shoulder, elbow]}\n")),
              HasSubstr("there is no joint 'elbow'"));
  EXPECT_THAT(error_of(arm_with("", "couplings:\n  - {name: c, joints: [shoulder, shoulder]}\n")),
              HasSubstr("in it twice"));
  EXPECT_THAT(
      error_of(arm_with("", "couplings:\n  - {name: c, terms: [{joint: shoulder, axis: 1, coefficient: 1}]}\n")),
      HasSubstr("has 1 free axes"));
}

TEST(SceneRobots, SensorsNameJointsOrBodies) {
  const Scene scene = parse_scene(arm_with("", R"(
sensors:
  - {name: angle, kind: joint_position, joint: shoulder}
  - {name: gyro, kind: imu, body: arm, position: [0.5, 0, 0]}
  - {name: eye, kind: distance_ray, body: arm, direction: [0, 0, -2], range: 3}
)"));
  ASSERT_EQ(scene.sensors.size(), 3U);
  EXPECT_EQ(scene.sensors[1].pose.p, Vec3(0.5, 0, 0));
  EXPECT_EQ(scene.sensors[2].direction, Vec3(0, 0, -1));
  EXPECT_EQ(scene.sensors[2].range, 3);
  EXPECT_THAT(error_of(arm_with("", "sensors:\n  - {name: a, kind: joint_position, joint: knee}\n")),
              HasSubstr("there is no joint 'knee'"));
  EXPECT_THAT(error_of(arm_with("", "sensors:\n  - {name: a, kind: touch, body: leg}\n")),
              HasSubstr("there is no body 'leg'"));
  EXPECT_THAT(error_of(arm_with("", "sensors:\n  - {name: a, kind: touch, body: arm, joint: shoulder}\n")),
              HasSubstr("unknown key 'joint'"));
}

TEST(SceneRobots, VisualsAndColoursAreKept) {
  const Scene scene =
      parse_scene(with_ball("color: [1, 0, 0, 0.5]\nvisual: [{shape: {box: {size: [1, 2, 3]}}, position: [0, 0, 1]}]\n"
                            "collision: {group: 2, mask: 5}"));
  const BodyDescription& ball = scene.bodies.back();
  EXPECT_EQ(*ball.color, (Color{1, 0, 0, 0.5}));
  ASSERT_EQ(ball.visuals.size(), 1U);
  EXPECT_EQ(ball.visuals[0].pose.p, Vec3(0, 0, 1));
  EXPECT_EQ(ball.collision, (CollisionFilter{2, 5}));
  EXPECT_THAT(error_of(with_ball("color: [1, 0, 0, 2]")), HasSubstr("from 0 to 1"));
}

}  // namespace
}  // namespace achilles
