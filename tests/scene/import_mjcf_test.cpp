// MJCF: defaults, orientations, joints, masses, drives and contacts against numbers derived by hand.
#include "scene/import_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kPi = std::numbers::pi;

std::string mjcf(const std::string& world, const std::string& rest = "") {
  return "<mujoco model=\"m\">\n" + rest + "<worldbody>\n" + world + "</worldbody>\n</mujoco>";
}

Scene read(const std::string& world, const std::string& rest = "", const ImportOptions& options = {}) {
  return import_robot_text(mjcf(world, rest), "test.xml", options);
}

const std::string kBox = R"(<geom type="box" size="0.1 0.2 0.3"/>)";

TEST(ImportMjcf, GeomsWeighAsSolidsOfTheirDensity) {
  const Scene scene = read(R"(<body name="b"><freejoint/>
<geom type="sphere" size="0.1" density="500"/>
<geom type="capsule" size="0.1 0.2" pos="1 0 0" mass="3"/>
<geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 1 0"/>
<geom type="box" size="0.1 0.2 0.3" pos="0 0 1" contype="0" conaffinity="0"/></body>)");
  // 500·4/3π·0.001 + 3 + 1000·4/3π·0.006 + 1000·8·0.006, the visual box too.
  const double sphere = 500 * 4 * kPi / 3 * 1e-3, ellipsoid = 1000 * 4 * kPi / 3 * 6e-3, box = 48;
  const double mass = sphere + 3 + ellipsoid + box;
  EXPECT_NEAR(body_of(scene, "b").mass.value(), mass, 1e-10);
  EXPECT_TRUE(body_of(scene, "b").center.value().isApprox(Vec3(3, ellipsoid, box) / mass, 1e-12));
  EXPECT_EQ(std::get<Compound>(body_of(scene, "b").shape.kind).parts.size(), 3U);
}

// The hull that stands for an ellipsoid has its volume: 4/3 π a b c.
TEST(ImportMjcf, AnEllipsoidIsAHullOfItsVolume) {
  const Scene scene = read(R"(<body name="b"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>)");
  BodyDescription body = body_of(scene, "b");
  const auto& points = std::get<Hull>(body.shape.kind).points;
  EXPECT_EQ(points.size(), 162U);
  for (const Vec3& p : points) {
    const double level = p.cwiseQuotient(Vec3(0.1, 0.2, 0.3)).norm();
    EXPECT_NEAR(level, 1, 0.02);  // 320 flat faces: their middles are inside by as much as the corners are outside
  }
  // Closed form m (b² + c²)/5.
  EXPECT_NEAR(body.inertia.value()(0, 0), body.mass.value() / 5 * (0.04 + 0.09), 1e-12);
}

// Every way to write a quarter about z.
TEST(ImportMjcf, AllOrientationsMeanTheSame) {
  const std::string ways[] = {"quat=\"1 0 0 1\"", "axisangle=\"0 0 2 90\"", "euler=\"0 0 90\"",
                              "xyaxes=\"0 1 0 -1 0 0\""};
  for (const std::string& way : ways) {
    const Scene scene = read("<body name=\"b\" " + way + "><freejoint/>" + kBox + "</body>");
    EXPECT_TRUE((body_of(scene, "b").pose.q * Vec3::UnitX()).isApprox(Vec3::UnitY(), 1e-12)) << way;
  }
  const Scene tilted = read("<body name=\"b\" zaxis=\"1 0 0\"><freejoint/>" + kBox + "</body>");
  EXPECT_TRUE((body_of(tilted, "b").pose.q * Vec3::UnitZ()).isApprox(Vec3::UnitX(), 1e-12));
}

// x' = Rx(90°) then about the new y: with "xyz" z goes by Rx Ry to Rx(x) = x; with "XYZ" about fixed axes Ry Rx z = −y.
TEST(ImportMjcf, EulerSequencesTurnAboutMovingOrFixedAxes) {
  const std::string body = "<body name=\"b\" euler=\"90 90 0\"><freejoint/>" + kBox + "</body>";
  const auto z_of = [&](const std::string& order) -> Vec3 {
    return body_of(read(body, "<compiler eulerseq=\"" + order + "\"/>"), "b").pose.q * Vec3::UnitZ();
  };
  EXPECT_TRUE(z_of("xyz").isApprox(Vec3::UnitX(), 1e-12));
  EXPECT_TRUE(z_of("XYZ").isApprox(-Vec3::UnitY(), 1e-12));
}

