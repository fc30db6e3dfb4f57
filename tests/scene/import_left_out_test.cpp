// What a robot file asks for is used or listed with file and line; nothing is dropped silently.
#include "scene/import_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace achilles {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string warnings_of(const std::string& text) { return import_warnings_of(import_robot_text(text, "test.xml")); }

std::string mjcf(const std::string& world, const std::string& rest = "") {
  return "<mujoco>\n" + rest + "<worldbody>\n" + world + "</worldbody>\n</mujoco>";
}

const std::string kBox = R"(<geom type="box" size="0.1 0.2 0.3"/>)";
const std::string kFree = "<freejoint/>" + kBox;

std::string urdf(const std::string& inner) {
  return "<robot name=\"r\">\n<link name=\"base\"/>\n" + inner + "\n</robot>";
}

const std::string kInertial =
    R"(<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";

std::string sdf(const std::string& inner) { return "<sdf version=\"1.9\">\n" + inner + "\n</sdf>"; }

TEST(ImportLeftOut, ForcesOfAFreeJointAreListed) {
  const std::string listed =
      warnings_of(mjcf(R"(<body><joint type="free" damping="1" armature="0.1"/>)" + kBox + "</body>"));
  EXPECT_THAT(listed, AllOf(HasSubstr("test.xml:3: warning: not supported, left out: damping of a free joint"),
                            HasSubstr("armature of a free joint"), Not(HasSubstr("stiffness of a free"))));
}

TEST(ImportLeftOut, CutoffsAndVolumesOfSensorsAreListed) {
  const std::string listed = warnings_of(
      mjcf("<body name=\"b\">" + kFree + "<site name=\"s\"/></body>",
           "<sensor><touch name=\"t\" site=\"s\"/>\n<gyro name=\"g\" site=\"s\" cutoff=\"3\"/></sensor>\n"));
  EXPECT_THAT(listed, HasSubstr("test.xml:2: warning: not supported, left out: the volume of a touch sensor's site"));
  EXPECT_THAT(listed, HasSubstr("test.xml:3: warning: not supported, left out: cutoff of a sensor"));
}

// The foot is welded to the leg, whose own sphere the sensor of the foot then feels as well.
TEST(ImportLeftOut, ATouchSensorOfAMergedPartIsListed) {
  const auto with_leg = [](const std::string& leg) {
    return warnings_of(mjcf(R"(<body name="leg"><freejoint/>)" + leg + R"(<body name="foot" pos="0 0 -1">
<geom size="0.1"/><site name="s"/></body></body>)",
                            "<sensor><touch name=\"t\" site=\"s\"/></sensor>\n"));
  };
  EXPECT_THAT(with_leg("<geom size=\"0.2\"/>"), HasSubstr("the share of 'foot' in what 't' feels"));
  EXPECT_THAT(with_leg("<geom size=\"0.2\" contype=\"0\" conaffinity=\"0\"/>"), Not(HasSubstr("the share of")));
}

// A link without mass at the end of a chain cannot move; what reads or ties its joint goes with it and is listed.
TEST(ImportLeftOut, SensorsAndCouplingsOfJointsThatCannotMoveAreListed) {
  const std::string listed = warnings_of(
      mjcf(R"(<body name="arm"><joint name="a"/>)" + kBox + R"(<body name="tip"><joint name="b"/></body></body>)",
           "<equality><joint joint1=\"b\" joint2=\"a\"/></equality>\n<sensor><jointpos name=\"s\" "
           "joint=\"b\"/></sensor>\n"));
  EXPECT_THAT(listed, HasSubstr("test.xml:3: warning: not supported, left out: the sensor 's' of 'b'"));
  EXPECT_THAT(listed, HasSubstr("test.xml:2: warning: not supported, left out: the coupling 'equality"));
}

// Sites 1 m and 0.3 m from bodies that stand 1 m apart: 0.3 m are between them.
TEST(ImportLeftOut, ConstraintsThatAreNotMetAtTheStartAreListed) {
  const auto with = [](const std::string& site, const std::string& equality) {
    return warnings_of(mjcf("<body name=\"a\">" + kFree + "<site name=\"s\" pos=\"1 0 0\"/></body>\n" +
                                "<body name=\"b\" pos=\"1 0 0\">" + kFree + "<site name=\"t\" " + site + "/></body>",
                            "<equality>" + equality + "</equality>\n"));
  };
  EXPECT_THAT(with("pos=\"0 0 0.3\"", R"(<connect site1="s" site2="t"/>)"),
              HasSubstr("test.xml:2: warning: not supported, left out: the pull of a connect that starts 0.3 m apart"));
  EXPECT_THAT(with("euler=\"0 0 90\"", R"(<weld site1="s" site2="t"/>)"), HasSubstr("0 m and 1.57 rad apart"));
  EXPECT_THAT(with("euler=\"0 0 90\"", R"(<connect site1="s" site2="t"/>)"), Not(HasSubstr("the pull of")));
  EXPECT_THAT(with("", R"(<weld body1="a" body2="b" relpose="1 0 0 1 0 0 0"/>)"), Not(HasSubstr("the pull of")));
  EXPECT_THAT(with("", R"(<weld body1="a" body2="b" relpose="1 0.2 0 1 0 0 0"/>)"),
              HasSubstr("starts 0.2 m and 0 rad"));
}

