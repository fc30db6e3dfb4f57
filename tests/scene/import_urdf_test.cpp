// URDF: masses, places and axes against numbers derived by hand, and what is said of bad files.
#include "scene/import_text.hpp"
#include "support/source_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::HasSubstr;
using testing::Not;

Scene load_arm(const ImportOptions& options = {}) {
  return import_robot((source_folder() / "examples/robots/arm.urdf").string(), options);
}

const std::string kBall = R"(<link name="ball">
<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision>
</link>
)";

// stand is fixed; upper 2, forearm 1 with the tool's 0.5, two fingers of 0.1 each.
TEST(ImportUrdf, MassesAddUpAndFixedLinksAreMerged) {
  const Scene scene = load_arm();
  EXPECT_NEAR(total_mass_of(scene).mass, 2 + 1 + 0.5 + 0.1 + 0.1, 1e-12);
  EXPECT_EQ(body_of(scene, "stand").kind, BodyKind::kFixed);
  EXPECT_NEAR(body_of(scene, "forearm").mass.value(), 1.5, 1e-15);
  // Centre of 1 kg at 0.1 and 0.5 kg at 0.25: (0.1 + 0.125)/1.5.
  EXPECT_NEAR(body_of(scene, "forearm").center.value().x(), 0.15, 1e-15);
  // About y: 0.004 + 1·0.05² + 0.001 + 0.5·0.1² = 0.0125.
  EXPECT_NEAR(body_of(scene, "forearm").inertia.value()(1, 1), 0.0125, 1e-15);
}

// The shoulder's frame is turned by a quarter about z, so its y axis is −x of the world; with both joints at 0 the
// elbow is 0.4 above the shoulder at (0, 0, 0.5), and the forearm's x axis points along the world's y.
TEST(ImportUrdf, JointsStandWhereForwardKinematicsPutsThem) {
  const Scene scene = load_arm();
  EXPECT_TRUE(joint_of(scene, "shoulder").at.isApprox(Vec3(0, 0, 0.5), 1e-12));
  EXPECT_TRUE(joint_of(scene, "shoulder").axes[0].axis.isApprox(-Vec3::UnitX(), 1e-12));
  EXPECT_TRUE(joint_of(scene, "elbow").at.isApprox(Vec3(0, 0, 0.9), 1e-12));
  EXPECT_TRUE(joint_of(scene, "left").at.isApprox(Vec3(-0.02, 0.3, 0.9), 1e-12));
  EXPECT_TRUE(joint_of(scene, "left").axes[0].axis.isApprox(-Vec3::UnitX(), 1e-12));
}

// A shoulder turned by a quarter about its y, which is −x of the world, takes the upper arm from z to y: the elbow is
// at (0, 0.4, 0.5), limits count from there, and the left finger 0.01 further along its axis takes the right one along.
TEST(ImportUrdf, StartPositionsMoveTheTreeAndShiftTheLimits) {
  ImportOptions options;
  options.start = {{"shoulder", std::numbers::pi / 2}, {"left", 0.01}};
  const Scene scene = load_arm(options);
  EXPECT_TRUE(joint_of(scene, "elbow").at.isApprox(Vec3(0, 0.4, 0.5), 1e-12));
  const auto limits = joint_of(scene, "shoulder").axes[0].limits.value();
  EXPECT_NEAR(limits.first, -1.6 - std::numbers::pi / 2, 1e-12);
  EXPECT_NEAR(limits.second, 1.6 - std::numbers::pi / 2, 1e-12);
  const Vec3 between = joint_of(scene, "left").at - joint_of(scene, "right").at;
  EXPECT_NEAR(between.norm(), 0.06, 1e-12);
  ASSERT_EQ(scene.couplings.size(), 1U);  // right + left = 0, both counted from the start
  EXPECT_EQ(scene.couplings[0].terms[0].joint, "right");
  EXPECT_EQ(scene.couplings[0].terms[1].coefficient, 1);
  EXPECT_EQ(scene.couplings[0].offset, 0);
}

// A quarter about x swaps the moments about y and z.
TEST(ImportUrdf, InertiaIsTurnedIntoTheFrameOfTheLink) {
  const BodyDescription upper = body_of(load_arm(), "upper");
  EXPECT_TRUE(upper.inertia.value().isApprox(Vec3(0.03, 0.01, 0.02).asDiagonal().toDenseMatrix(), 1e-12));
  EXPECT_TRUE(upper.center.value().isApprox(Vec3(0, 0, 0.2)));
}

