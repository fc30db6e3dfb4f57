#include "world/script_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

ScriptDescription make_arc() {
  ScriptDescription script;
  script.body = "body";
  for (int k = 0; k <= 12; ++k) {
    const double angle = std::numbers::pi * k / 12;
    script.space.emplace_back(std::cos(angle), std::sin(angle), 0.1 * k * k / 12);
  }
  script.speed = {{0, 0}, {2, 3}};
  return script;
}

TEST(CubicSplines, PassThroughTheirPointsAndRepeatALine) {
  const std::vector<double> at{0, 0.5, 2, 2.3, 4};
  const std::vector<Vec3> points{Vec3(0, 1, 2), Vec3(1, -1, 0), Vec3(3, 0, 1), Vec3(2, 2, 2), Vec3(0, 0, 0)};
  const CubicSpline<Vec3> curve(at, points);
  for (std::size_t k = 0; k < at.size(); ++k) EXPECT_LT((curve.value(at[k]) - points[k]).norm(), 1e-14);
  std::vector<double> line;
  for (const double u : at) line.push_back(3 - 2 * u);
  const CubicSpline<double> straight(at, line);
  for (double u = 0; u <= 4; u += 0.1) {
    EXPECT_NEAR(straight.value(u), 3 - 2 * u, 1e-13);
    EXPECT_NEAR(straight.derivative(u), -2, 1e-13);
  }
}

// Constant speed on a curve: equal times, equal arc lengths, the ends included.
TEST(Script, ConstantSpeedHasEquidistantPositions) {
  const ScriptPath path(make_arc(), Pose{});
  const double speed = 1.5;
  const double dt = 1e-4;
  for (double t = 0; t < 2 - dt; t += 0.05) {
    // A chord is shorter than its arc by s³ κ²/24, far below the tolerance.
    EXPECT_NEAR((path.pose(t + dt).p - path.pose(t).p).norm() / dt, speed, 1e-6) << t;
  }
  EXPECT_NEAR((path.pose(2).p - path.pose(2 - dt).p).norm() / dt, speed, 1e-6);
}

TEST(Script, StandsStillBeforeItsFirstAndAfterItsLastTime) {
  const ScriptPath path(make_arc(), Pose{});
  EXPECT_EQ(path.pose(-1).p, path.pose(0).p);
  EXPECT_EQ(path.pose(5).p, path.pose(2).p);
}

// A natural spline through samples of a parabola in time: accelerated travel, exact where the data are linear.
TEST(Script, PositionIsTwiceContinuouslyDifferentiable) {
  ScriptDescription script = make_arc();
  script.speed = {{0, 0}, {0.7, 0.4}, {1.3, 1.6}, {2, 2.5}};
  const ScriptPath path(script, Pose{});
  // Jumps of the second difference across a knot vanish with the step.
  const auto bend = [&](double t, double h) {
    return Vec3((path.pose(t + h).p - 2 * path.pose(t).p + path.pose(t - h).p) / (h * h));
  };
  for (const double knot : {0.7, 1.3}) {
    const double coarse = (bend(knot + 2e-2, 1e-3) - bend(knot - 2e-2, 1e-3)).norm();
    const double fine = (bend(knot + 2e-3, 1e-3) - bend(knot - 2e-3, 1e-3)).norm();
    EXPECT_LT(fine, 0.3 * coarse + 1e-4) << knot;
  }
}

TEST(RotationSpline, PassesThroughItsKeys) {
  const std::vector<double> times{0, 0.4, 1.5, 2, 3};
  std::vector<Quat> keys;
  for (int k = 0; k < 5; ++k) keys.push_back(Quat(1 + 0.1 * k, 0.3 * k, -0.2 * k * k, 0.5 - 0.1 * k).normalized());
  const RotationSpline spline(times, keys);
  for (std::size_t k = 0; k < keys.size(); ++k) EXPECT_LT(spline.value(times[k]).angularDistance(keys[k]), 1e-10) << k;
}

// Keys of a constant spin give that spin everywhere, also beyond half a turn and at the ends.
TEST(RotationSpline, KeysOfAConstantSpinGiveThatSpin) {
  const Vec3 spin(0, 0, 2);
  std::vector<double> times;
  std::vector<Quat> keys;
  for (int k = 0; k <= 40; ++k) {
    times.push_back(0.5 * k);
    keys.emplace_back(Eigen::AngleAxisd(spin.norm() * times.back(), spin.normalized()));
  }
  const RotationSpline spline(times, keys);
  const double dt = 1e-3;
  for (double t = 0; t < 20 - dt; t += 0.173) {
    EXPECT_NEAR(spline.value(t).angularDistance(spline.value(t + dt)) / dt, 2, 1e-9) << t;
  }
}

// Twice continuously differentiable: the second difference of the rotation does not jump at a key.
TEST(RotationSpline, SpinAndItsRateAreContinuous) {
  const std::vector<double> times{0, 1, 2, 3, 4};
  std::vector<Quat> keys;
  for (int k = 0; k < 5; ++k) keys.push_back(Quat(1, 0.4 * k, 0.2 * k * k, -0.3 * k).normalized());
  const RotationSpline spline(times, keys);
  const auto spin = [&](double t, double h) {
    const Quat turn = spline.value(t + h) * spline.value(t - h).conjugate();
    return Vec3((turn.w() < 0 ? -1.0 : 1.0) * turn.vec() / h);
  };
  const auto rate = [&](double t) { return Vec3((spin(t + 1e-3, 1e-3) - spin(t - 1e-3, 1e-3)) / 2e-3); };
  for (const double knot : {1.0, 2.0, 3.0}) {
    const double coarse = (rate(knot + 4e-2) - rate(knot - 4e-2)).norm();
    const double fine = (rate(knot + 4e-3) - rate(knot - 4e-3)).norm();
    EXPECT_LT(fine, 0.2 * coarse + 1e-3) << knot;
  }
}

}  // namespace
}  // namespace achilles
