#include "constraint/joint_pose.hpp"
#include "constraint/point_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace achilles {
namespace {

constexpr JointKind kKinds[] = {JointKind::kBall,      JointKind::kHinge, JointKind::kSlider, JointKind::kHinge2,
                                JointKind::kUniversal, JointKind::kFixed, JointKind::kPlanar, JointKind::kDistance};

Quat finite_rotation(const Vec3& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Quat(Eigen::AngleAxisd(angle, turn / angle)) : Quat::Identity();
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  Vec3 vector() { return {number(), number(), number()}; }
  Quat rotation() { return Quat(number(), number(), number(), number()).normalized(); }

 private:
  std::mt19937 engine_;
};

/// Two boxes in a random place, joined there.
World make_world(JointKind kind, Random& random) {
  Scene scene;
  scene.materials.emplace_back();
  scene.materials[0].name = "default";
  for (const char* name : {"a", "b"}) {
    BodyDescription body;
    body.name = name;
    body.shape = Shape{Box{Vec3(0.4, 0.5, 0.6)}};
    body.pose = {random.vector(), random.rotation()};
    scene.bodies.push_back(body);
  }
  JointDescription joint;
  joint.name = "joint";
  joint.kind = kind;
  joint.first = "a";
  joint.second = "b";
  joint.at = random.vector();
  if (kind == JointKind::kDistance) joint.at_second = random.vector();
  for (int k = 0; k < 2; ++k) {
    JointAxis axis;
    axis.axis = random.vector().normalized();
    joint.axes.push_back(axis);
  }
  scene.joints.push_back(joint);
  return World(scene);
}

void move(World& world, const BodyVelocity (&velocity)[2], double t) {
  for (std::size_t i = 0; i < 2; ++i) {
    world.bodies.position[i] += t * velocity[i].linear;
    world.bodies.orientation[i] = (finite_rotation(t * velocity[i].angular) * world.bodies.orientation[i]).normalized();
  }
}

double rate(const Row& row, const BodyVelocity (&u)[2]) {
  return row.linear_a.dot(u[0].linear) + row.angular_a.dot(u[0].angular) + row.linear_b.dot(u[1].linear) +
         row.angular_b.dot(u[1].angular);
}

// The rows are derivatives: J u is the rate of the error, where the error vanishes, and of the free coordinates
// anywhere.
TEST(JointRows, RateOfARowIsTheDerivativeOfItsError) {
  for (const JointKind kind : kKinds) {
    Random random(7);
    for (int trial = 0; trial < 20; ++trial) {
      const World world = make_world(kind, random);
      const BodyVelocity u[2] = {{random.vector(), random.vector()}, {random.vector(), random.vector()}};
      const WorldJoint& joint = world.joints[0];
      std::array<JointEquality, JointState::kStructural> at, before, after;
      const std::size_t count = list_equalities(joint, world.bodies, place_joint(joint, world.bodies, {}), at);
      constexpr double kStep = 1e-6;
      World moved = world;
      move(moved, u, kStep);
      ASSERT_EQ(list_equalities(joint, moved.bodies, place_joint(joint, moved.bodies, {}), after), count);
      moved = world;
      move(moved, u, -kStep);
      ASSERT_EQ(list_equalities(joint, moved.bodies, place_joint(joint, moved.bodies, {}), before), count);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_NEAR(at[k].error, 0, 1e-14);
        EXPECT_NEAR((after[k].error - before[k].error) / (2 * kStep), rate(at[k].row, u), 1e-8)
            << "kind " << static_cast<int>(kind) << ", row " << k;
      }
    }
  }
}