TEST(ImportMjcf, ClassesInheritAndAnElementsOwnAttributesWin) {
  const std::string defaults = R"(<default><geom density="100"/><default class="heavy"><geom density="2000"/>
<default class="wide"><geom size="0.2"/></default></default></default>)";
  const auto mass = [&](const std::string& attributes) {
    return body_of(
               read("<body name=\"b\" childclass=\"heavy\"><freejoint/><geom " + attributes + "/></body>", defaults),
               "b")
        .mass.value();
  };
  const double liter = 4 * kPi / 3 * 1e-3;
  EXPECT_NEAR(mass("size=\"0.1\""), 2000 * liter, 1e-9);                     // of the childclass
  EXPECT_NEAR(mass("class=\"wide\""), 2000 * 8 * liter, 1e-9);               // of its own class and that around it
  EXPECT_NEAR(mass("size=\"0.1\" class=\"main\""), 100 * liter, 1e-9);       // of the main class
  EXPECT_NEAR(mass("class=\"wide\" density=\"10\""), 10 * 8 * liter, 1e-9);  // its own
}

// hip at (0, 0, 1) bent by 90° about y takes the shin's frame from −z to −x: the knee is at (−0.5, 0, 1).
TEST(ImportMjcf, AKeyframePlacesBodiesByForwardKinematics) {
  const std::string legs = R"(<body name="thigh" pos="0 0 1"><joint name="hip" axis="0 1 0" range="-120 120"/>
<geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/>
<body name="shin" pos="0 0 -0.5"><joint name="knee" axis="0 1 0" stiffness="3" springref="60" ref="0"/>
<geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/></body></body>)";
  const std::string key = "<keyframe><key name=\"home\" qpos=\"1.5707963267948966 0.25\"/></keyframe>";
  const Scene scene = read(legs, key);
  EXPECT_TRUE(joint_of(scene, "knee").at.isApprox(Vec3(-0.5, 0, 1), 1e-12));
  EXPECT_NEAR(joint_of(scene, "hip").axes[0].limits->second, kPi * 2 / 3 - kPi / 2, 1e-12);
  EXPECT_NEAR(joint_of(scene, "knee").axes[0].rest, kPi / 3 - 0.25, 1e-12);
  ImportOptions written;
  written.keyframe = "none";
  EXPECT_TRUE(joint_of(read(legs, key, written), "knee").at.isApprox(Vec3(0, 0, 0.5), 1e-12));
}

// Three hinges at one point: the first two are a universal joint, then a body in between and a hinge.
TEST(ImportMjcf, JointsInARowBecomeUniversalsAndSmallBodies) {
  const Scene scene = read(R"(<body name="hip"><geom type="sphere" size="0.1"/><freejoint/>
<body name="thigh"><joint name="x" axis="1 0 0"/><joint name="z" axis="0 0 1"/><joint name="y" axis="0 1 0"/>
<geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.4"/></body></body>)");
  ASSERT_EQ(scene.joints.size(), 2U);
  EXPECT_EQ(scene.joints[0].kind, JointKind::kUniversal);
  EXPECT_EQ(scene.joints[0].axes[1].axis, Vec3::UnitZ());
  EXPECT_EQ(scene.joints[1].kind, JointKind::kHinge);
  EXPECT_EQ(scene.rules.size(), 1U);  // hip and thigh share no joint any more and still do not collide
  const double sphere = 1000 * 4 * kPi / 3 * 1e-3;
  const double capsule = 1000 * (kPi * 0.0025 * 0.4 + 4 * kPi / 3 * 1.25e-4);
  EXPECT_NEAR(total_mass_of(scene).mass, sphere + capsule, 1e-9);
  EXPECT_NEAR(total_mass_of(scene).center.z(), -0.2 * capsule / (sphere + capsule), 1e-12);
}

