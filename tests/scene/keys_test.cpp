// What every key of a scene means once it is read.
#include "scene/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

TEST(SceneKeys, AnEmptySceneHasTheDefaultsOfTheFormat) {
  const Scene scene = parse_scene("achilles: 1\n");
  EXPECT_EQ(scene.name, "");
  EXPECT_EQ(scene.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(scene.step, 0.01);
  EXPECT_EQ(scene.duration, 10);
  EXPECT_EQ(scene.method.name, "lcp-fixed");
  ASSERT_EQ(scene.materials.size(), 1U);
  EXPECT_EQ(scene.materials[0].name, "default");
  EXPECT_EQ(scene.materials[0].law.friction, 0.5);
  EXPECT_EQ(scene.materials[0].law.restitution, 0);
  EXPECT_TRUE(scene.bodies.empty());
}

TEST(SceneKeys, HeadIsRead) {
  const Scene scene = parse_scene(
      "achilles: 1\nname: sliding boxes\nsource: Drumwright\ngravity: [0, 1, -9.8]\n"
      "time: {step: 1e-3, duration: 2.5}\n");
  EXPECT_EQ(scene.name, "sliding boxes");
  EXPECT_EQ(scene.source, "Drumwright");
  EXPECT_EQ(scene.gravity, Vec3(0, 1, -9.8));
  EXPECT_EQ(scene.step, 1e-3);
  EXPECT_EQ(scene.duration, 2.5);
}

TEST(SceneKeys, JsonIsASceneToo) {
  const Scene scene = parse_scene(
      R"({"achilles": 1, "name": "as JSON", "bodies": [{"name": "a", "shape": {"sphere": {"radius": 0.5}}, "mass": 2}]})");
  EXPECT_EQ(scene.name, "as JSON");
  EXPECT_EQ(scene.bodies.at(0).mass, 2);
}

TEST(SceneKeys, MethodIsAWordOrAMappingWithOptions) {
  EXPECT_EQ(parse_scene("achilles: 1\nmethod: lcp-fixed\n").method.name, "lcp-fixed");
  const Scene scene = parse_scene(
      "achilles: 1\nmethod: {name: lcp-fixed, solver: gauss-seidel, impact: poisson, iterations: 7, warm_start: false, "
      "integrator: semi-implicit}\n");
  EXPECT_EQ(scene.method.solver, "gauss-seidel");
  EXPECT_EQ(scene.method.impact, "poisson");
  EXPECT_EQ(std::get<double>(scene.method.options.at("iterations")), 7);
  EXPECT_EQ(std::get<bool>(scene.method.options.at("warm_start")), false);
  EXPECT_EQ(std::get<std::string>(scene.method.options.at("integrator")), "semi-implicit");
}

TEST(SceneKeys, MethodOptionsWithoutANameBelongToTheDefaultMethod) {
  const Scene scene = parse_scene("achilles: 1\nmethod: {iterations: 7}\n");
  EXPECT_EQ(scene.method.name, "lcp-fixed");
  EXPECT_EQ(std::get<double>(scene.method.options.at("iterations")), 7);
}

TEST(SceneKeys, BodiesAreDynamicAtRestInTheOriginUnlessSaid) {
  const BodyDescription body = read_ball("material: default");
  EXPECT_EQ(body.kind, BodyKind::kDynamic);
  EXPECT_FALSE(body.mass);
  EXPECT_FALSE(body.density);
  EXPECT_FALSE(body.inertia);
  EXPECT_FALSE(body.center);
  EXPECT_EQ(body.pose.p, Vec3(0, 0, 0));
  EXPECT_EQ(body.pose.q.coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(body.velocity, Vec3(0, 0, 0));
  EXPECT_EQ(body.spin, Vec3(0, 0, 0));
  EXPECT_EQ(body.locks.bits, 0);
  EXPECT_EQ(body.rotation, RotationUpdate::kFinite);
  EXPECT_EQ(body.group, "");
}

TEST(SceneKeys, EveryBodyKeyIsRead) {
  const BodyDescription body = read_ball(
      "mass: 2\ninertia: [1, 2, 2.5]\ncenter: [0.1, 0, 0]\nposition: [1, 2, 3]\nvelocity: [4, 5, 6]\n"
      "spin: [0.7, 0.8, 0.9]\nforce: [1, 0, 0]\ntorque: [0, 1, 0]\nlock: [y, rx, rz]\n"
      "rotation: {partial: [0, 0, 2]}\ngroup: balls");
  EXPECT_EQ(body.mass, 2);
  EXPECT_EQ(*body.inertia, Mat3(Vec3(1, 2, 2.5).asDiagonal()));
  EXPECT_EQ(*body.center, Vec3(0.1, 0, 0));
  EXPECT_EQ(body.pose.p, Vec3(1, 2, 3));
  EXPECT_EQ(body.velocity, Vec3(4, 5, 6));
  EXPECT_EQ(body.spin, Vec3(0.7, 0.8, 0.9));
  EXPECT_EQ(body.force, Vec3(1, 0, 0));
  EXPECT_EQ(body.torque, Vec3(0, 1, 0));
  EXPECT_EQ(body.locks.bits, Locks::kY | Locks::kRx | Locks::kRz);
  EXPECT_EQ(body.rotation, RotationUpdate::kPartial);
  EXPECT_EQ(body.rotation_axis, Vec3(0, 0, 1)) << "an axis is a direction: its length is taken out";
  EXPECT_EQ(body.group, "balls");
  EXPECT_EQ(read_ball("rotation: infinitesimal").rotation, RotationUpdate::kInfinitesimal);
  EXPECT_EQ(read_ball("density: 7800").density, 7800);
}

TEST(SceneKeys, InertiaMayBeASymmetricMatrix) {
  const BodyDescription body = read_ball("mass: 1\ninertia: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 3]]");
  EXPECT_EQ((*body.inertia)(0, 1), 0.1);
  EXPECT_THAT(error_of(with_ball("inertia: [[2, 0.1, 0], [0.2, 2, 0], [0, 0, 3]]")), HasSubstr("not symmetric"));
  EXPECT_THAT(error_of(with_ball("inertia: [1, 1, -1]")), HasSubstr("smallest principal moment is -1"));
}

TEST(SceneKeys, OrientationIsAQuaternionWithTheRealPartFirst) {
  // [cos 45°, 0, 0, sin 45°] turns by 90° about z: x goes to y.
  const BodyDescription body = read_ball("orientation: [0.7071067811865476, 0, 0, 0.7071067811865476]");
  EXPECT_LT((body.pose.q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

TEST(SceneKeys, AxisAngleTurnsRightHanded) {
  const BodyDescription body = read_ball("axis_angle: {axis: [0, 0, 5], angle: 1.5707963267948966}");
  EXPECT_LT((body.pose.q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

TEST(SceneKeys, EulerAnglesTurnAboutTheAxesAsTheyWereLeft) {
  // R = Rz(90°) Ry(0) Rx(90°): y goes to z by the last turn, and z stays under the first.
  const BodyDescription zyx = read_ball("euler: {zyx: [1.5707963267948966, 0, 1.5707963267948966]}");
  EXPECT_LT((zyx.pose.q * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((zyx.pose.q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  // The general case against the product of matrices, for all six orders.
  const Vec3 angles(0.3, -1.1, 2.2);
  for (const std::string order : {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}) {
    Mat3 expected = Mat3::Identity();
    for (int i = 0; i < 3; ++i) {
      const Vec3 axis = Vec3::Unit(order[static_cast<std::size_t>(i)] - 'x');
      expected = expected * Eigen::AngleAxisd(angles[i], axis).toRotationMatrix();
    }
    const BodyDescription body = read_ball("euler: {" + order + ": [0.3, -1.1, 2.2]}");
    EXPECT_LT((body.pose.q.toRotationMatrix() - expected).norm(), 1e-14) << order;
  }
}

TEST(SceneKeys, OrientationIsWrittenOnlyOnce) {
  EXPECT_THAT(error_of(with_ball("orientation: [1, 0, 0, 0]\neuler: {xyz: [0, 0, 0]}")),
              HasSubstr("only one of orientation, euler, axis_angle"));
  EXPECT_THAT(error_of(with_ball("mass: 1\ndensity: 1")), HasSubstr("only one of mass, density"));
}

TEST(SceneKeys, PlanarLocksTheThreeOtherFreedomsOfDynamicBodies) {
  const std::string bodies =
      "bodies:\n  - {name: a, shape: {sphere: {radius: 1}}, lock: [x]}\n"
      "  - {name: b, kind: fixed, shape: {sphere: {radius: 1}}, position: [9, 0, 0]}\n";
  const auto locks = [&](const std::string& plane) {
    const Scene scene = parse_scene("achilles: 1\nplanar: " + plane + "\n" + bodies);
    EXPECT_EQ(scene.bodies[1].locks.bits, 0) << "a fixed body has no freedom to lock";
    return scene.bodies[0].locks.bits & ~Locks::kX;
  };
  EXPECT_EQ(locks("xz"), Locks::kY | Locks::kRx | Locks::kRz);
  EXPECT_EQ(locks("xy"), Locks::kZ | Locks::kRx | Locks::kRy);
  EXPECT_EQ(locks("yz"), Locks::kRy | Locks::kRz);
}

TEST(SceneKeys, MaterialsTakeFromTheDefaultWhatTheyLeaveOut) {
  const Scene scene = parse_scene(
      "achilles: 1\nmaterials:\n  ice: {friction: 0.05}\n  default: {friction: 0.7, restitution: 0.3}\n"
      "  soft: {stiffness: 1e5, damping: 10, rolling_friction: 0.01, torsional_friction: 0.02, anisotropy: [0.1, "
      "0.9]}\n");
  ASSERT_EQ(scene.materials.size(), 3U);
  EXPECT_EQ(scene.materials[0].name, "default");
  EXPECT_EQ(scene.materials[1].name, "ice");
  EXPECT_EQ(scene.materials[1].law.friction, 0.05);
  EXPECT_EQ(scene.materials[1].law.restitution, 0.3);
  const ContactLaw& soft = scene.materials[2].law;
  EXPECT_EQ(soft.stiffness, 1e5);
  EXPECT_EQ(soft.damping, 10);
  EXPECT_EQ(soft.rolling_friction, 0.01);
  EXPECT_EQ(soft.torsional_friction, 0.02);
  EXPECT_EQ(*soft.anisotropy, Vec2(0.1, 0.9));
}

TEST(SceneKeys, AMaterialPairTakesWhatItLeavesOutFromTheMixture) {
  // Friction and restitution mix as geometric means, so that a frictionless side decides.
  const Scene scene = parse_scene(
      "achilles: 1\nmaterials:\n  a: {friction: 0.4, restitution: 0.9}\n  b: {friction: 0.1, restitution: 0.4}\n"
      "  pairs:\n    - {between: [b, a], friction: 0.33}\n");
  ASSERT_EQ(scene.material_pairs.size(), 1U);
  EXPECT_EQ(scene.material_pairs[0].law.friction, 0.33);
  EXPECT_NEAR(scene.material_pairs[0].law.restitution, std::sqrt(0.9 * 0.4), 1e-15);
}

TEST(SceneKeys, ReferencesBetweenPartsMustLeadSomewhere) {
  EXPECT_THAT(error_of(with_ball("material: rubbber", "materials: {rubber: {}}\n")),
              testing::AllOf(HasSubstr("there is no material 'rubbber'"), HasSubstr("did you mean 'rubber'?")));
  EXPECT_THAT(error_of("achilles: 1\nmaterials: {a: {}, pairs: [{between: [a, b]}]}\n"),
              HasSubstr("there is no material 'b'"));
  EXPECT_THAT(error_of("achilles: 1\nmaterials: {a: {}, b: {}, pairs: [{between: [a, b]}, {between: [b, a]}]}\n"),
              HasSubstr("is given twice"));
  EXPECT_THAT(error_of(with_two_boxes("rules: [{ignore: [lower, uper]}]\n")), HasSubstr("did you mean 'upper'?"));
}

TEST(SceneKeys, RulesNameBodiesOrGroups) {
  const Scene scene = parse_scene(
      "achilles: 1\nbodies:\n  - {name: a, group: g, shape: {sphere: {radius: 1}}}\n"
      "  - {name: b, shape: {sphere: {radius: 1}}}\nrules: [{ignore: [g, b]}]\n");
  ASSERT_EQ(scene.rules.size(), 1U);
  EXPECT_EQ(scene.rules[0].first, "g");
  EXPECT_EQ(scene.rules[0].second, "b");
  EXPECT_TRUE(scene.warnings.empty()) << "what does not collide does not overlap";
}

TEST(SceneKeys, ScriptsMoveScriptedBodies) {
  const std::string head = "achilles: 1\nbodies: [{name: broom, kind: scripted, shape: {box: {size: [1, 1, 1]}}}]\n";
  const Scene scene =
      parse_scene(head +
                  "scripts:\n  - {body: broom, path: {space: [[0, 0, 0], [1, 0, 0]], speed: [[0, 0], [2, 1]]},\n"
                  "     turn: [[0, [1, 0, 0, 0]], [1, [0, 0, 0, 2]]]}\n");
  ASSERT_EQ(scene.scripts.size(), 1U);
  EXPECT_EQ(scene.scripts[0].space.at(1), Vec3(1, 0, 0));
  EXPECT_EQ(scene.scripts[0].speed.at(1), std::make_pair(2.0, 1.0));
  EXPECT_EQ(scene.scripts[0].turn.at(1).second.z(), 1) << "a quaternion is scaled to unit length";
  EXPECT_TRUE(scene.warnings.empty());

  EXPECT_THAT(error_of(head + "scripts: [{body: broom}]\n"), HasSubstr("neither path nor turn"));
  EXPECT_THAT(error_of(head + "scripts: [{body: broom, turn: [[0, [1, 0, 0, 0]], [1, [0, 0, 0, 0]]]}]\n"),
              HasSubstr("found only zeros"));
  EXPECT_THAT(error_of(head + "scripts: [{body: broom, turn: [[1, [1, 0, 0, 0]], [1, [1, 0, 0, 0]]]}]\n"),
              HasSubstr("rising times"));
  EXPECT_THAT(error_of(with_two_boxes("scripts: [{body: upper, turn: [[0, [1, 0, 0, 0]]]}]\n")),
              HasSubstr("is not scripted"));
  EXPECT_THAT(warnings_of(head), testing::ElementsAre(HasSubstr("there is no script for it")));
}

TEST(SceneKeys, TriggersAreVolumes) {
  const Scene scene =
      parse_scene("achilles: 1\ntriggers: [{name: goal, shape: {box: {size: [1, 2, 3]}}, position: [5, 0, 0]}]\n");
  ASSERT_EQ(scene.triggers.size(), 1U);
  EXPECT_EQ(scene.triggers[0].name, "goal");
  EXPECT_EQ(scene.triggers[0].pose.p, Vec3(5, 0, 0));
  EXPECT_EQ(std::get<Box>(scene.triggers[0].shape.kind).size, Vec3(1, 2, 3));
  EXPECT_THAT(error_of("achilles: 1\ntriggers:\n  - {name: a, shape: {sphere: {radius: 1}}}\n"
                       "  - {name: a, shape: {sphere: {radius: 1}}}\n"),
              HasSubstr("a trigger named 'a' exists already"));
}

TEST(SceneKeys, AnchorsAndMergeKeysSaveWriting) {
  const Scene scene = parse_scene(
      "achilles: 1\nbodies:\n  - &a {name: a, shape: {sphere: {radius: 1}}, mass: 3}\n"
      "  - {<<: *a, name: b, position: [5, 0, 0]}\n");
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[1].name, "b");
  EXPECT_EQ(scene.bodies[1].mass, 3);
}

}  // namespace
}  // namespace achilles
