// Few awake among many asleep: the step on the part of the world that is concerned is the step on the whole.
#include "methods/advance.hpp"
#include "methods/method_spec.hpp"
#include "support/allocations.hpp"
#include "support/scenes.hpp"
#include "world/energy.hpp"
#include "world/penetration_meter.hpp"
#include "world/world_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;

/// Stacks of two on the ground, 3 m apart, a chain that hangs, a fixed post and a ball that comes to disturb some.
Scene make_field(const std::string& method) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.method = {method, "", "", {{"sleeping", true}, {"sleep_energy", 1e-4}, {"sleep_steps", 4.0}}};
  scene.bodies = {make_ground()};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) {
      const std::string name = "box" + std::to_string(i) + std::to_string(j);
      scene.bodies.push_back(make_body(name, {Box{Vec3(1, 1, 1)}}, Vec3(3 * i, 3 * j, 0.5)));
      scene.bodies.push_back(make_body(name + "top", {Box{Vec3(1, 1, 1)}}, Vec3(3 * i, 3 * j, 1.5)));
    }
  }
  BodyDescription post = make_body("post", {Box{Vec3(0.2, 0.2, 4)}}, Vec3(1.5, 1.5, 2));
  post.kind = BodyKind::kFixed;
  scene.bodies.push_back(post);
  BodyDescription ball = make_body("ball", {Sphere{0.4}}, Vec3(-2, 0.1, 3));
  ball.velocity = Vec3(4, 1, 0);
  scene.bodies.push_back(ball);
  return scene;
}

class AwakeSet : public ::testing::TestWithParam<const char*> {};

TEST_P(AwakeSet, StepOnThePartGivesTheBitsOfTheStepOnTheWhole) {
  Scene scene = make_field(GetParam());
  Simulation simulation(scene);
  World whole(scene);
  const std::unique_ptr<Method> method = make_method(scene.method);
  int steps_on_part = 0, most_asleep = 0;
  for (int k = 0; k < 400; ++k) {
    if (k == 250) {
      simulation.world().apply_impulse(simulation.world().find("box32top"), Vec3(900, 0, 0), Vec3(9, 6, 1.5));
      whole.apply_impulse(whole.find("box32top"), Vec3(900, 0, 0), Vec3(9, 6, 1.5));
    }
    const StepReport on_part = simulation.step();
    const StepReport on_whole = advance(whole, *method, scene.step);
    ASSERT_EQ(simulation.world().state_hash(), whole.state_hash()) << "step " << k;
    ASSERT_EQ(on_part.contacts, on_whole.contacts) << "step " << k;
    ASSERT_EQ(on_part.new_contacts, on_whole.new_contacts) << "step " << k;
    ASSERT_EQ(on_part.lost_contacts, on_whole.lost_contacts) << "step " << k;
    steps_on_part += simulation.world().memory().sleep_log.reader != nullptr ? 1 : 0;
    const auto& asleep = whole.bodies.asleep;
    most_asleep = std::max(most_asleep, static_cast<int>(std::count(asleep.begin(), asleep.end(), 1)));
  }
  EXPECT_GT(steps_on_part, 100);
  EXPECT_GT(most_asleep, 30);
}

TEST_P(AwakeSet, ReportsContactsByTheNumbersOfTheWhole) {
  Scene scene = make_field(GetParam());
  Simulation simulation(scene);
  (void)run_to(simulation, 4);
  World& world = simulation.world();
  const BodyHandle box = world.find("box43");
  world.wake(world.index_of(box));
  (void)simulation.step();
  ASSERT_NE(world.memory().sleep_log.reader, nullptr);
  const auto of_box = [&](const ContactRecord& record) {
    return record.body_a == world.index_of(box) || record.body_b == world.index_of(box);
  };
  const auto contacts = simulation.contacts();
  EXPECT_TRUE(std::any_of(contacts.begin(), contacts.end(), of_box));
  Vec3 impulse = Vec3::Zero();
  for (const ContactRecord& record : contacts) {
    if (record.body_b == world.index_of(box)) impulse += record.impulse;
    if (record.body_a == world.index_of(box)) impulse -= record.impulse;
  }
  // What holds the lower box up is its weight over the step: the upper one presses as much as it is held.
  const double weight = world.bodies.mass[world.index_of(box)] * 9.81 * scene.step;
  EXPECT_NEAR(impulse.z(), weight, 0.05 * weight);
}

