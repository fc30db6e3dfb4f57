// SDF: models, frames, joints and worlds against numbers derived by hand.
#include "scene/import_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

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

std::string model(const std::string& inner) { return sdf("<model name=\"m\">" + inner + "</model>"); }
std::string joint(const std::string& type, const std::string& rest = "<axis/>") {
  return "\n<joint name=\"j\" type=\"" + type + "\"><parent>a</parent><child>b</child>" + rest + "</joint>";
}

// What stands for true is "true" or "1".
TEST(ImportSdf, OneMeansTrue) {
  for (const std::string word : {"1", "true"}) {
    const std::string text =
        "<static>" + word + "</static>" + link("a", "<pose degrees=\"" + word + "\">0 0 0 90 0 0</pose>");
    const Scene scene = import_robot_text(model(text), "test.sdf");
    EXPECT_EQ(body_of(scene, "a").kind, BodyKind::kFixed) << word;
    EXPECT_TRUE((body_of(scene, "a").pose.q * Vec3::UnitY()).isApprox(Vec3::UnitZ(), 1e-12)) << word;
  }
}

// The frame `grip` is 2 above the model's origin: where the model's pose puts it, the origin is 2 below.
TEST(ImportSdf, AModelIsPlacedByItsPlacementFrame) {
  const Scene scene =
      import_robot_text(sdf("<model name=\"m\" placement_frame=\"grip\"><pose>0 0 5 0 0 0</pose>" + link("a") +
                            "<frame name=\"grip\"><pose>0 0 2 0 0 0</pose></frame></model>"),
                        "test.sdf");
  EXPECT_EQ(body_of(scene, "a").pose.p, Vec3(0, 0, 3));
}

// The collision stands at the frame `far`, 3 along the model's x; the link at 1.
TEST(ImportSdf, PosesInALinkMayBeRelativeToOtherFrames) {
  const Scene scene = import_robot_text(
      model("<frame name=\"far\"><pose>3 0 0 0 0 0</pose></frame><link name=\"a\"><pose>1 0 0 0 0 0</pose>" +
            kInertial +
            "<collision name=\"c\"><pose relative_to=\"far\">0 0 0 0 0 0</pose><geometry><sphere><radius>0.1</radius>"
            "</sphere></geometry></collision></link>"),
      "test.sdf");
  EXPECT_TRUE(std::get<Compound>(body_of(scene, "a").shape.kind).parts.front().pose.p.isApprox(Vec3(2, 0, 0), 1e-12));
}

TEST(ImportSdf, JointsMayHoldFramesAndLinksOfNestedModels) {
  const Scene scene = import_robot_text(
      model(link("a") + "<frame name=\"f\" attached_to=\"a\"/><model name=\"n\"><pose>0 1 0 0 0 0</pose>" +
            link("b", "<pose>1 0 0 0 0 0</pose>") +
            "</model><joint name=\"j\" type=\"ball\"><parent>f</parent><child>n::b</child></joint>"),
      "test.sdf");
  EXPECT_EQ(joint_of(scene, "j").first, "a");
  EXPECT_EQ(joint_of(scene, "j").second, "n::b");
  EXPECT_TRUE(joint_of(scene, "j").at.isApprox(Vec3(1, 1, 0), 1e-12));
}

// A quarter about z as a quaternion, x y z w.
TEST(ImportSdf, RotationsMayBeQuaternions) {
  const Scene scene =
      import_robot_text(model(link("a", "<pose rotation_format=\"quat_xyzw\">1 2 3 0 0 1 1</pose>")), "test.sdf");
  EXPECT_TRUE((body_of(scene, "a").pose.q * Vec3::UnitX()).isApprox(Vec3::UnitY(), 1e-12));
}

