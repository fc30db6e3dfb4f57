// Impacts at one frozen instant: rows, law, records.
#include "stepping/touch_stage.hpp"

#include "stepping/frame.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::make_ball;
using testing::make_scene_of;
using testing::StageFrame;

/// Two balls of 2 kg in touch, frictionless; the left one goes right at 3 m/s.
StageFrame make_head_on(double restitution, double speed) {
  Scene scene = make_scene_of(restitution,
                              {make_ball("left", Vec3(0, 0, 0), Vec3(speed, 0, 0)), make_ball("right", Vec3(1, 0, 0))});
  scene.gravity = Vec3::Zero();
  scene.materials[0].law.friction = 0;
  StageFrame frame(scene);
  prepare_bodies(frame.world, {0, 0.01}, frame.work);
  find_contacts(frame.world, 1e-6, 0, frame.work);
  return frame;
}

// v_right = (1 + e) v / 2, the impulse is m times that.
TEST(TouchStage, EqualBallsHeadOnPartAsRestitutionHasIt) {
  for (const double e : {0.0, 0.5, 1.0}) {
    StageFrame frame = make_head_on(e, 3);
    (void)build_touch_rows(frame.world, {}, frame.work);
    EXPECT_TRUE(has_approach(frame.world, {}, false, frame.work));
    resolve_touch_impact(frame.world, NewtonLaw{}, frame.work, frame.report);
    EXPECT_FALSE(frame.report.stopped);
    EXPECT_NEAR(frame.world.bodies.velocity[0].linear.x(), 1.5 * (1 - e), 1e-12) << e;
    EXPECT_NEAR(frame.world.bodies.velocity[1].linear.x(), 1.5 * (1 + e), 1e-12) << e;
    ASSERT_EQ(frame.work.records.size(), 1U);
    EXPECT_NEAR(frame.work.records[0].impulse.x(), 2 * 1.5 * (1 + e), 1e-12) << e;
    EXPECT_FALSE(has_approach(frame.world, {}, false, frame.work));
  }
}

// Below the rest speed restitution is none; the energy given up is ½ (e v)² over the effective mass, here 1 kg.
TEST(TouchStage, SlowApproachesDoNotBounceAndTheEnergyTheyGiveUpIsCounted) {
  StageFrame frame = make_head_on(0.5, 0.2);
  const double given_up = build_touch_rows(frame.world, {.rest_speed = 0.3}, frame.work);
  EXPECT_NEAR(given_up, 0.5 * 0.1 * 0.1 * 1, 1e-12);
  EXPECT_FALSE(has_approach(frame.world, {.rest_speed = 0.3}, true, frame.work));
  resolve_touch_impact(frame.world, NewtonLaw{}, frame.work, frame.report);
  EXPECT_NEAR(frame.world.bodies.velocity[1].linear.x(), 0.1, 1e-12);
}

}  // namespace
}  // namespace achilles