TEST(JointRows, RateOfAnAxisIsTheDerivativeOfItsPosition) {
  for (const JointKind kind : {JointKind::kHinge, JointKind::kSlider, JointKind::kHinge2, JointKind::kUniversal}) {
    Random random(11);
    for (int trial = 0; trial < 20; ++trial) {
      World world = make_world(kind, random);
      const WorldJoint joint = world.joints[0];
      // Somewhere along the free axes: turned (or shifted) about each in turn, as the joint allows.
      const double first = random.number();
      const double second = random.number();
      const JointPose start = place_joint(joint, world.bodies, {});
      BodyArrays& bodies = world.bodies;
      if (kind == JointKind::kSlider) {
        bodies.position[1] += first * start.axis_a[0];
      } else {
        // About the second axis in b's place, then about the first, through the anchor.
        Quat turn = finite_rotation(first * start.axis_a[0]);
        if (joint.axis_count == 2) turn = turn * finite_rotation(second * start.axis_a[1]);
        bodies.position[1] = start.anchor_a + turn * (bodies.position[1] - start.anchor_a);
        bodies.orientation[1] = turn * bodies.orientation[1];
      }
      const JointPose pose = place_joint(joint, bodies, {});
      EXPECT_NEAR(pose.position[0], first, 1e-12);
      if (joint.axis_count == 2) {
        EXPECT_NEAR(pose.position[1], second, 1e-12);
      }
      EXPECT_NEAR(measure_joint_error(joint, pose), 0, 1e-12);

      // A velocity that the joint allows: a's own, and rates along the free axes.
      const double rates[2] = {random.number(), random.number()};
      BodyVelocity u[2];
      u[0] = {random.vector(), random.vector()};
      Vec3 relative = Vec3::Zero();
      Vec3 slide = Vec3::Zero();
      if (kind == JointKind::kSlider) {
        slide = rates[0] * pose.axis_a[0];
      } else {
        relative = rates[0] * pose.axis_a[0];
        if (joint.axis_count == 2) relative += rates[1] * pose.axis_b[1];
      }
      u[1].angular = u[0].angular + relative;
      u[1].linear = u[0].linear + u[0].angular.cross(pose.anchor_b - bodies.position[0]) + slide -
                    u[1].angular.cross(pose.anchor_b - bodies.position[1]);
      std::array<JointEquality, JointState::kStructural> equalities;
      const std::size_t count = list_equalities(joint, bodies, pose, equalities);
      for (std::size_t k = 0; k < count; ++k) EXPECT_NEAR(rate(equalities[k].row, u), 0, 1e-12);
      for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
        EXPECT_NEAR(rate(make_axis_row(joint, bodies, pose, axis), u), rates[axis], 1e-12);
      }
    }
  }
}

TEST(JointRows, WholeTurnsOfAHingeAreCounted) {
  Random random(3);
  World world = make_world(JointKind::kHinge, random);
  const WorldJoint& joint = world.joints[0];
  const Vec3 axis = place_joint(joint, world.bodies, {}).axis_a[0];
  std::array<double, 2> position{};
  for (int k = 1; k <= 100; ++k) {
    world.bodies.orientation[1] = (finite_rotation(0.5 * axis) * world.bodies.orientation[1]).normalized();
    position = place_joint(joint, world.bodies, position).position;
    EXPECT_NEAR(position[0], 0.5 * k, 1e-9);
  }
}

// A wheel that its axle goes through has no distance to it: its radius of gyration √(½ tr I / m) stands in. What a
// fixed body measures to the joint does not count, wherever its own centre is.
TEST(JointArm, IsThatOfWhatMovesAndNeverNothing) {
  const Vec3 at(7, -3, 2);
  for (const double distance : {0.0, 0.2, 2.0}) {
    Scene scene;
    BodyDescription post, wheel;
    post.name = "post";
    post.kind = BodyKind::kFixed;
    post.shape = {Sphere{0.1}};
    wheel.name = "wheel";
    wheel.shape = {Sphere{1}};
    wheel.pose.p = at + Vec3(0, 0, distance);
    scene.bodies = {post, wheel};
    JointDescription axle;
    axle.name = "axle";
    axle.kind = JointKind::kBall;
    axle.first = "post";
    axle.second = "wheel";
    axle.at = at;
    scene.joints = {axle};
    const World world(scene);
    const double gyration = std::sqrt(0.5 * 3 * 0.4);  // of a solid ball I = 2/5 m r² about each axis
    EXPECT_NEAR(measure_joint_arm(world.joints[0], world.bodies), std::max(distance, gyration), 1e-12);
  }
}

}  // namespace
}  // namespace achilles
