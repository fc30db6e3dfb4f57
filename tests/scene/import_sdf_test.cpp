// SDF: models, frames, joints and worlds against numbers derived by hand.
#include "scene/import_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::HasSubstr;

const std::string kInertial =
    "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>";
const std::string kSphere =
    "<collision name=\"c\"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>";

std::string sdf(const std::string& inner) { return "<sdf version=\"1.9\">\n" + inner + "\n</sdf>"; }
std::string link(const std::string& name, const std::string& pose = "") {
  return "<link name=\"" + name + "\">" + pose + kInertial + kSphere + "</link>\n";
}

// The model stands at (1, 0, 0) and is turned by a quarter about z; the arm is 0.5 along its x: at (1, 0.5, 0). The
// joint stands in the arm's frame, its axis x there is y of the world.
TEST(ImportSdf, PosesAndAxesFollowTheirFrames) {
  const Scene scene = import_robot_text(
      sdf("<model name=\"m\"><pose>1 0 0 0 0 1.5707963267948966</pose>" + link("base") +
          link("arm", "<pose relative_to=\"base\">0.5 0 0 0 0 0</pose>") +
          "<joint name=\"j\" type=\"revolute\"><parent>base</parent><child>arm</child><axis><xyz>1 0 0</xyz>"
          "<limit><lower>-1</lower><upper>2</upper></limit><dynamics><damping>0.3</damping></dynamics></axis></joint></"
          "model>"),
      "test.sdf");
  EXPECT_TRUE(body_of(scene, "arm").pose.p.isApprox(Vec3(1, 0.5, 0), 1e-12));
  EXPECT_TRUE(joint_of(scene, "j").at.isApprox(Vec3(1, 0.5, 0), 1e-12));
  EXPECT_TRUE(joint_of(scene, "j").axes[0].axis.isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_EQ(joint_of(scene, "j").axes[0].limits, std::make_pair(-1.0, 2.0));
  EXPECT_EQ(joint_of(scene, "j").axes[0].damping, 0.3);
  EXPECT_NEAR(total_mass_of(scene).mass, 4, 1e-12);
  EXPECT_EQ(round_trip_difference(scene), "");
}

// Links of one model do not meet; those of different models do, and all meet what has the standard filter.
TEST(ImportSdf, ModelsOfAWorldCollideWithEachOtherAndNotWithThemselves) {
  const Scene scene = import_robot_text(
      sdf("<world name=\"w\"><gravity>0 0 -1.6</gravity><physics name=\"p\" "
          "type=\"ode\"><max_step_size>0.004</max_step_size>"
          "</physics><model name=\"ground\"><static>true</static><link name=\"l\"><collision "
          "name=\"c\"><geometry><plane>"
          "<normal>0 0 1</normal></plane></geometry></collision></link></model><model name=\"a\">" +
          link("one") + link("two") + "</model><model name=\"b\">" + link("one") + link("two") + "</model></world>"),
      "test.sdf");
  const auto meet = [&](const char* a, const char* b) {
    return may_meet(body_of(scene, a).collision, body_of(scene, b).collision);
  };
  EXPECT_FALSE(meet("a::one", "a::two"));
  EXPECT_TRUE(meet("a::one", "b::two"));
  EXPECT_TRUE(meet("a::one", "ground::l"));
  EXPECT_EQ(body_of(scene, "ground::l").kind, BodyKind::kFixed);
  EXPECT_EQ(scene.gravity, Vec3(0, 0, -1.6));
  EXPECT_EQ(scene.step, 0.004);
}

TEST(ImportSdf, FixedJointsMergeAndJointsToTheWorldHold) {
  const Scene scene =
      import_robot_text(sdf("<model name=\"m\">" + link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") +
                            "<joint name=\"f\" type=\"fixed\"><parent>a</parent><child>b</child></joint>"
                            "<joint name=\"w\" type=\"prismatic\"><parent>world</parent><child>a</child><axis><xyz>0 0 "
                            "1</xyz></axis></joint>"
                            "</model>"),
                        "test.sdf");
  ASSERT_EQ(scene.bodies.size(), 1U);
  EXPECT_EQ(scene.bodies[0].mass, 4);
  EXPECT_EQ(scene.bodies[0].center, Vec3(0, 0, 0.5));
  EXPECT_EQ(joint_of(scene, "w").first, "world");
}

TEST(ImportSdf, BadFilesAreErrorsWithFileAndLine) {
  const std::pair<std::string, const char*> files[] = {
      {sdf(""), "test.xml:1: error: there is no <model>"},
      {sdf("<model name=\"m\">" + link("a", "<pose relative_to=\"b\">0 0 0 0 0 0</pose>") + "</model>"),
       "test.xml:2: error: there is no frame 'b'"},
      {sdf("<model name=\"m\">" + link("a", "<pose relative_to=\"a\">0 0 0 0 0 0</pose>") + "</model>"),
       "stands relative to itself"},
      {sdf("<model name=\"m\">" + link("a", "<pose>1 2</pose>") + "</model>"), "<pose> holds 2 numbers"},
      {sdf("<model name=\"m\">" + link("a") + "<joint name=\"j\" type=\"screw\"/></model>"),
       "a joint of the type 'screw'"},
  };
  for (const auto& [text, message] : files) EXPECT_THAT(import_errors_of(text), HasSubstr(message)) << text;
}

}  // namespace
}  // namespace achilles
