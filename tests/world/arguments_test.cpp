// Every function that changes a world checks what it is given, and a refusal changes nothing.
#include <achilles/query.hpp>
#include <achilles/world.hpp>

#include "geometry/geometry.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace achilles {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

BodyDescription make_ball(const std::string& name, double x) {
  BodyDescription ball;
  ball.name = name;
  ball.shape = {Sphere{0.5}};
  ball.pose.p = {x, 0, 0};
  return ball;
}

struct Pair {
  World world;
  BodyHandle left = world.add_body(make_ball("left", 0));
  BodyHandle right = world.add_body(make_ball("right", 2));
};

JointDescription make_hinge() {
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::kHinge;
  hinge.first = "left";
  hinge.second = "right";
  hinge.at = {1, 0, 0};
  hinge.axes.resize(1);
  return hinge;
}

TEST(Arguments, ImpossibleJointsAreRefusedWithTheirNameAndLeaveNothing) {
  const std::function<void(JointDescription&)> faults[] = {
      [](JointDescription& joint) { joint.at.x() = kNan; },
      [](JointDescription& joint) { joint.at_second = Vec3(kInfinity, 0, 0); },
      [](JointDescription& joint) { joint.axes[0].axis = Vec3::Zero(); },
      [](JointDescription& joint) { joint.axes[0].axis = Vec3(kNan, 0, 1); },
      [](JointDescription& joint) {
        joint.axes[0].limits = {1.0, -1.0};
      },
      [](JointDescription& joint) {
        joint.axes[0].limits = {kNan, 1.0};
      },
      [](JointDescription& joint) { joint.axes[0].motor_speed = kNan; },
      [](JointDescription& joint) { joint.axes[0].motor_max = -1; },
      [](JointDescription& joint) { joint.axes[0].friction = -1; },
      [](JointDescription& joint) { joint.axes[0].stiffness = kInfinity; },
      [](JointDescription& joint) { joint.axes[0].damping = kNan; },
      [](JointDescription& joint) { joint.axes[0].rest = kNan; },
      [](JointDescription& joint) { joint.compliance = -1e-6; },
      [](JointDescription& joint) { joint.second = "left"; },
      [](JointDescription& joint) { joint.axes.clear(); },
  };
  Pair pair;
  for (const auto& spoil : faults) {
    JointDescription joint = make_hinge();
    spoil(joint);
    try {
      pair.world.add_joint(joint);
      ADD_FAILURE() << "fault " << &spoil - faults;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'hinge'"), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(pair.world.joints.empty());
  EXPECT_TRUE(pair.world.ignored_pairs.empty());
  EXPECT_EQ(pair.world.index_of(pair.world.add_joint(make_hinge())), 0U);
}

TEST(Arguments, ImpossibleMaterialsAreRefused) {
  const auto build = [](double ContactLaw::*member, double value) {
    ContactLaw law;
    law.*member = value;
    const std::vector<Material> materials{{"default", law}};
    return MaterialTable(materials, {});
  };
  EXPECT_NO_THROW(build(&ContactLaw::friction, 0.5));
  for (const double value : {-0.1, kNan, kInfinity}) {
    EXPECT_THROW(build(&ContactLaw::friction, value), std::invalid_argument) << value;
    EXPECT_THROW(build(&ContactLaw::stiffness, value), std::invalid_argument) << value;
  }
  for (const double value : {-0.1, 1.1, 5.0, kNan}) {
    EXPECT_THROW(build(&ContactLaw::restitution, value), std::invalid_argument) << value;
  }
}

TEST(Arguments, SurfacesWithoutAnInsideAreNotForDynamicBodies) {
  Mesh mesh;
  mesh.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  for (const Shape& shape : {Shape{Plane{}}, Shape{mesh}}) {
    BodyDescription body = make_ball("surface", 0);
    body.shape = shape;
    body.mass = 1;
    body.inertia = Mat3::Identity();
    body.center = Vec3::Zero();
    World world;
    EXPECT_THROW(world.add_body(body), std::invalid_argument);
    EXPECT_EQ(world.bodies.size(), 0U);
    body.kind = BodyKind::kFixed;
    EXPECT_NO_THROW(world.add_body(body));
  }
}

TEST(Arguments, BodiesThatThereAreNotCannotSleepOrWake) {
  Pair pair;
  EXPECT_THROW(pair.world.wake(2), std::out_of_range);
  EXPECT_THROW(pair.world.lie_down(2, 0), std::out_of_range);
  EXPECT_THROW(pair.world.lie_down(0, 7), std::out_of_range);
}

TEST(Arguments, PairsWithBodiesThatThereAreNotCannotBeIgnored) {
  Pair pair;
  EXPECT_THROW(pair.world.ignore_pair(0, 2), std::out_of_range);
  EXPECT_TRUE(pair.world.ignored_pairs.empty());
  EXPECT_NO_THROW(pair.world.ignore_pair(0, 1));
}

// 1e300 N at 1e300 m is a torque of 1e600 N m; both arguments are finite.
TEST(Arguments, PushesWhoseEffectIsNoNumberAreRefusedAndChangeNothing) {
  Pair pair;
  const Vec3 large(1e300, 0, 0), far(0, 1e300, 0);
  EXPECT_THROW(pair.world.apply_force(pair.left, large, far), std::invalid_argument);
  EXPECT_THROW(pair.world.apply_impulse(pair.left, large, far), std::invalid_argument);
  EXPECT_EQ(pair.world.bodies.applied_force[0], Vec3(0, 0, 0));
  EXPECT_FALSE(pair.world.first_not_finite());
}

TEST(Arguments, PathsWhoseLengthIsNoNumberAreRefusedAtOnce) {
  Pair pair;
  BodyDescription lift = make_ball("lift", 7);
  lift.kind = BodyKind::kScripted;
  pair.world.add_body(lift);
  ScriptDescription script;
  script.body = "lift";
  script.space = {{0, 0, 0}, {1e300, 0, 0}, {0, 1e300, 0}};
  script.speed = {{0, 0}, {1, 1}};
  EXPECT_THROW(pair.world.add_script(script), std::invalid_argument);
}

TEST(Arguments, TimersThatWouldTickForeverWithinAStepAreRefused) {
  World world;
  for (const double period : {0.0, -1.0, 1e-300, kNan, kInfinity}) {
    EXPECT_THROW(world.add_timer(period), std::invalid_argument) << period;
  }
  EXPECT_NO_THROW(world.add_timer(0.1));
}

TEST(Arguments, TorqueActsOnTheSpinAloneAndMustBeFinite) {
  Pair pair;
  pair.world.apply_torque(pair.left, {0, 0, 3});
  EXPECT_EQ(pair.world.bodies.applied_torque[0], Vec3(0, 0, 3));
  EXPECT_EQ(pair.world.bodies.applied_force[0], Vec3(0, 0, 0));
  EXPECT_THROW(pair.world.apply_torque(pair.left, {kNan, 0, 0}), std::invalid_argument);
  EXPECT_EQ(pair.world.pose(pair.right).p, Vec3(2, 0, 0));
}

TEST(Arguments, MotorsAreSetOnAxesThatTheJointHas) {
  Pair pair;
  const JointHandle hinge = pair.world.add_joint(make_hinge());
  pair.world.set_motor(hinge, 0, {JointDrive::Motor::kPosition, 0.5, 10});
  EXPECT_EQ(pair.world.joints[pair.world.index_of(hinge)].drives[0].motor_target, 0.5);
  EXPECT_THROW(pair.world.set_motor(hinge, 1, {}), std::invalid_argument);
  EXPECT_THROW(pair.world.set_motor(hinge, 0, {JointDrive::Motor::kSpeed, kNan, 1}), std::invalid_argument);
  EXPECT_THROW(pair.world.set_motor(1U, 0, {}), std::out_of_range);
  EXPECT_THROW(pair.world.set_motor(JointHandle{}, 0, {}), std::out_of_range);
}

TEST(Arguments, RemovedJointsAreGoneAndOthersMoveUp) {
  Pair pair;
  const JointHandle hinge = pair.world.add_joint(make_hinge());
  JointDescription description = make_hinge();
  description.name = "second";
  const JointHandle second = pair.world.add_joint(description);
  pair.world.remove_joint(hinge);
  EXPECT_EQ(pair.world.find_joint("second"), second);
  EXPECT_EQ(pair.world.index_of(second), 0U);
  EXPECT_FALSE(pair.world.is_alive(hinge));
  EXPECT_THROW((void)pair.world.index_of(hinge), std::out_of_range);
  EXPECT_EQ(pair.world.joint_states.size(), 1U);
  EXPECT_THROW((void)pair.world.find_joint("hinge"), std::out_of_range);
  EXPECT_THROW(pair.world.remove_joint(hinge), std::out_of_range);
  EXPECT_THROW(pair.world.remove_joint(1U), std::out_of_range);
  EXPECT_NE(pair.world.add_joint(make_hinge()), hinge);
}

TEST(Arguments, QueriesSeeTheWorldAsItWasAlsoAfterBodiesAreGone) {
  Pair pair;
  const WorldQuery query(pair.world);
  pair.world.remove_body(pair.left);
  pair.world.remove_body(pair.right);
  const std::optional<QueryHit> hit = query.cast_ray({-5, 0, 0}, {1, 0, 0});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 4.5, 1e-9);
  EXPECT_EQ(hit->body, pair.left);
}

}  // namespace
}  // namespace achilles
