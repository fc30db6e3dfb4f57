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

// Out and back on a line: the curve has no direction where it turns [Erleben04, eq. 3.48], and rounding must not choose
// one. The velocity is interpolated between both sides [sec. 3.3], which are opposite.
TEST(Script, TurningBackOnALineHasTheVelocityBetweenBothSides) {
  ScriptDescription script;
  script.space = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 0)};
  script.speed = {{0, 0}, {2, 4}};
  // By symmetry the spline turns at its middle knot, half its length along; the speed is 2 m/s.
  const double turn = ArcLengthCurve(script.space).length() / 2 / 2;
  const ScriptPath path(script, Pose{});
  for (const double off : {0.0, 1e-16, -1e-16, 1e-14, -1e-14}) {
    EXPECT_LT(path.motion(turn + off).velocity.norm(), 1e-6) << off;
  }
  EXPECT_NEAR(path.motion(turn - 1e-3).velocity.x(), 2, 1e-9);
  EXPECT_NEAR(path.motion(turn + 1e-3).velocity.x(), -2, 1e-9);
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

/// d/dt (r, v) = (v, a), [Erleben04, eq. 3.49], by the classical Runge-Kutta method.
template <class Rate>
Vec3 integrate_twice(Vec3 r, Vec3 v, const Rate& rate, double from, double to, int steps) {
  const double h = (to - from) / steps;
  for (int k = 0; k < steps; ++k) {
    const double t = from + k * h;
    const Vec3 a0 = rate(t), a1 = rate(t + 0.5 * h), a2 = rate(t + h);
    r += h * v + h * h / 6 * (a0 + 2 * a1);
    v += h / 6 * (a0 + 4 * a1 + a2);
  }
  return r;
}

// [Erleben04, sec. 3.5, eq. 3.49]: the scripted acceleration, integrated twice, gives the scripted position.
TEST(Script, IntegratedAccelerationReproducesThePosition) {
  ScriptDescription script = make_arc();
  script.speed = {{0, 0}, {0.7, 0.4}, {1.3, 1.6}, {2, 2.5}};
  const ScriptPath path(script, Pose{});
  const ScriptMotion start = path.motion(0);
  for (const double t : {0.5, 1.1, 1.7, 2.0}) {
    const Vec3 there = integrate_twice(
        start.pose.p, start.velocity, [&](double at) { return path.motion(at).acceleration; }, 0, t, 4000);
    EXPECT_LT((there - path.pose(t).p).norm(), 1e-6) << t;
  }
}

// Velocity and acceleration are the derivatives of the position: central differences agree to their own error.
TEST(Script, VelocityAndAccelerationAreTheDerivativesOfThePosition) {
  ScriptDescription script = make_arc();
  script.speed = {{0, 0}, {0.7, 0.4}, {1.3, 1.6}, {2, 2.5}};
  const ScriptPath path(script, Pose{});
  const double h = 1e-4;
  for (double t = 0.05; t < 2; t += 0.083) {
    const ScriptMotion now = path.motion(t);
    const Vec3 after = path.pose(t + h).p, before = path.pose(t - h).p;
    EXPECT_LT((now.velocity - (after - before) / (2 * h)).norm(), 1e-6) << t;
    EXPECT_LT((now.acceleration - (path.motion(t + h).velocity - path.motion(t - h).velocity) / (2 * h)).norm(), 1e-4)
        << t;
  }
  EXPECT_TRUE(path.motion(-1).velocity.isZero(0));
  EXPECT_TRUE(path.motion(3).acceleration.isZero(0));
}

// Points on top of each other, a way there and back on the same line, and a speed that asks for more than the whole
// way.
TEST(Script, DegenerateScriptsStayFinite) {
  ScriptDescription script;
  script.body = "body";
  script.space = {Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 0)};
  script.speed = {{0, 0}, {1, 1}, {2, 50}};
  const ScriptPath path(script, Pose{});
  for (double t = -0.1; t < 2.1; t += 0.01) {
    const ScriptMotion motion = path.motion(t);
    ASSERT_TRUE(motion.pose.p.allFinite() && motion.velocity.allFinite() && motion.acceleration.allFinite()) << t;
  }
  EXPECT_LT(path.pose(2).p.norm(), 1e-9);
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

// dω/dt = α and dq/dt = ½ ω q, integrated, give the scripted orientation.
TEST(RotationSpline, IntegratedAngularAccelerationReproducesTheOrientation) {
  const std::vector<double> times{0, 0.8, 2, 3, 4};
  std::vector<Quat> keys;
  for (int k = 0; k < 5; ++k) keys.push_back(Quat(1, 0.4 * k, 0.2 * k * k, -0.3 * k).normalized());
  const RotationSpline spline(times, keys);
  Quat q = spline.value(0);
  Vec3 w = spline.motion(0).spin;
  const int steps = 20000;
  const double h = 4.0 / steps;
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    const Vec3 a0 = spline.motion(t).acceleration, a1 = spline.motion(t + 0.5 * h).acceleration,
               a2 = spline.motion(t + h).acceleration;
    const Vec3 mean = w + h / 6 * (a0 + 2 * a1);  // of the spin over the step, to third order
    const double angle = h * mean.norm();
    if (angle > 0) q = Quat(Eigen::AngleAxisd(angle, mean.normalized())) * q;
    w += h / 6 * (a0 + 4 * a1 + a2);
    if (k % 1000 == 999) {
      ASSERT_LT(q.angularDistance(spline.value(t + h)), 1e-6) << t;
      ASSERT_LT((w - spline.motion(t + h).spin).norm(), 1e-6) << t;
    }
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