// Up to version 1.4 an axis is written in the frame of the model; the child is turned by a quarter about z.
TEST(ImportSdf, OldAxesAreThoseOfTheModel) {
  const auto axis = [](const std::string& version) {
    const std::string text = "<sdf version=\"" + version + "\"><model name=\"m\">" + link("a") +
                             link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
                             joint("revolute", "<axis><xyz>1 0 0</xyz></axis>") + "</model></sdf>";
    return joint_of(import_robot_text(text, "test.sdf"), "j").axes[0].axis;
  };
  EXPECT_TRUE(axis("1.4").isApprox(Vec3::UnitX(), 1e-12));
  EXPECT_TRUE(axis("1.5").isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_TRUE(axis("1.10").isApprox(Vec3::UnitY(), 1e-12));
}

// Gazebo takes the smaller friction and restitution of both; 1 and 0 where a <collision> gives none.
TEST(ImportSdf, SurfacesMixAsInGazebo) {
  const auto with = [](const std::string& name, const std::string& surface) {
    return "<link name=\"" + name + "\">" + kInertial +
           "<collision name=\"c\"><geometry><sphere><radius>0.1</radius></sphere></geometry>" + surface +
           "</collision></link>";
  };
  const Scene scene = import_robot_text(
      model(with("a",
                 "<surface><friction><ode><mu>0.3</mu></ode></friction>"
                 "<bounce><restitution_coefficient>0.8</restitution_coefficient></bounce></surface>") +
            with("b",
                 "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0</threshold>"
                 "</bounce></surface>") +
            with("c", "")),
      "test.sdf");
  const auto law = [&](const char* a, const char* b) {
    const std::string first = body_of(scene, a).material, second = body_of(scene, b).material;
    for (const MaterialPair& pair : scene.material_pairs) {
      if ((pair.first == first && pair.second == second) || (pair.first == second && pair.second == first)) {
        return pair.law;
      }
    }
    return ContactLaw{};
  };
  EXPECT_EQ(law("a", "b").friction, 0.3);
  EXPECT_EQ(law("a", "b").restitution, 0.5);
  EXPECT_EQ(law("b", "c").friction, 1);
  EXPECT_EQ(law("b", "c").restitution, 0);
  EXPECT_THAT(import_warnings_of(scene), HasSubstr("threshold of <bounce>"));
}

// q = 2 (p − 0.1) + 0.5, so q − 2 p = 0.3.
TEST(ImportSdf, MimicsAreCouplings) {
  const Scene scene = import_robot_text(
      model(link("a") + link("b") + link("c") + joint("revolute") +
            "<joint name=\"k\" type=\"revolute\"><parent>a</parent><child>c</child><axis><mimic joint=\"j\">"
            "<multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic></axis></joint>"),
      "test.sdf");
  ASSERT_EQ(scene.couplings.size(), 1U);
  EXPECT_EQ(scene.couplings[0].terms[0].joint, "k");
  EXPECT_EQ(scene.couplings[0].terms[1].joint, "j");
  EXPECT_EQ(scene.couplings[0].terms[1].coefficient, -2);
  EXPECT_NEAR(scene.couplings[0].offset, 0.3, 1e-15);
}

TEST(ImportSdf, BadFilesAreErrorsWithFileAndLine) {
  const std::string two = link("a") + link("b");
  const auto sized = [](const std::string& geometry, const std::string& rest = "") {
    return model("\n<link name=\"a\">" + kInertial + "<collision name=\"c\"><geometry>\n" + geometry + "</geometry>" +
                 rest + "</collision></link>");
  };
  const auto axis = [&](const std::string& inner) {
    return model(two + joint("revolute", "\n<axis>" + inner + "</axis>"));
  };
  const std::pair<std::string, const char*> files[] = {
      {sdf(""), "test.xml:1: error: there is no <model>"},
      {model(link("a", "<pose relative_to=\"b\">0 0 0 0 0 0</pose>")), "test.xml:2: error: there is no frame 'b'"},
      {model(link("a", "<pose relative_to=\"a\">0 0 0 0 0 0</pose>")),
       "test.xml:2: error: the frame 'a' stands relative"},
      {model(link("a", "<pose>1 2</pose>")), "test.xml:2: error: <pose> holds 2 numbers"},
      {model(link("a", "<pose>1 2 3 0 0 many</pose>")), "test.xml:2: error: pose: found 'many'"},
      {model(link("a", "<pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0 0</pose>")), "a quaternion of length 0"},
      {model(link("a", "<pose rotation_format=\"matrix\">0 0 0 0 0 0</pose>")), "rotation_format is 'matrix'"},
      {model("<static>yes</static>" + link("a")), "test.xml:2: error: <static>: found 'yes'; allowed: true, 1"},
      {model(link("a") + "\n" + link("a")), "test.xml:4: error: a link named 'a' exists already"},
      {model(link("a") + joint("screw")), "test.xml:4: error: a joint of the type 'screw'"},
      {model(link("a") + joint("ball")), "test.xml:4: error: there is no link 'b'"},
      {model(link("a") + "<joint name=\"j\" type=\"ball\"><parent>a</parent></joint>"),
       "test.xml:3: error: the joint 'j' has no <child>"},
      {model(link("a") + "<joint name=\"j\" type=\"ball\"><parent>a</parent><child>a</child></joint>"),
       "test.xml:3: error: a joint holds a link to another link"},
      {model(two + joint("revolute", "")), "test.xml:5: error: a revolute joint without <axis>"},
      {axis("<xyz>0 0 0</xyz>"), "test.xml:6: error: the axis has length 0"},
      {axis("<limit><lower>2</lower><upper>1</upper></limit>"), "test.xml:6: error: the lower limit 2 is above"},
      {axis("<dynamics><damping>-1</damping></dynamics>"), "test.xml:6: error: damping is -1; allowed: at least 0"},
      {axis("<mimic joint=\"knee\"/>"), "test.xml:6: error: there is no joint 'knee'"},
      {model("<link name=\"a\"><inertial>\n<mass>-2</mass></inertial></link>"), "test.xml:2: error: the mass is -2"},
      {model("<link name=\"a\"><inertial><mass>1</mass>\n<inertia><ixx>-1</ixx></inertia></inertial></link>"),
       "test.xml:3: error: a moment of inertia is -1"},
      {model("<link name=\"a\"><inertial>\n<mass>1e999</mass></inertial></link>"),
       "test.xml:3: error: mass: found '1e999'"},
      {sized("<sphere><radius>0</radius></sphere>"), "test.xml:4: error: <sphere> has a size that is not above 0"},
      {sized("<box><size>1 2</size></box>"), "test.xml:4: error: <size> holds 2 numbers; allowed: 3"},
      {sized("<plane><normal>0 0 0</normal></plane>"), "test.xml:4: error: the normal of the plane has length 0"},
      {sized("<mesh><uri>no.stl</uri></mesh>"), "test.xml:4: error: there is no file 'no.stl'"},
      {sized("<mesh/>"), "test.xml:4: error: the file name is empty"},
      {sized("<box/>", "\n<surface><friction><ode><mu>-1</mu></ode></friction></surface>"),
       "test.xml:5: error: mu is -1"},
      {sized("<box/>", "\n<surface><bounce><restitution_coefficient>2</restitution_coefficient></bounce></surface>"),
       "test.xml:5: error: restitution_coefficient is 2; allowed: 0 to 1"},
      {"<sdf version=\"new\"><model name=\"m\"><link name=\"l\"/></model></sdf>",
       "test.xml:1: error: version: found 'new'"},
      {"<sdf version=\"1.9\">\n<model name=\"m\"><link name=\"l\"></model></sdf>",
       "test.xml:2: error: this is no well-formed"},
  };
  for (const auto& [text, message] : files) EXPECT_THAT(import_errors_of(text), HasSubstr(message)) << text;
}

// Thousands of frames in a row end in a message, not in a stack overflow.
TEST(ImportSdf, LongChainsOfFramesAreAnError) {
  std::string frames;
  for (int i = 0; i < 50'000; ++i) {
    frames += "<frame name=\"f" + std::to_string(i) + "\" attached_to=\"f" + std::to_string(i + 1) + "\"/>\n";
  }
  EXPECT_THAT(import_errors_of(model(frames + link("a", "<pose relative_to=\"f0\">0 0 0 0 0 0</pose>"))),
              HasSubstr("more than 1000 frames stand relative to each other"));
}

}  // namespace
}  // namespace achilles
