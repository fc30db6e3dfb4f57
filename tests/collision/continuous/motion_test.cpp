// Motions and the boxes that hold them.
#include "collision/continuous/motion.hpp"

#include "collision/continuous/moving.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace achilles {
namespace {

using namespace continuous_test;

TEST(Motion, CentreFollowsItsParabolaAndTheBodyTurnsAboutIt) {
  BallisticMotion motion = make_motion({1, 0, 0}, {1, 2, 3}, {0, 0, M_PI});
  motion.center = {0, 0, 0};
  motion.acceleration = {0, 0, -2};
  // After one second: half a turn about z takes (1, 0, 0) to (-1, 0, 0), the centre has gone (1, 2, 3 - 1).
  const Transform pose = compute_pose(motion, 1);
  EXPECT_NEAR((pose.p - Vec3(0, 2, 2)).norm(), 0, 1e-14);
  EXPECT_NEAR((pose.R * Vec3::UnitX() + Vec3::UnitX()).norm(), 0, 1e-14);
}

TEST(SweptBounds, HoldTheShapeAtEveryTime) {
  Draw draw(3);
  for (int i = 0; i < 200; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    BallisticMotion motion = make_motion(draw.vector(5), draw.vector(10), draw.number(0, 100) * draw.direction());
    motion.X_WG.R = draw.rotation();
    motion.center += draw.vector(0.3);
    motion.acceleration = draw.vector(50);
    const double h = draw.number(0.001, 0.5);
    const Aabb swept = compute_swept_bounds(*solid, motion, h).grown(1e-12);
    for (int k = 0; k <= 50; ++k) {
      const Aabb box = compute_bounds(*solid, compute_pose(motion, h * k / 50));
      ASSERT_TRUE((swept.lower.array() <= box.lower.array()).all()) << i;
      ASSERT_TRUE((swept.upper.array() >= box.upper.array()).all()) << i;
    }
  }
}

TEST(SweptBounds, OfAThrownBallReachFromItsLowestToItsApex) {
  // Apex v²/2g = 1.25 above the start after 0.5 s; back at the start after 1 s.
  BallisticMotion ball = make_motion({0, 0, 0}, {1, 0, 5});
  ball.acceleration = {0, 0, -10};
  const Aabb swept = compute_swept_bounds(*make_solid({Sphere{0.25}}), ball, 1);
  EXPECT_NEAR((swept.lower - Vec3(-0.25, -0.25, -0.25)).norm(), 0, 1e-12);
  EXPECT_NEAR((swept.upper - Vec3(1.25, 0.25, 1.5)).norm(), 0, 1e-12);
}

TEST(SweptBounds, OfASlowSpinAreLittleLargerThanTheShape) {
  // A box with half edges (1, 1, 1) turning by 0.01 rad: its corners, √3 out, move by at most 0.01 √3; the ball of
  // radius √3 that a fast spin would need is 0.73 larger.
  const Aabb swept =
      compute_swept_bounds(*make_solid({Box{{2, 2, 2}}}), make_motion({0, 0, 0}, {0, 0, 0}, {0, 0, 1}), 0.01);
  EXPECT_LE(swept.upper.maxCoeff(), 1 + 0.01 * std::sqrt(3.0) + 1e-12);
  EXPECT_GE(swept.upper.minCoeff(), 1);
}

TEST(SweptBounds, OfAMotionThatIsNotFiniteAreRefused) {
  const auto solid = make_solid({Sphere{0.25}});
  const Motion motion = make_motion({0, 0, 0}, {std::numeric_limits<double>::quiet_NaN(), 0, 0});
  EXPECT_THROW(static_cast<void>(make_swept_proxy({solid.get(), motion, 0, true}, 1, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