// As written the loop is closed; a keyframe that bends one hinge opens it by the arm times the angle, 0.5·0.1.
TEST(ImportLeftOut, ALoopThatAKeyframeOpensIsListed) {
  const auto with = [](const std::string& qpos) {
    return warnings_of(mjcf(
        R"(<body name="a"><joint name="j"/>)" + kBox + R"(</body><body name="b"><joint name="k"/>)" + kBox + "</body>",
        "<equality><connect body1=\"a\" body2=\"b\" anchor=\"0.5 0 0\"/></equality>\n<keyframe><key name=\"home\" "
        "qpos=\"" +
            qpos + "\"/></keyframe>\n"));
  };
  EXPECT_THAT(with("0.1 0"), HasSubstr("the pull of a connect that starts 0.05 m apart"));
  EXPECT_THAT(with("0.1 0.1"), Not(HasSubstr("the pull of")));
}

TEST(ImportLeftOut, RepeatedElementsOfAUrdfAreListed) {
  const std::string listed =
      warnings_of(urdf("<link name=\"a\">" + kInertial + "\n" + kInertial +
                       "</link>\n<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/>"
                       "<child link=\"a\"/>\n<axis xyz=\"1 0 0\"/><axis xyz=\"0 1 0\"/></joint>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:4: warning: not supported, left out: a further <inertial> in <link>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:6: warning: not supported, left out: a further <axis> in <joint>"));
}

TEST(ImportLeftOut, FurtherShapesOfOneGeometryAreListed) {
  const std::string listed = warnings_of(
      urdf("<link name=\"a\">" + kInertial +
           "\n<collision><geometry><sphere radius=\"1\"/>\n<box size=\"1 1 1\"/></geometry></collision></link>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:5: warning: not supported, left out: a further shape <box> in <geometry>"));
}

TEST(ImportLeftOut, FrictionOfGazeboThatNoLinkTakesIsListed) {
  const std::string listed =
      warnings_of(urdf("<gazebo reference=\"knee\">\n<mu1>0.4</mu1></gazebo>\n<gazebo reference=\"base\">\n"
                       "<mu2>0.4</mu2></gazebo>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:4: warning: not supported, left out: <mu1> of 'knee', which is no link"));
  EXPECT_THAT(listed, HasSubstr("test.xml:6: warning: not supported, left out: <mu2> without <mu1>"));
}

TEST(ImportLeftOut, MotorsOfRosControlDoNotMatter) {
  EXPECT_THAT(warnings_of(urdf(R"(<ros2_control name="r" type="system"><hardware/></ros2_control>)")),
              Not(HasSubstr("left out")));
}

TEST(ImportLeftOut, MimicsOfJointsThatDoNotMoveAreListed) {
  const std::string listed = warnings_of(urdf(
      "<link name=\"a\">" + kInertial + "</link><link name=\"b\">" + kInertial +
      "</link>\n<joint name=\"j\" type=\"fixed\"><parent link=\"base\"/><child link=\"a\"/></joint>\n"
      "<joint name=\"k\" type=\"continuous\"><parent link=\"base\"/><child link=\"b\"/><mimic joint=\"j\"/></joint>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:5: warning: not supported, left out: <mimic> of a continuous joint that "
                                "follows a fixed one"));
}

TEST(ImportLeftOut, FurtherWorldsAndModelsBesideAWorldAreListed) {
  const std::string model = R"(<model name="m"><link name="l"/></model>)";
  const std::string listed = warnings_of(sdf("<world name=\"w\">" + model + "</world>\n<world name=\"v\"/>\n" + model));
  EXPECT_THAT(listed, HasSubstr("test.xml:3: warning: not supported, left out: a further <world>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:4: warning: not supported, left out: a <model> beside a <world>"));
}

TEST(ImportLeftOut, SwitchesOfAnSdfLinkAreListedWhereTheyDiffer) {
  const std::string listed = warnings_of(
      sdf("<model name=\"m\"><link name=\"l\">\n<gravity>0</gravity>\n<kinematic>false</kinematic></link></model>"));
  EXPECT_THAT(listed, HasSubstr("test.xml:3: warning: not supported, left out: <gravity> of a <link> that is false"));
  EXPECT_THAT(listed, Not(HasSubstr("kinematic")));
}

TEST(ImportLeftOut, RepeatedElementsOfAnSdfAreListed) {
  EXPECT_THAT(warnings_of(sdf("<model name=\"m\"><link name=\"l\"><pose>0 0 1 0 0 0</pose>\n<pose>0 0 2 0 0 0</pose>"
                              "</link></model>")),
              HasSubstr("test.xml:3: warning: not supported, left out: a further <pose> in <link>"));
}

// A start of a joint that there is not is an error, not a wish that nothing hears.
TEST(ImportLeftOut, PositionsToStartFromNeedTheirJoint) {
  ImportOptions options;
  options.start = {{"sholder", 1}};
  const std::string text =
      urdf("<link name=\"a\">" + kInertial +
           "</link><joint name=\"shoulder\" type=\"continuous\"><parent link=\"base\"/><child link=\"a\"/></joint>");
  EXPECT_THAT(import_errors_of(text, options), AllOf(HasSubstr("there is no joint 'sholder' that could start at 1"),
                                                     HasSubstr("did you mean 'shoulder'")));
  options.start = {{"shoulder", 1}};
  EXPECT_EQ(import_errors_of(text, options), "");
}

}  // namespace
}  // namespace achilles