TEST(ImportUrdf, DampingFrictionAndHoldReachTheAxis) {
  ImportOptions options;
  options.hold_stiffness = 300;
  options.hold_damping = 20;
  const Scene scene = load_arm(options);
  const JointAxis& shoulder = joint_of(scene, "shoulder").axes[0];
  EXPECT_EQ(shoulder.damping, 0.5);
  EXPECT_EQ(shoulder.friction, 0.1);
  ASSERT_TRUE(shoulder.drive);
  EXPECT_EQ(shoulder.drive->stiffness, 300);
  EXPECT_EQ(shoulder.drive->max_force, 50);              // <limit effort>
  EXPECT_FALSE(joint_of(scene, "right").axes[0].drive);  // it follows the left finger
  options.leave_out = {"drives", "couplings"};
  EXPECT_FALSE(joint_of(load_arm(options), "shoulder").axes[0].drive);
  EXPECT_TRUE(load_arm(options).couplings.empty());
}

TEST(ImportUrdf, TheSceneReadsTheSameFromItsOwnText) {
  EXPECT_EQ(round_trip_difference(load_arm()), "");
  EXPECT_THAT(import_warnings_of(load_arm()), Not(HasSubstr("not supported")));
}

// Two hinges with a link without mass between them. A point of a tenth of the arm's mass on the second axis belongs to
// the link, and the arm gives up as much: the sum weighs 2, has its centre where the arm had it, and about the axis of
// the second hinge the same inertia but for the hundredth that the link gets to turn with.
TEST(ImportUrdf, MasslessLinksTakeAShareThatLeavesTheWholeUnchanged) {
  const Scene scene = import_robot_text(R"(<robot name="r">
<link name="base"/>
<link name="cross"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.17" iyz="0" izz="0.17"/></inertial></link>
<joint name="yaw" type="continuous"><parent link="base"/><child link="cross"/><axis xyz="0 0 1"/></joint>
<joint name="pitch" type="continuous"><parent link="cross"/><child link="arm"/><origin xyz="0.1 0 0"/>
<axis xyz="0 1 0"/></joint>
</robot>)",
                                        "test.urdf");
  const TotalMass total = total_mass_of(scene, Vec3(0.1, 0, 0));
  EXPECT_NEAR(total.mass, 2, 1e-12);
  EXPECT_TRUE(total.center.isApprox(Vec3(0.6, 0, 0), 1e-12));
  const double about_pivot = 0.17 + 2 * 0.5 * 0.5;
  const double mean = (0.01 + 0.17 + 0.17) / 3 + 2 * 0.25 * 2 / 3;
  EXPECT_NEAR(total.inertia(2, 2), about_pivot + 0.01 * mean, 1e-12);
  EXPECT_NEAR(body_of(scene, "cross").mass.value(), 0.2, 1e-12);
}

TEST(ImportUrdf, AFreeRobotStandsOnAPlaneThatItTouches) {
  const Scene scene = import_robot_text("<robot name=\"r\">" + kBall + "</robot>", "test.urdf");
  EXPECT_EQ(body_of(scene, "ball").kind, BodyKind::kDynamic);
  EXPECT_NEAR(body_of(scene, "ground").pose.p.z(), -0.1, 1e-15);
  ImportOptions options;
  options.base = ImportOptions::Base::kFixed;
  EXPECT_EQ(import_robot_text("<robot name=\"r\">" + kBall + "</robot>", "test.urdf", options).bodies.size(), 1U);
}

TEST(ImportUrdf, WhatIsLeftOutIsListedWithFileAndLineAndStrictMakesItAnError) {
  const std::string text =
      "<robot name=\"r\">\n" + kBall + "<gazebo reference=\"ball\">\n<kp>1e6</kp>\n</gazebo>\n" + "<wheel/>\n</robot>";
  const Scene scene = import_robot_text(text, "test.xml");
  EXPECT_THAT(import_warnings_of(scene), HasSubstr("test.xml:7: warning: not supported, left out: <kp> in <gazebo>"));
  EXPECT_THAT(import_warnings_of(scene), HasSubstr("test.xml:9: warning: not supported, left out: <wheel> in <robot>"));
  ImportOptions options;
  options.strict = true;
  EXPECT_THAT(import_errors_of(text, options), HasSubstr("test.xml:7: error: not supported, left out: <kp>"));
  EXPECT_EQ(import_errors_of("<robot name=\"r\">" + kBall + "</robot>", options), "");
}

