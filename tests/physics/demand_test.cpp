// Collision detection on demand [Erleben04, sec. 2.2.3]: parts of a step of `lcp-fixed`.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::velocity_of;

constexpr double kGravity = 9.81;

Scene with_parts(Scene scene, const std::string& detection, double parts) {
  scene.method.options["substeps"] = parts;
  scene.method.options["detection"] = detection;
  return scene;
}

Scene make_mixed_scene() {
  Scene scene = make_scene(0.01, 0.3, 0.4);
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.2}}, Vec3(0, 0, 0.7)),
                  make_body("box", {Box{Vec3(0.5, 0.5, 0.5)}}, Vec3(1, 0, 0.25)),
                  make_body("top", {Box{Vec3(0.4, 0.3, 0.2)}}, Vec3(1.1, 0, 0.65))};
  scene.bodies[1].velocity = Vec3(1, 0.2, 0);
  scene.bodies[2].velocity = Vec3(-2, 0, 0);
  return scene;
}

// Everything found anew in each of four parts is four steps of a quarter, bit for bit.
TEST(Demand, EagerPartsAreSmallerSteps) {
  Scene small = make_mixed_scene();
  small.step = 0.0025;
  Simulation parts(with_parts(make_mixed_scene(), "eager", 4)), steps(small);
  for (int frame = 0; frame < 60; ++frame) {
    (void)parts.step();
    for (int k = 0; k < 4; ++k) (void)steps.step();
    for (std::size_t i = 0; i < parts.world().bodies.size(); ++i) {
      ASSERT_EQ(parts.world().bodies.position[i], steps.world().bodies.position[i]) << frame;
      ASSERT_EQ(parts.world().bodies.velocity[i].linear, steps.world().bodies.velocity[i].linear) << frame;
    }
  }
}

/// How far a ball that leaves a table 0.02 s into a frame of 0.1 s has fallen at the end of the frame.
double fall_behind_edge(const std::string& detection) {
  Scene scene = make_scene(0.1, 0, 0);
  BodyDescription table = make_body("table", {Box{Vec3(4, 4, 1)}}, Vec3(-2, 0, -0.5));
  table.kind = BodyKind::kFixed;
  scene.bodies = {table, make_body("ball", {Sphere{0.1}}, Vec3(-0.2, 0, 0.1))};
  scene.bodies[1].velocity = Vec3(10, 0, 0);
  Simulation simulation(with_parts(scene, detection, 20));
  (void)simulation.step();
  EXPECT_NEAR(position_of(simulation, "ball").x(), 0.8, 0.01);
  return 0.1 - position_of(simulation, "ball").z();
}

// "Road-runner physics": the table goes on to carry a ball that has left it, until contacts are found again. What has
// fallen for 0.08 s has fallen ½ g t² = 31 mm, within a part of 5 ms at its end's speed.
TEST(Demand, OnlyEagerDetectionLetsABallFallAtTheEdgeOfATable) {
  EXPECT_NEAR(fall_behind_edge("eager"), 0.5 * kGravity * 0.08 * 0.08, kGravity * 0.08 * 0.005);
  EXPECT_NEAR(fall_behind_edge("moderate"), 0, 1e-9);
  EXPECT_NEAR(fall_behind_edge("lazy"), 0, 1e-9);
}

// A stack at rest has the same forces in every part: m g h per frame in the records, whatever is found anew.
TEST(Demand, WhatRestsStaysAndItsImpulsesCarryItsWeight) {
  for (const char* detection : {"eager", "moderate", "lazy"}) {
    Scene scene = make_scene(0.01, 0.5, 0);
    scene.bodies = {make_ground(), make_body("low", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5)),
                    make_body("high", {Box{Vec3(1, 1, 1)}}, Vec3(0.1, 0, 1.5))};
    Simulation simulation(with_parts(scene, detection, 4));
    for (int frame = 0; frame < 100; ++frame) ASSERT_FALSE(simulation.step().stopped);
    EXPECT_NEAR(position_of(simulation, "high").z(), 1.5, 1e-6) << detection;
    EXPECT_NEAR(position_of(simulation, "high").x(), 0.1, 1e-6) << detection;
    double carried = 0;
    for (const ContactRecord& record : simulation.contacts()) {
      const std::uint32_t ground = simulation.world().index_of(simulation.world().find("ground"));
      if (record.body_a == ground) carried += record.impulse.z();
    }
    const double weight = simulation.world().bodies.mass[1] + simulation.world().bodies.mass[2];
    EXPECT_NEAR(carried, weight * kGravity * 0.01, 1e-6 * weight) << detection;
  }
}

// The impulse that stops a falling ball is a collision, not a force: repeated, it would throw the ball up.
TEST(Demand, LazyPartsDoNotRepeatACollision) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.2}}, Vec3(0, 0, 0.2005))};
  scene.bodies[1].velocity = Vec3(0, 0, -1);
  Simulation simulation(with_parts(scene, "lazy", 5));
  (void)simulation.step();
  EXPECT_LE(velocity_of(simulation, "ball").linear.z(), 1e-12);
  EXPECT_GE(velocity_of(simulation, "ball").linear.z(), -kGravity * 0.01);
}

}  // namespace
}  // namespace achilles
