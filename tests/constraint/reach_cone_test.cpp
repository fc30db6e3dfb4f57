#include "constraint/reach_cone.hpp"

#include "math/tangents.hpp"
#include "support/draw.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::Draw;

ReachConeFrame draw_frame(Draw& draw) {
  ReachConeFrame frame;
  frame.axis = draw.direction();
  frame.side = make_tangents(frame.axis).first;
  frame.limb = draw.direction();
  frame.limb_side = make_tangents(frame.limb).first;
  frame.half_angles = {draw.number(0.2, 2.5), draw.number(0.2, 2.5)};
  return frame;
}

// Both rates are the derivatives of the coordinates while b turns with ω: central differences with an error of ε².
TEST(ReachCone, RatesAreTheDerivativesOfSwingAndTwist) {
  constexpr double kEpsilon = 1e-5;
  Draw draw(1);
  for (int i = 0; i < 500; ++i) {
    const ReachConeFrame frame = draw_frame(draw);
    if (frame.axis.dot(frame.limb) < -0.9) continue;  // the twist turns fast near θ = π
    const Vec3 w = draw.vector(1);
    const auto turned = [&](double time) {
      ReachConeFrame moved = frame;
      const Quat q(Eigen::AngleAxisd(time * w.norm(), w.normalized()));
      moved.limb = q * frame.limb;
      moved.limb_side = q * frame.limb_side;
      return measure_reach(moved);
    };
    const ReachConeCoordinates before = turned(-kEpsilon), now = measure_reach(frame), after = turned(kEpsilon);
    const double scale = 1 + 1 / std::min(frame.half_angles[0], frame.half_angles[1]);
    EXPECT_NEAR((after.swing - before.swing) / (2 * kEpsilon), now.swing_rate.dot(w), 1e-6 * scale * scale) << i;
    const double way = std::remainder(after.twist - before.twist, 2 * M_PI);
    EXPECT_NEAR(way / (2 * kEpsilon), now.twist_rate.dot(w), 1e-6) << i;
  }
}

// A limb tilted by α₁ toward the side, or by α₂ across it, is on the boundary, where swing is the larger of both.
TEST(ReachCone, BoundaryIsAnEllipseOfItsHalfAngles) {
  ReachConeFrame frame;
  frame.half_angles = {0.3, 1.1};
  const auto tilt = [&](double angle, double phi) {
    ReachConeFrame tilted = frame;
    const Vec3 e = Vec3(-std::sin(phi), std::cos(phi), 0);
    const Quat q(Eigen::AngleAxisd(angle, e));
    tilted.limb = q * frame.axis;
    tilted.limb_side = q * frame.side;
    return measure_reach(tilted);
  };
  EXPECT_NEAR(tilt(0.3, 0).swing, 1.1, 1e-12);
  EXPECT_NEAR(tilt(1.1, 0.5 * M_PI).swing, 1.1, 1e-12);
  for (double phi = 0; phi < 6; phi += 0.1) {
    const double boundary = 1 / std::hypot(std::cos(phi) / 0.3, std::sin(phi) / 1.1);
    EXPECT_NEAR(tilt(boundary, phi).swing, 1.1, 1e-12) << phi;
    EXPECT_NEAR(tilt(boundary, phi).twist, 0, 1e-12) << phi;
    EXPECT_LT(tilt(0.99 * boundary, phi).swing, 1.1) << phi;
  }
}

// A turn about the limb, wherever it points, is twist alone.
TEST(ReachCone, TurnAboutTheLimbIsTwistAlone) {
  Draw draw(2);
  for (int i = 0; i < 100; ++i) {
    ReachConeFrame frame = draw_frame(draw);
    frame.limb_side = Quat::FromTwoVectors(frame.axis, frame.limb) * frame.side;
    const ReachConeCoordinates start = measure_reach(frame);
    const double angle = draw.number(-3, 3);
    frame.limb_side = Eigen::AngleAxisd(angle, frame.limb) * frame.limb_side;
    const ReachConeCoordinates turned = measure_reach(frame);
    EXPECT_NEAR(start.twist, 0, 1e-12);
    EXPECT_NEAR(turned.twist, angle, 1e-12);
    EXPECT_NEAR(turned.swing, start.swing, 1e-12);
    EXPECT_NEAR(turned.swing_rate.dot(frame.limb), 0, 1e-10);
    EXPECT_NEAR(turned.twist_rate.dot(frame.limb), 1, 1e-12);
  }
}

}  // namespace
}  // namespace achilles