struct BadFile {
  const char* what;
  std::string text;
  const char* message;
};

TEST(ImportUrdf, BadFilesAreErrorsWithFileAndLine) {
  const std::string two = "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n";
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/></joint>\n";
  };
  const auto mass = [](const std::string& value, const std::string& ixx) {
    return "<robot name=\"r\"><link name=\"a\">\n<inertial>\n<mass value=\"" + value + "\"/>\n<inertia ixx=\"" + ixx +
           "\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link></robot>";
  };
  const auto mesh = [](const std::string& file) {
    return "<robot name=\"r\"><link name=\"a\">\n<collision><geometry>\n<mesh filename=\"" + file +
           "\"/></geometry></collision></link></robot>";
  };
  const BadFile files[] = {
      {"cut off", "<robot name=\"r\">\n<link name=\"a\">", "test.xml:2: error: this is no well-formed XML"},
      {"another root", "<html/>", "test.xml:1: error: <html> is no robot"},
      {"cycle", two + joint("x", "a", "b") + joint("y", "b", "a") + "</robot>", "is part of a circle of links"},
      {"two parents", two + joint("x", "a", "b") + joint("y", "a", "b") + "</robot>",
       "test.xml:5: error: the link 'b' has two parents"},
      {"unknown link", two + joint("x", "a", "c") + "</robot>", "test.xml:4: error: there is no link 'c'"},
      {"unknown type", two + "<joint name=\"x\" type=\"screw\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
       "test.xml:4: error: the joint 'x' is of the unknown type 'screw'"},
      {"negative mass", mass("-1", "1"), "test.xml:3: error: the mass is -1"},
      {"negative inertia", mass("1", "-1"), "test.xml:4: error: a moment of inertia is -1"},
      {"no number", mass("1", "many"), "test.xml:4: error: ixx: found 'many'"},
      {"huge number", mass("1", "1e999"), "test.xml:4: error: ixx: found '1e999'"},
      {"large number", mass("1e308", "1e308"), "test.xml:4"},
      {"missing mesh", mesh("arm.stl"), "test.xml:3: error: there is no file 'arm.stl'"},
      {"out of the package", mesh("package://pack/../../etc/passwd"),
       "test.xml:3: error: 'pack/../../etc/passwd' leaves its package"},
      {"out of the tree", mesh("../../../../../../arm.stl"),
       "test.xml:3: error: '../../../../../../arm.stl' is outside of the robot's files"},
      {"absolute", mesh("/etc/passwd"), "test.xml:3: error: '/etc/passwd' is outside of the robot's files"},
      {"no mass", "<robot name=\"r\">\n<link name=\"a\"><inertial/></link></robot>",
       "test.xml:2: error: <inertial> has no <mass>"},
      {"no shape", "<robot name=\"r\"><link name=\"a\">\n<collision/></link></robot>",
       "test.xml:2: error: <collision> has no <geometry>"},
      {"no length",
       "<robot name=\"r\"><link name=\"a\"><collision><geometry>\n<sphere/></geometry></collision></link></robot>",
       "test.xml:2: error: <sphere> has no usable 'radius'"},
      {"negative friction", two + "<gazebo reference=\"a\"><mu1>-1</mu1></gazebo></robot>",
       "test.xml:4: error: <mu1>: allowed: one number of at least 0"},
      {"mimics itself",
       two +
           "<joint name=\"x\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n<mimic joint=\"x\"/></joint>"
           "</robot>",
       "test.xml:5: error: 'x' follows itself in a circle"},
      {"network", mesh("http://example.org/a.stl"), "is not fetched"},
      {"entities", "<!DOCTYPE r [<!ENTITY a \"b\">]>\n<robot name=\"&a;\"/>",
       "test.xml:1: error: the document type defines entities"},
      {"attribute twice", "<robot name=\"r\" name=\"s\"/>", "test.xml:1: error"},
      {"no links", "<robot name=\"r\"/>", "test.xml:1: error: the robot has no <link>"},
  };
  for (const BadFile& file : files) EXPECT_THAT(import_errors_of(file.text), HasSubstr(file.message)) << file.what;
}

// A megabyte of elements inside each other must end in a message, not in a stack overflow.
TEST(ImportUrdf, DeepNestingIsAnError) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "<robot>";
  EXPECT_THAT(import_errors_of(text), HasSubstr("error"));
}

}  // namespace
}  // namespace achilles