TEST_P(AwakeSet, CopyOfTheWorldGoesOnLikeTheOriginal) {
  Scene scene = make_field(GetParam());
  Simulation simulation(scene);
  (void)run_to(simulation, 1.5);
  const World copy = simulation.world();
  (void)run_to(simulation, 2.5);
  const std::uint64_t hash = simulation.world().state_hash();
  simulation.world() = copy;
  (void)run_to(simulation, 2.5);
  EXPECT_EQ(simulation.world().state_hash(), hash);
}

TEST_P(AwakeSet, WhatIsKeptOfSleepersIsWhatMeasuringAnewGives) {
  Simulation simulation(make_field(GetParam()));
  World& world = simulation.world();
  World saved;
  BlockRunner runner;
  EnergyMeter energy;
  std::size_t most_asleep = 0;
  for (int k = 0; k < 400; ++k) {
    if (k == 180) saved = world;
    if (k == 200) world.set_pose(world.find("box13top"), {Vec3(3, 9.2, 1.6), Quat::Identity()});
    if (k == 230) world.remove_body(world.find("box20"));
    if (k == 260) world.add_body(make_body("late", {Sphere{0.3}}, Vec3(6, 3, 3)));
    if (k == 300) {
      simulation.restore(saved);
      energy = {};
    }
    (void)simulation.step();
    const Energy measured = energy.measure(world);
    ASSERT_EQ(measured.kinetic, world.kinetic_energy()) << "step " << k;
    ASSERT_EQ(measured.potential, world.potential_energy()) << "step " << k;
    if (k % 3 != 0) continue;
    DetectWorkspace scratch;
    ASSERT_EQ(simulation.penetration(), PenetrationMeter().measure(world, runner, scratch).depth) << "step " << k;
    const auto& asleep = world.bodies.asleep;
    most_asleep = std::max(most_asleep, static_cast<std::size_t>(std::count(asleep.begin(), asleep.end(), 1)));
  }
  EXPECT_GT(most_asleep, 30U);
}

TEST_P(AwakeSet, StepAndMeasurementOfManySleepersAllocateNothing) {
  Scene scene = make_field(GetParam());
  scene.bodies.back() = make_body("ball", {Sphere{0.4}}, Vec3(-2, 0, 0.4));
  scene.bodies.back().velocity = Vec3(0, 0.5, 0);  // rolls along, far from everything
  Simulation simulation(scene);
  (void)run_to(simulation, 3);
  ASSERT_NE(simulation.world().memory().sleep_log.reader, nullptr);
  const auto step_and_measure = [&] {
    (void)simulation.step();
    (void)simulation.penetration();
  };
  for (int k = 0; k < 3; ++k) step_and_measure();
  const std::int64_t before = testing::count_allocations();
  for (int k = 0; k < 20; ++k) step_and_measure();
  EXPECT_EQ(testing::count_allocations() - before, 0);
}

TEST_P(AwakeSet, BodyThatIsAddedRemovedOrJoinedTakesPartAtOnce) {
  Scene scene = make_field(GetParam());
  Simulation simulation(scene);
  (void)run_to(simulation, 4);
  World& world = simulation.world();
  ASSERT_NE(world.memory().sleep_log.reader, nullptr);
  (void)world.add_body(make_body("late", {Sphere{0.3}}, Vec3(12, 9, 3)));
  (void)run_to(simulation, 6);
  EXPECT_NEAR(position_of(simulation, "late").z(), 2.3, 0.02);
  world.remove_body(world.find("box43"));
  (void)run_to(simulation, 8);
  EXPECT_NEAR(position_of(simulation, "box43top").z(), 0.5, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Methods, AwakeSet, ::testing::Values("lcp-fixed", "shock-propagation", "soft-step"));

}  // namespace
}  // namespace achilles