// kp (u − g q) on the length g q: the joint feels g²kp towards u/g, here 9·20 towards 0.5 − 0.2 from the start.
TEST(ImportMjcf, PositionActuatorsAreDrives) {
  const Scene scene = read(R"(<body name="b"><joint name="j" axis="1 0 0"/>)" + kBox + "</body>",
                           R"(<actuator><position joint="j" kp="20" kv="2" gear="3" forcerange="-4 4"/></actuator>
<keyframe><key name="home" qpos="0.2" ctrl="1.5"/></keyframe>)");
  const DriveDescription& drive = joint_of(scene, "j").axes[0].drive.value();
  EXPECT_EQ(drive.kind, DriveDescription::Kind::kPosition);
  EXPECT_NEAR(drive.stiffness, 180, 1e-12);
  EXPECT_NEAR(drive.damping, 18, 1e-12);
  EXPECT_NEAR(drive.target.front().second, 0.3, 1e-12);
  EXPECT_NEAR(drive.max_force, 12, 1e-12);
}

// Critical damping of the inertia that the axis moves: the box 1000·48e-3 kg about its own x axis m (b² + c²)/3 and 2
// of a rotor, kv = 2·sqrt(kp·M).
TEST(ImportMjcf, DampingRatiosAreOfTheInertiaThatMoves) {
  const Scene scene = read(R"(<body name="b"><joint name="j" axis="1 0 0" armature="2"/>)" + kBox + "</body>",
                           R"(<actuator><position joint="j" kp="20" dampratio="1"/></actuator>)");
  const double inertia = 48 * (0.04 + 0.09) / 3 + 2;
  EXPECT_NEAR(joint_of(scene, "j").axes[0].drive->damping, 2 * std::sqrt(20 * inertia), 1e-10);
  EXPECT_EQ(joint_of(scene, "j").axes[0].armature, 2);
}

// A gripper: two fingers tied by an equality, closed by an affine actuator on the tendon (a + b)/2. With b = a the
// length is a, so that a feels gain u − 100 a: gain 0.3·200 = 60, target 0.6.
TEST(ImportMjcf, ATendonOfTiedJointsDrivesTheirLeader) {
  const Scene scene =
      read(R"(<body name="p"><joint name="a" axis="1 0 0"/>)" + kBox + R"(</body>
<body name="q" pos="2 0 0"><joint name="b" axis="1 0 0"/>)" +
               kBox + "</body>",
           R"(<tendon><fixed name="t"><joint joint="a" coef="0.5"/><joint joint="b" coef="0.5"/></fixed></tendon>
<equality><joint joint1="a" joint2="b" polycoef="0 1 0 0 0"/></equality>
<actuator><general tendon="t" gainprm="0.3" biastype="affine" biasprm="0 -100 -10" ctrlrange="0 200"/></actuator>
<keyframe><key name="home" qpos="0 0" ctrl="255"/></keyframe>)");
  ASSERT_EQ(scene.couplings.size(), 1U);
  EXPECT_EQ(scene.couplings[0].terms[1].coefficient, -1);
  const DriveDescription& drive = joint_of(scene, "a").axes[0].drive.value();
  EXPECT_NEAR(drive.stiffness, 100, 1e-12);
  EXPECT_NEAR(drive.damping, 10, 1e-12);
  EXPECT_NEAR(drive.target.front().second, 0.6, 1e-12);
  EXPECT_FALSE(joint_of(scene, "b").axes[0].drive);
}

// The larger friction of two, unless one has priority; condim 1 is none.
TEST(ImportMjcf, SurfacesMixAsInMuJoCo) {
  const Scene scene = read(R"(<geom name="floor" type="plane" size="1 1 1"/>
<body name="foot"><freejoint/><geom size="0.1" friction="0.6" priority="1"/></body>
<body name="slick" pos="1 0 0"><freejoint/><geom size="0.1" condim="1" friction="0.3"/></body>)");
  const auto friction = [&](const std::string& a, const std::string& b) {
    for (const MaterialPair& pair : scene.material_pairs) {
      if ((pair.first == a && pair.second == b) || (pair.first == b && pair.second == a)) return pair.law.friction;
    }
    return -1.0;
  };
  const std::string floor = body_of(scene, "floor").material, foot = body_of(scene, "foot").material;
  const std::string slick = body_of(scene, "slick").material;
  EXPECT_EQ(friction(floor, foot), 0.6);
  EXPECT_EQ(friction(floor, slick), 1);
  EXPECT_EQ(friction(foot, slick), 0.6);
  for (const Material& material : scene.materials) {
    if (material.name != slick) continue;
    EXPECT_EQ(material.law.friction, 0);
  }
}

