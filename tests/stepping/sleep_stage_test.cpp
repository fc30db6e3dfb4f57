// Sleep and waking as stages: bodies at rest for a number of steps sleep, what touches them wakes them.
#include "stepping/sleep_stage.hpp"
#include "stepping/frame.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::make_ball;
using testing::make_fixed_ground;
using testing::make_scene_of;
using testing::StageFrame;

constexpr double kStep = 0.01;  // [s]
constexpr SleepOptions kSleep{.enabled = true, .energy = 1e-8, .steps = 5};
constexpr TouchSearch kSearch{0.01, StageFrame::kSlop, kStep};

void step(StageFrame& frame) {
  frame.build(kStep);
  frame.solve();
  move_bodies(frame.world, {}, NonsmoothCgOptions{}, {frame.world.time, kStep}, frame.work, frame.report);
  put_to_sleep(frame.world, kSleep, kSearch, frame.work);
}

TEST(SleepStage, PutsABallThatRestsOnTheGroundToSleepAfterItsStepsAndNoneInFlight) {
  StageFrame frame(
      make_scene_of(0, {make_fixed_ground(), make_ball("rests", Vec3(0, 0, 0.5)), make_ball("falls", Vec3(5, 0, 50))}));
  for (int k = 1; k < kSleep.steps; ++k) {
    step(frame);
    EXPECT_EQ(frame.world.bodies.asleep[1], 0) << k;
  }
  for (int k = 0; k < 2; ++k) step(frame);
  EXPECT_EQ(frame.world.bodies.asleep[1], 1);
  EXPECT_EQ(frame.world.bodies.velocity[1].linear, Vec3::Zero());
  EXPECT_EQ(frame.world.bodies.asleep[2], 0);
  // Its contact lies aside until it wakes.
  EXPECT_TRUE(frame.world.memory().contact_cache.contacts.empty());
  EXPECT_EQ(frame.world.memory().sleep.contacts[1].contacts.size(), 1U);
  frame.world.wake(1U);
  EXPECT_EQ(frame.world.memory().contact_cache.contacts.size(), 1U);
}

TEST(SleepStage, WakesWhatAnAwakeBodyWillTouchWithinTheStepAndAllWhenGravityChanges) {
  for (const double speed : {0.0, 5.0}) {
    StageFrame frame(make_scene_of(
        0, {make_fixed_ground(), make_ball("rests", Vec3(0, 0, 0.5)), make_ball("comes", Vec3(1.04, 0, 0.6))}));
    frame.world.bodies.velocity[2].linear = Vec3(-speed, 0, 0);
    frame.world.lie_down(1, 1);
    frame.world.memory().sleep.gravity = frame.world.gravity;
    // The gap is √(1.04² + 0.1²) − 1 = 45 mm, of which 5 m/s close 50 within the step.
    wake_touched(frame.world, kSleep, kSearch, frame.work);
    EXPECT_EQ(frame.world.bodies.asleep[1], speed > 0 ? 0 : 1) << speed;
  }
  StageFrame frame(make_scene_of(0, {make_fixed_ground(), make_ball("rests", Vec3(0, 0, 0.5))}));
  frame.world.lie_down(1, 1);
  frame.world.memory().sleep.gravity = frame.world.gravity;
  frame.world.gravity = Vec3(0, 0, -1);
  wake_touched(frame.world, kSleep, kSearch, frame.work);
  EXPECT_EQ(frame.world.bodies.asleep[1], 0);
}

}  // namespace
}  // namespace achilles
