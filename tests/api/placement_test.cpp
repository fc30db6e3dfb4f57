#include "support/scenes.hpp"

#include <achilles/placement.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

const BodyDescription& body_of(const Scene& scene, const std::string& name) {
  for (const BodyDescription& body : scene.bodies) {
    if (body.name == name) return body;
  }
  throw std::invalid_argument(name);
}

double penetration_of(const Scene& scene) {
  Simulation simulation(scene);
  return simulation.penetration();
}

TEST(Placement, FreeBodyGoesWhereItIsPulledAndDoesNotTurn) {
  Scene scene = make_scene(0.01, 0.5, 0.5);
  scene.bodies = {make_ground(), make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 2))};
  const Placement placed = place_bodies(scene, {{"box", Vec3::Zero(), Vec3(3, -1, 0.5)}});
  EXPECT_TRUE(placed.arrived);
  EXPECT_LE((body_of(placed.scene, "box").pose.p - Vec3(3, -1, 0.5)).norm(), 1e-4);
  EXPECT_LT(body_of(placed.scene, "box").pose.q.angularDistance(Quat::Identity()), 1e-9);
  EXPECT_EQ(placed.moved, std::vector<std::string>{"box"});
}

// Two points pulled onto the x axis turn the box there, whichever way it lay.
TEST(Placement, TwoPointsAlignABody) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_body("bar", {Box{Vec3(2, 0.2, 0.2)}}, Vec3(0, 0, 2))};
  scene.bodies[0].pose.q = Quat(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
  const Placement placed =
      place_bodies(scene, {{"bar", Vec3(-1, 0, 0), Vec3(0, 0, 0)}, {"bar", Vec3(1, 0, 0), Vec3(2, 0, 0)}});
  EXPECT_TRUE(placed.arrived);
  const Pose& pose = body_of(placed.scene, "bar").pose;
  EXPECT_LT((pose.q * Vec3::UnitX() - Vec3::UnitX()).norm(), 2e-4);
  EXPECT_LT((pose.p - Vec3(1, 0, 0)).norm(), 2e-4);
}

// The pusher slides over the ground; what it pushes comes to a wall.
TEST(Placement, WhatStopsABodyThatIsPushedAlongIsNamed) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_ground(), make_body("pusher", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5)),
                  make_body("pushed", {Box{Vec3(1, 1, 1)}}, Vec3(2, 0, 0.5)),
                  make_body("wall", {Box{Vec3(1, 5, 5)}}, Vec3(5, 0, 2.5))};
  scene.bodies[3].kind = BodyKind::kFixed;
  const Placement placed = place_bodies(scene, {{"pusher", Vec3::Zero(), Vec3(6, 0, 0.5)}});
  EXPECT_FALSE(placed.arrived);
  EXPECT_NEAR(body_of(placed.scene, "pusher").pose.p.x(), 3, 1e-2);
  EXPECT_EQ(placed.obstacles, std::vector<std::string>{"wall"});
}

// Pulled into the ground it stops at it, and says so.
TEST(Placement, WhatIsFixedStopsABodyAndIsNamed) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_ground(), make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 2))};
  const Placement placed = place_bodies(scene, {{"box", Vec3::Zero(), Vec3(1, 0, 0)}});
  EXPECT_FALSE(placed.arrived);
  EXPECT_NEAR(body_of(placed.scene, "box").pose.p.z(), 0.5, 1e-3);
  EXPECT_NEAR(body_of(placed.scene, "box").pose.p.x(), 1, 1e-2);
  EXPECT_EQ(placed.obstacles, std::vector<std::string>{"ground"});
  EXPECT_LT(penetration_of(placed.scene), 1e-3);
}

// A box in the way is pushed along: [Erleben04, figs. 4.30-4.31].
TEST(Placement, WhatCanMoveIsPushedAlong) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_body("pulled", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0)),
                  make_body("other", {Box{Vec3(1, 1, 1)}}, Vec3(2, 0, 0))};
  const Placement placed = place_bodies(scene, {{"pulled", Vec3::Zero(), Vec3(2.5, 0, 0)}});
  EXPECT_TRUE(placed.arrived);
  EXPECT_NEAR(body_of(placed.scene, "other").pose.p.x(), 3.5, 0.02);
  EXPECT_LT(penetration_of(placed.scene), 1e-3);
}

// A chain of three links of 1 m from the origin reaches what is within 3 m, its joints hold.
TEST(Placement, ArmFollowsItsHandAndItsJointsHold) {
  Scene scene = make_scene(0.01, 0, 0);
  BodyDescription anchor = make_body("anchor", {Sphere{0.01}}, Vec3::Zero());
  anchor.kind = BodyKind::kFixed;
  scene.bodies = {anchor};
  for (int k = 0; k < 3; ++k) {
    const std::string name = "link" + std::to_string(k);
    scene.bodies.push_back(make_body(name, {Box{Vec3(0.9, 0.1, 0.1)}}, Vec3(0.5 + k, 0, 0)));
    JointDescription joint;
    joint.name = "joint" + std::to_string(k);
    joint.kind = JointKind::kBall;
    joint.first = k == 0 ? "anchor" : "link" + std::to_string(k - 1);
    joint.second = name;
    joint.at = Vec3(k, 0, 0);
    scene.joints.push_back(joint);
  }
  const Placement placed = place_bodies(scene, {{"link2", Vec3(0.5, 0, 0), Vec3(1, 1.5, 0.5)}});
  EXPECT_TRUE(placed.arrived) << placed.distance;
  for (int k = 1; k < 3; ++k) {
    const Pose& inner = body_of(placed.scene, "link" + std::to_string(k - 1)).pose;
    const Pose& outer = body_of(placed.scene, "link" + std::to_string(k)).pose;
    EXPECT_LT((inner.p + inner.q * Vec3(0.5, 0, 0) - outer.p - outer.q * Vec3(-0.5, 0, 0)).norm(), 1e-3);
  }
}

TEST(Placement, RefusesWhatIsNotThereOrCannotMove) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.bodies = {make_ground()};
  EXPECT_THROW((void)place_bodies(scene, {{"nobody", Vec3::Zero(), Vec3::Zero()}}), std::invalid_argument);
  EXPECT_THROW((void)place_bodies(scene, {{"ground", Vec3::Zero(), Vec3::Zero()}}), std::invalid_argument);
  EXPECT_THROW((void)place_bodies(scene, {}), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