TEST(ImportMjcf, LoopsExclusionsAndFiltersAreKept) {
  const Scene scene = read(R"(<body name="a"><freejoint/><geom size="0.1" contype="2" conaffinity="5"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom size="0.1"/></body>)",
                           R"(<contact><exclude body1="a" body2="b"/></contact>
<equality><connect body1="a" body2="b" anchor="0.5 0 0"/></equality>)");
  EXPECT_EQ(body_of(scene, "a").collision, (CollisionFilter{2, 5}));
  ASSERT_EQ(scene.rules.size(), 1U);
  ASSERT_EQ(scene.joints.size(), 1U);
  EXPECT_EQ(scene.joints[0].kind, JointKind::kBall);
  EXPECT_EQ(scene.joints[0].at, Vec3(0.5, 0, 0));
  EXPECT_TRUE(scene.joints[0].collide);
}

// Bodies without mass that hold each other in a ring: both become part of the one that weighs, once.
TEST(ImportMjcf, AMasslessRingBecomesPartOfWhatHoldsIt) {
  const std::string links = R"(<body name="b" pos="0 0 -1"><joint name="x"/>
<body name="c" pos="0 0 -1"><joint name="y"/></body></body></body>)";
  const auto ring_to = [](const std::string& body) {
    return R"(<equality><connect body1="c" body2=")" + body + R"(" anchor="0 0 0"/></equality>)";
  };
  const Scene scene = read("<body name=\"a\"><freejoint/>" + kBox + links, ring_to("b"));
  EXPECT_EQ(scene.joints.size(), 0U);
  EXPECT_NEAR(body_of(scene, "a").mass.value(), 48, 1e-12);  // 1000·8·0.006
  EXPECT_THAT(import_warnings_of(scene), HasSubstr("its bodies became one"));
  EXPECT_THAT(import_errors_of(mjcf("<body name=\"a\"><freejoint/>" + links, ring_to("a"))),
              HasSubstr("has neither mass nor anything behind it that has"));
}

TEST(ImportMjcf, HeightFieldsLieBetweenZeroAndTheirSize) {
  const Scene scene =
      read(R"(<geom name="hills" type="hfield" hfield="h"/>)",
           R"(<asset><hfield name="h" nrow="2" ncol="3" size="2 1 0.5 0.1" elevation="4 0 2  0 1 4"/></asset>)");
  const auto& field = std::get<Heightfield>(body_of(scene, "hills").shape.kind);
  EXPECT_EQ(field.heights,
            (std::vector<double>{0, 0.125, 0.5, 0.5, 0, 0.25}));  // the first row of the file is far in y
  EXPECT_EQ(field.cell, Vec2(2, 2));
}

TEST(ImportMjcf, TheSceneReadsTheSameFromItsOwnText) {
  const Scene scene =
      read(R"(<geom type="plane" size="1 1 1"/><body name="a" euler="10 20 30" pos="0 0 2"><freejoint/>)" + kBox +
               R"(<body name="b" pos="0.3 0.1 0"><joint name="j" axis="1 2 3" damping="1"/><geom size="0.1"/>
</body></body>)",
           R"(<sensor><jointpos name="s" joint="j"/></sensor>)");
  EXPECT_EQ(round_trip_difference(scene), "");
  EXPECT_EQ(scene.sensors.size(), 1U);
}

TEST(ImportMjcf, WhatIsLeftOutIsListedOnceWithItsCount) {
  const Scene scene = read(R"(<body name="a"><freejoint/><geom size="0.1" solref="0.01 1"/>
<geom size="0.1" solref="0.02 1"/></body>)");
  EXPECT_THAT(import_warnings_of(scene),
              HasSubstr("test.xml:3: warning: not supported, left out: 'solref' of <geom> (2 times"));
  ImportOptions options;
  options.strict = true;
  EXPECT_THAT(
      import_errors_of(mjcf("<body name=\"a\"><freejoint/><geom size=\"0.1\" mass=\"1\" gap=\"1\"/></body>"), options),
      HasSubstr("error: not supported, left out: 'gap' of <geom>"));
}

