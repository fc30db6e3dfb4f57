// What gravity and the impulses of contacts do not explain of momentum is the method's error.
#include "record/momentum_balance.hpp"

#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace achilles {
namespace {

/// A block of 8 kg that slides over ground in 200 steps of 0.005 s, told as `tell` changes its world.
template <class Tell>
MomentumBalance follow(const std::string& extra, const Tell& tell) {
  const std::string text =
      "achilles: 1\n"
      "time: {step: 0.005, duration: 1}\n"
      "materials: {default: {friction: 0.3}}\n"
      "bodies:\n"
      "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, density: 1000, position: [0, 0, 0.1], "
      "velocity: [2, 0, 0]" +
      extra + "}\n";
  Simulation simulation(parse_scene(text));
  MomentumBalance balance;
  balance.begin(simulation.world());
  for (int k = 0; k < 200; ++k) {
    EXPECT_FALSE(simulation.step().stopped);
    World world = simulation.world();
    tell(k, world);
    balance.see(world, simulation.contacts());
  }
  return balance;
}

TEST(MomentumBalance, FrictionAndTheGroundExplainASlidingBlock) {
  const MomentumBalance balance = follow("", [](int, World&) {});
  ASSERT_TRUE(balance.linear() && balance.angular());
  EXPECT_LT(*balance.linear(), 1e-12);
  EXPECT_LT(*balance.angular(), 1e-9);  // nothing turns, and the method takes positions at the start of the step
}

// 8 N s along y that nothing gave, against 16 N s at the start and 8 · 9.81 N s of gravity in one second.
TEST(MomentumBalance, AKickThatNothingGaveIsItsShareOfWhatIsInPlay) {
  const MomentumBalance balance = follow("", [](int k, World& world) {
    if (k >= 100) world.bodies.velocity[1].linear.y() += 1;
  });
  ASSERT_TRUE(balance.linear().has_value());
  EXPECT_NEAR(*balance.linear(), 8.0 / (16 + 8 * 9.81), 1e-3);
}

// Someone pulls at a corner of the block in every other step and turns it round in between.
TEST(MomentumBalance, WhatSomebodyOutsideGaveIsExplained) {
  Simulation simulation(
      parse_scene("achilles: 1\n"
                  "time: {step: 0.001, duration: 1}\n"
                  "bodies:\n"
                  "  - {name: block, shape: {box: {size: [0.2, 0.2, 0.2]}}, density: 1000, position: [3, 0, 0]}\n"));
  World& world = simulation.world();
  const BodyHandle block = world.find("block");
  MomentumBalance told, untold;
  told.begin(world);
  untold.begin(world);
  for (int k = 0; k < 200; ++k) {
    if (k % 2 == 0) world.apply_force(block, Vec3(300, 40, 100), world.bodies.position[0] + Vec3(0.1, 0.1, 0.1));
    if (k % 50 == 25) world.set_velocity(block, {-world.bodies.velocity[0].linear, Vec3(0, 0, 1)});
    told.take_given(world);
    ASSERT_FALSE(simulation.step().stopped);
    told.see(world, simulation.contacts());
    untold.see(world, simulation.contacts());
  }
  ASSERT_TRUE(told.linear() && told.angular() && untold.linear() && untold.angular());
  EXPECT_LT(*told.linear(), 1e-12);
  // x × F is taken at the start of the step, within which x moves on by h v: at 1 m/s and 3 m away by 3e-4 of it.
  EXPECT_LT(*told.angular(), 1e-3);
  EXPECT_GT(*untold.linear(), 0.1);
  EXPECT_GT(*untold.angular(), 0.1);
}

TEST(MomentumBalance, WhatLocksHoldIsLeftOut) {
  const MomentumBalance balance = follow(", lock: [y, rx, rz]", [](int k, World& world) {
    if (k >= 100) world.bodies.velocity[1].linear.y() += 1;
  });
  ASSERT_TRUE(balance.linear().has_value());
  EXPECT_LT(*balance.linear(), 1e-12);
  EXPECT_FALSE(balance.angular().has_value());
}

// Of 1,500 balls a few fall, one of them from half-way on; what gravity gives those, and no other, is their momentum.
TEST(MomentumBalance, GravityExplainsTheFewThatFallAmongManyAsleep) {
  World world;
  BodyDescription ball;
  ball.shape = {Sphere{0.5}};
  for (int k = 0; k < 1500; ++k) world.add_body(ball);
  std::fill(world.bodies.asleep.begin(), world.bodies.asleep.end(), 1);
  for (const std::size_t body : {3, 700, 701, 1499}) world.bodies.asleep[body] = 0;
  constexpr double kStep = 0.01;
  MomentumBalance balance;
  balance.begin(world);
  for (int k = 0; k < 100; ++k) {
    if (k == 50) world.bodies.asleep[1100] = 0;
    for (std::size_t body = 0; body < world.bodies.size(); ++body) {
      if (world.bodies.asleep[body] == 0) world.bodies.velocity[body].linear += kStep * world.gravity;
    }
    world.time += kStep;
    balance.see(world, {});
  }
  ASSERT_TRUE(balance.linear().has_value());
  EXPECT_LT(*balance.linear(), 1e-12);
  world.bodies.velocity[700].linear.setZero();
  balance.see(world, {});
  EXPECT_GT(*balance.linear(), 0.1);
}

}  // namespace
}  // namespace achilles
