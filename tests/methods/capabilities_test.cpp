// What a method does not take into account is refused, in a scene and in a world that changes.
#include "methods/capabilities.hpp"

#include "methods/method.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace achilles {
namespace {

using ::testing::HasSubstr;

Scene make_two_balls(std::string_view method) {
  Scene scene;
  scene.method.name = method;
  scene.materials = {{"default", {}}, {"rubber", {}}};
  for (const char* name : {"a", "b"}) {
    BodyDescription ball;
    ball.name = name;
    ball.shape = {Sphere{0.1}};
    ball.pose.p = Vec3(name[0] - 'a', 0, 0);
    scene.bodies.push_back(ball);
  }
  return scene;
}

JointDescription make_hinge() {
  JointDescription hinge;
  hinge.name = "lid";
  hinge.kind = JointKind::kHinge;
  hinge.first = "a";
  hinge.second = "b";
  hinge.axes = {JointAxis{}};
  return hinge;
}

/// Adds what asks for one capability, and for no other but joints.
struct Asking {
  bool Capabilities::*flag;
  std::function<void(Scene&)> add;
};

std::vector<Asking> list_askings() {
  const auto law = [](auto member, double value) {
    return [=](Scene& scene) { scene.materials[1].law.*member = value; };
  };
  const auto hinge = [](const std::function<void(JointAxis&)>& change) {
    return [=](Scene& scene) {
      scene.joints = {make_hinge()};
      change(scene.joints[0].axes[0]);
    };
  };
  return {
      {&Capabilities::rolling_friction, law(&ContactLaw::rolling_friction, 0.01)},
      {&Capabilities::torsional_friction, law(&ContactLaw::torsional_friction, 0.01)},
      {&Capabilities::compliant_contact, law(&ContactLaw::stiffness, 1e4)},
      {&Capabilities::anisotropic_friction, [](Scene& scene) { scene.materials[1].law.anisotropy = Vec2(0.1, 0.5); }},
      {&Capabilities::joints, hinge([](JointAxis&) {})},
      {&Capabilities::joint_limits, hinge([](JointAxis& axis) {
         axis.limits = {-1, 1};
       })},
      {&Capabilities::joint_motors, hinge([](JointAxis& axis) { axis.motor_speed = 1; })},
      {&Capabilities::joint_springs, hinge([](JointAxis& axis) { axis.stiffness = 1; })},
      {&Capabilities::joint_friction, hinge([](JointAxis& axis) { axis.friction = 1; })},
      {&Capabilities::joint_compliance,
       [](Scene& scene) {
         scene.joints = {make_hinge()};
         scene.joints[0].compliance = 1e-4;
       }},
      {&Capabilities::joint_damping,
       [](Scene& scene) {
         scene.joints = {make_hinge()};
         scene.joints[0].compliance = 1e-4;
         scene.joints[0].damping = 1;
       }},
      {&Capabilities::joint_drives, hinge([](JointAxis& axis) {
         axis.drive = DriveDescription{.kind = DriveDescription::Kind::kForce, .target = {{0, 1}}};
       })},
      {&Capabilities::armature, hinge([](JointAxis& axis) { axis.armature = 1; })},
      {&Capabilities::couplings,
       [](Scene& scene) {
         scene.joints = {make_hinge()};
         scene.couplings = {{"held", {{"lid", 0, 1}}, 0}};
       }},
      {&Capabilities::rotation_rules, [](Scene& scene) { scene.bodies[0].rotation = RotationUpdate::kInfinitesimal; }},
      {&Capabilities::scripts,
       [](Scene& scene) {
         scene.bodies[0].kind = BodyKind::kScripted;
         ScriptDescription script;
         script.body = "a";
         script.space = {Vec3(0, 0, 0), Vec3(0, 0, 1)};
         script.speed = {{0, 0}, {1, 1}};
         scene.scripts = {script};
       }},
  };
}

bool can(const MethodSpec& method, bool Capabilities::*flag) {
  const bool of_joint = flag == &Capabilities::joint_limits || flag == &Capabilities::joint_motors ||
                        flag == &Capabilities::joint_springs || flag == &Capabilities::joint_friction ||
                        flag == &Capabilities::joint_compliance || flag == &Capabilities::joint_damping ||
                        flag == &Capabilities::joint_drives || flag == &Capabilities::armature ||
                        flag == &Capabilities::couplings;
  return method.capabilities.*flag && (!of_joint || method.capabilities.joints);
}

TEST(Capabilities, OfAPlainSceneEveryMethodHas) {
  for (const MethodSpec& method : method_specs()) {
    EXPECT_TRUE(find_obstacles(method, make_two_balls(method.name)).empty()) << method.name;
    EXPECT_NO_THROW((void)make_method_for(make_two_balls(method.name))) << method.name;
  }
}

TEST(Capabilities, ThatAMethodLacksAreRefusedInScenesAndWorldsAlike) {
  for (const MethodSpec& method : method_specs()) {
    for (const Asking& asking : list_askings()) {
      Scene scene = make_two_balls(method.name);
      asking.add(scene);
      const bool is_refused = !can(method, asking.flag);
      EXPECT_EQ(!find_obstacles(method, scene).empty(), is_refused) << method.name;
      EXPECT_EQ(!find_obstacles(method, scene.method, World(scene)).empty(), is_refused) << method.name;
      if (is_refused) {
        EXPECT_THROW((void)make_method_for(scene), SceneError) << method.name;
      }
    }
  }
}

// Facts about the methods, from what their steps read.
TEST(Capabilities, AreThoseOfTheCode) {
  const auto has = [](const char* method, bool Capabilities::*flag) { return find_method(method)->capabilities.*flag; };
  for (const char* method : {"impulse-zeno-free", "impulse-naive", "lcp-event", "anitescu-potra",
                             "impulse-conservative", "penalty", "position-optimal"}) {
    EXPECT_FALSE(has(method, &Capabilities::joints)) << method;
    EXPECT_FALSE(has(method, &Capabilities::rolling_friction)) << method;
    EXPECT_FALSE(has(method, &Capabilities::torsional_friction)) << method;
  }
  for (const char* method : {"lcp-fixed", "lcp-retroactive", "anitescu", "shock-propagation"}) {
    EXPECT_TRUE(has(method, &Capabilities::rolling_friction)) << method;
    EXPECT_TRUE(has(method, &Capabilities::compliant_contact)) << method;
    EXPECT_TRUE(has(method, &Capabilities::position_motors)) << method;
    EXPECT_TRUE(has(method, &Capabilities::joint_drives)) << method;
    EXPECT_TRUE(has(method, &Capabilities::armature)) << method;
  }
  EXPECT_TRUE(has("penalty", &Capabilities::compliant_contact));
  EXPECT_FALSE(has("first-order", &Capabilities::joint_motors));
  EXPECT_FALSE(has("first-order", &Capabilities::compliant_contact));
  EXPECT_TRUE(has("first-order", &Capabilities::joint_limits));
}

TEST(Capabilities, RefusalNamesTheMethodTheCapabilityAndWhoAsksForIt) {
  Scene scene = make_two_balls("penalty");
  scene.joints = {make_hinge(), make_hinge()};
  scene.materials[1].law.rolling_friction = 0.01;
  try {
    (void)make_method_for(scene);
    FAIL() << "nothing was thrown";
  } catch (const SceneError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_THAT(error.diagnostics()[0].message, HasSubstr("method penalty has no rolling friction"));
    EXPECT_THAT(error.diagnostics()[0].message, HasSubstr("'rubber'"));
    EXPECT_THAT(error.diagnostics()[1].message, HasSubstr("joint 'lid' and 1 more"));
  }
}

// Friction and restitution are properties of every material: a method without them runs the scene and it is reported.
TEST(Capabilities, FrictionAndRestitutionThatAMethodIgnoresAreReported) {
  for (const MethodSpec& method : method_specs()) {
    Scene scene = make_two_balls(method.name);
    for (Material& material : scene.materials) material.law.friction = material.law.restitution = 0;
    EXPECT_TRUE(find_ignored(method, scene).empty()) << method.name;
    scene.materials[1].law.friction = 0.1;
    scene.materials[1].law.restitution = 0.2;
    const std::vector<std::string> ignored = find_ignored(method, scene);
    const int lacks = (method.capabilities.friction ? 0 : 1) + (method.capabilities.restitution ? 0 : 1);
    EXPECT_EQ(static_cast<int>(ignored.size()), lacks) << method.name;
    for (const std::string& sentence : ignored) EXPECT_THAT(sentence, HasSubstr("material 'rubber'")) << method.name;
    EXPECT_TRUE(find_obstacles(method, scene).empty()) << method.name;
  }
  const MethodSpec& aristotle = *find_method("first-order");
  Scene scene = make_two_balls("first-order");
  scene.materials[0].law.friction = 0.5;
  scene.materials[0].law.restitution = 0;
  const std::vector<std::string> ignored = find_ignored(aristotle, scene);
  ASSERT_FALSE(ignored.empty());
  EXPECT_THAT(ignored[0], HasSubstr("method first-order ignores friction; needed by material"));
}

TEST(Capabilities, OptionThatWouldDoNothingDoesNotExist) {
  MethodDescription description;
  description.name = "lcp-retroactive";  // it predicts nothing: there is no gap up to which it looks for contacts
  description.options = {{"speculative_distance", 0.02}};
  EXPECT_THROW((void)make_method(description), std::invalid_argument);
  description.name = "impulse-naive";  // all bodies stop at every impact
  description.options = {{"independent_time", true}};
  EXPECT_THROW((void)make_method(description), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