// L = −2 q with q from its start 0.1 on: the range −1 to 0.6 of the length is −0.3 to 0.5 of q; a spring of k on the
// length is 4 k on the joint and pulls to −2 q = 0.4.
TEST(ImportMjcf, ATendonOfOneJointActsOnTheJoint) {
  const Scene scene =
      read(R"(<body name="p"><joint name="a" axis="1 0 0" range="-90 20" damping="1"/>)" + kBox + "</body>",
           R"(<default><tendon damping="0.5"/></default>
<tendon><fixed name="t" range="-1 0.6" stiffness="3" springlength="0.4" frictionloss="0.2" armature="0.1">
<joint joint="a" coef="-2"/></fixed></tendon><keyframe><key name="home" qpos="0.1"/></keyframe>)");
  const JointAxis& axis = joint_of(scene, "a").axes[0];
  EXPECT_NEAR(axis.limits->first, -0.3 - 0.1, 1e-12);
  EXPECT_NEAR(axis.limits->second, kPi / 9 - 0.1, 1e-12);  // the joint's own 20° are less than 0.5
  EXPECT_NEAR(axis.stiffness, 12, 1e-12);
  EXPECT_NEAR(axis.rest, -0.2 - 0.1, 1e-12);
  EXPECT_NEAR(axis.damping, 1 + 4 * 0.5, 1e-12);
  EXPECT_NEAR(axis.friction, 0.4, 1e-12);
  EXPECT_NEAR(axis.armature, 0.4, 1e-12);
  EXPECT_THAT(import_warnings_of(scene), Not(HasSubstr("left out")));
}

TEST(ImportMjcf, TheRangeOfABallJointIsThatOfSwingAndTwist) {
  const Scene scene =
      read(R"(<body name="p" euler="90 0 0"><joint name="b" type="ball" range="0 40"/>)" + kBox + "</body>");
  const ReachCone& cone = joint_of(scene, "b").cone.value();
  EXPECT_TRUE(cone.axis.isApprox(-Vec3::UnitY(), 1e-12));  // z turned by a quarter about x
  EXPECT_NEAR(cone.swing[0], kPi * 2 / 9, 1e-12);
  EXPECT_NEAR(cone.twist->first, -kPi * 2 / 9, 1e-12);
  EXPECT_THAT(import_warnings_of(scene), HasSubstr("one angle for the whole turn of a ball joint"));
  EXPECT_EQ(round_trip_difference(scene), "");
}

// The world's geoms are links of their own: excluding the world excludes each of them.
TEST(ImportMjcf, ABodyCanBeExcludedFromTheWorld) {
  const Scene scene = read(R"(<geom name="floor" type="plane" size="1 1 1"/><geom name="wall" size="1" pos="9 0 0"/>
<body name="a"><freejoint/>)" + kBox +
                               "</body>",
                           R"(<contact><exclude body1="world" body2="a"/></contact>)");
  ASSERT_EQ(scene.rules.size(), 2U);
  EXPECT_EQ(scene.rules[0].first, "floor");
  EXPECT_EQ(scene.rules[1].first, "wall");
  EXPECT_EQ(scene.rules[1].second, "a");
}

// A site between two points stands in their middle, its z axis from the second to the first.
TEST(ImportMjcf, SitesMayBeGivenByTwoPoints) {
  const Scene scene =
      read(R"(<body name="a"><freejoint/><site name="s" type="capsule" fromto="3 0 0 1 0 0"/>)" + kBox + "</body>",
           R"(<sensor><gyro name="g" site="s"/></sensor>)");
  EXPECT_TRUE(scene.sensors[0].pose.p.isApprox(Vec3(2, 0, 0), 1e-12));
  EXPECT_TRUE((scene.sensors[0].pose.q * Vec3::UnitZ()).isApprox(Vec3::UnitX(), 1e-12));
}

TEST(ImportMjcf, BadFilesAreErrorsWithFileAndLine) {
  const std::pair<std::string, const char*> files[] = {
      {mjcf("<body><joint/>" + kBox + "</body><body><joint type=\"screw\"/>" + kBox + "</body>"),
       "unknown type 'screw'"},
      {mjcf("<geom size=\"-1\"/>"), "test.xml:3: error: <geom> of type sphere needs 1 sizes above 0"},
      {mjcf("<geom type=\"mesh\" mesh=\"arm\"/>"), "test.xml:3: error: there is no mesh 'arm'"},
      {mjcf("<geom type=\"mesh\" mesh=\"arm\"/>", "<asset><mesh name=\"arm\" file=\"no.stl\"/></asset>\n"),
       "test.xml:2: error: there is no file 'no.stl'"},
      {mjcf("<geom class=\"none\" size=\"1\"/>"), "test.xml:3: error: there is no default class 'none'"},
      {mjcf("<body><inertial mass=\"1\" pos=\"0 0 0\" diaginertia=\"-1 1 1\"/><freejoint/></body>"),
       "test.xml:3: error: a moment of inertia is -1"},
      {mjcf("", "<include file=\"test.xml\"/>\n"), "test.xml:2: error: there is no file 'test.xml'"},
      {mjcf("", "<include file=\"../../../test.xml\"/>\n"), "test.xml:2: error: '../../../test.xml' is outside"},
      {mjcf("<body><joint axis=\"0 0 0\"/>" + kBox + "</body>"),
       "test.xml:3: error: the axis of the joint has length 0"},
      {mjcf("<body name=\"a\"><freejoint/>" + kBox + "</body>", "<actuator><motor joint=\"knee\"/></actuator>\n"),
       "test.xml:2: error: there is no hinge or slide 'knee'"},
      {mjcf("<geom size=\"1\" contype=\"1e99\"/>"), "test.xml:3: error: contype is 1e+99; allowed: an integer"},
      {mjcf("<body name=\"a\"><freejoint/>" + kBox + "</body>",
            "<tendon><fixed name=\"t\"/></tendon>\n<actuator><motor tendon=\"t\"/></actuator>\n"),
       "test.xml:3: error: the tendon of the actuator pulls no joint"},
      {mjcf("<geom type=\"hfield\" hfield=\"hill\"/>",
            "<asset><hfield name=\"hills\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\"/></asset>\n"),
       "test.xml:4: error: there is no height field 'hill'; did you mean 'hills'"},
      {mjcf("<body><freejoint/>\n<inertial pos=\"0 0 0\" mass=\"1\"/>\n<inertial pos=\"0 0 0\" mass=\"1\"/></body>"),
       "test.xml:5: error: a body has one <inertial> at most"},
      {mjcf("<body><freejoint/>\n<joint/>" + kBox + "</body>"),
       "test.xml:4: error: a body with a free joint has no other"},
      {mjcf("<body><joint limited=\"true\"/>" + kBox + "</body>"),
       "test.xml:3: error: limited is true, and there is no range"},
      {mjcf("<body><joint limited=\"yes\" range=\"0 1\"/>" + kBox + "</body>"),
       "test.xml:3: error: limited: found 'yes'"},
      {mjcf("<body mocap=\"1\">" + kBox + "</body>"), "test.xml:3: error: mocap: found '1'; allowed: true, false"},
      {mjcf("<body><joint range=\"1 0\"/>" + kBox + "</body>"), "test.xml:3: error: range: allowed: two numbers"},
      {mjcf("<body><joint damping=\"-1\"/>" + kBox + "</body>"), "test.xml:3: error: damping is -1"},
      {mjcf("", "<compiler angle=\"degrees\"/>\n"),
       "test.xml:2: error: angle: found 'degrees'; allowed: radian, degree"},
      {mjcf("", "<compiler coordinate=\"global\"/>\n"), "test.xml:2: error: coordinate=\"global\" is not supported"},
      {mjcf("<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>"), "test.xml:3: error: fromto: both ends"},
      {mjcf("<body quat=\"0 0 0 0\"><freejoint/>" + kBox + "</body>"), "test.xml:3: error: quat: is zero"},
      {mjcf("", "<equality><connect site1=\"s\" site2=\"t\"/></equality>\n"),
       "test.xml:2: error: there is no site 's'"},
      {mjcf("<body name=\"a\">" + kBox + "</body>", "<equality><weld body1=\"a\" body2=\"a\"/></equality>\n"),
       "test.xml:2: error: a constraint between a body and itself"},
      {mjcf("", "<sensor><jointpos joint=\"knee\"/></sensor>\n"),
       "test.xml:2: error: there is no hinge or slide 'knee'"},
      {mjcf("", "<asset><hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\" elevation=\"1 2\"/></asset>\n"),
       "test.xml:2: error: elevation: found 2 numbers; allowed: 4"},
      {mjcf("<body name=\"a\"><body name=\"b\"><freejoint/>" + kBox + "</body></body>"),
       "test.xml:3: error: a free joint is for bodies of the world alone"},
  };
  for (const auto& [text, message] : files) EXPECT_THAT(import_errors_of(text), HasSubstr(message)) << text;
}

}  // namespace
}  // namespace achilles
