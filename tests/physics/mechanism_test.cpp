// Mechanisms against closed forms and against integrations of their own equations of motion.
#include "support/full_size.hpp"
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_ground;
using testing::make_joint;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81;

void let_pass_through_each_other(Scene& scene) {
  for (BodyDescription& body : scene.bodies) body.group = "mechanism";
  scene.rules = {{"mechanism", "mechanism"}};
}

/// Two equal balls of mass 1 and inertia i on massless rods of 1 m, angles from the vertical, both hinged to turn with
/// their rods:  d/dt of the Lagrangian
///   L = ½(2 + i) a'² + ½(1 + i) b'² + a' b' cos(a − b) + 2 g cos a + g cos b.
struct DoublePendulum {
  double inertia = 0;
  using State = std::array<double, 4>;  // a, b, a', b'

  [[nodiscard]] State rate(const State& s) const {
    const double c = std::cos(s[0] - s[1]), d = std::sin(s[0] - s[1]);
    const double m11 = 2 + inertia, m22 = 1 + inertia;
    const double r1 = -s[3] * s[3] * d - 2 * kGravity * std::sin(s[0]);
    const double r2 = s[2] * s[2] * d - kGravity * std::sin(s[1]);
    const double det = m11 * m22 - c * c;
    return {s[2], s[3], (m22 * r1 - c * r2) / det, (m11 * r2 - c * r1) / det};
  }

  /// Runge-Kutta of fourth order with steps so small that its error is below 1e-10.
  [[nodiscard]] State integrate(State s, double time) const {
    const int steps = 20000;
    const double h = time / steps;
    const auto along = [](const State& x, const State& k, double t) {
      State y;
      for (std::size_t i = 0; i < 4; ++i) y[i] = x[i] + t * k[i];
      return y;
    };
    for (int n = 0; n < steps; ++n) {
      const State k1 = rate(s), k2 = rate(along(s, k1, h / 2)), k3 = rate(along(s, k2, h / 2)),
                  k4 = rate(along(s, k3, h));
      for (std::size_t i = 0; i < 4; ++i) s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    return s;
  }
};

TEST(Mechanism, DoublePendulumConvergesToItsEquationsOfMotionWithFirstOrder) {
  const double a = 1.0, b = 1.6, time = 1;
  const double radius = 0.1;
  const DoublePendulum model{0.4 * radius * radius};
  const DoublePendulum::State end = model.integrate({a, b, 0, 0}, time);
  const Vec3 expected(std::sin(end[0]) + std::sin(end[1]), 0, -std::cos(end[0]) - std::cos(end[1]));
  double errors[3];
  for (int k = 0; k < 3; ++k) {
    Scene scene = make_scene(0.002 / (1 << k), 0, 0);
    const Vec3 upper(std::sin(a), 0, -std::cos(a));
    BodyDescription first = make_body("first", {Sphere{radius}}, upper);
    BodyDescription second = make_body("second", {Sphere{radius}}, upper + Vec3(std::sin(b), 0, -std::cos(b)));
    first.mass = second.mass = 1;
    scene.bodies = {make_anchor(), first, second};
    scene.joints = {make_joint(JointKind::kHinge, "anchor", "first", Vec3::Zero(), {Vec3::UnitY()}),
                    make_joint(JointKind::kHinge, "first", "second", upper, {Vec3::UnitY()})};
    let_pass_through_each_other(scene);
    Simulation simulation(scene);
    run_to(simulation, time);
    errors[k] = (position_of(simulation, "second") - expected).norm();
  }
  std::printf("double pendulum after 1 s: errors %.2e %.2e %.2e m at h = 2, 1, 0.5 ms\n", errors[0], errors[1],
              errors[2]);
  EXPECT_LT(errors[2], 0.01);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.25);
}

/// A top held at its tip, its axis horizontal, started on its steady precession at `rate`; where its centre is a
/// quarter of a turn later, seen from where it should be.
Vec3 measure_top_error(double step, double spin, double rate) {
  const double arm = 0.3;
  Scene scene = make_scene(step, 0, 0);
  BodyDescription top = make_body("top", {Sphere{0.05}}, Vec3(arm, 0, 0));
  top.mass = 2;
  top.inertia = Vec3(0.01, 0.02, 0.02).asDiagonal();
  top.spin = Vec3(spin, 0, rate);
  top.velocity = Vec3(0, rate * arm, 0);
  scene.bodies = {make_anchor(), top};
  scene.joints = {make_joint(JointKind::kBall, "anchor", "top", Vec3::Zero())};
  let_pass_through_each_other(scene);
  Simulation simulation(scene);
  run_to(simulation, 0.5 * std::numbers::pi / rate);
  const double angle = rate * simulation.world().time;
  return position_of(simulation, "top") - arm * Vec3(std::cos(angle), std::sin(angle), 0);
}

// With the axis horizontal the angular momentum about the tip is C s along it and a constant upwards, so that the
// weight's torque m g l turns it at Ω = m g l / (C s) exactly, without nutation.
TEST(Mechanism, HorizontalTopPrecessesAtTheRateOfItsWeightOverItsSpinWithFirstOrder) {
  const double spin = 100;
  const double rate = 2 * kGravity * 0.3 / (0.01 * spin);
  double errors[3];
  for (int k = 0; k < 3; ++k) errors[k] = measure_top_error(0.0002 / (1 << k), spin, rate).norm();
  std::printf("top, a quarter turn of precession: errors %.2e %.2e %.2e m at h = 0.2, 0.1, 0.05 ms\n", errors[0],
              errors[1], errors[2]);
  EXPECT_LT(errors[2], 0.01 * 0.3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.25);
}

// Crank r, rod l, slider on the x axis: x = r cos φ + √(l² − r² sin² φ). The motor turns the crank evenly.
TEST(Mechanism, SliderCrankFollowsItsClosedForm) {
  const double r = 0.3, l = 1, speed = 3;
  Scene scene = make_scene(0.0005, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.bodies = {make_anchor(), make_body("crank", {Sphere{0.1}}, Vec3::Zero()),
                  make_body("rod", {Box{Vec3(l, 0.05, 0.05)}}, Vec3(r + l / 2, 0, 0)),
                  make_body("slider", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(r + l, 0, 0))};
  JointDescription motor = make_joint(JointKind::kHinge, "anchor", "crank", Vec3::Zero(), {Vec3::UnitY()});
  motor.axes[0].motor_speed = -speed;
  motor.axes[0].motor_max = 1e6;
  scene.joints = {motor, make_joint(JointKind::kHinge, "crank", "rod", Vec3(r, 0, 0), {Vec3::UnitY()}),
                  make_joint(JointKind::kHinge, "rod", "slider", Vec3(r + l, 0, 0), {Vec3::UnitY()}),
                  make_joint(JointKind::kSlider, "anchor", "slider", Vec3(r + l, 0, 0), {Vec3::UnitX()})};
  let_pass_through_each_other(scene);
  Simulation simulation(scene);
  double worst = 0;
  for (int k = 0; k < 4500; ++k) {
    const StepReport report = simulation.step();
    ASSERT_LT(report.joint_error, 1e-6);
    const double angle = simulation.world().joint_states[0].position[0];
    const double x = r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2));
    worst = std::max(worst, std::abs(position_of(simulation, "slider").x() - x));
  }
  std::printf("slider-crank: two turns, largest error %.1e m\n", worst);
  EXPECT_LT(worst, 1e-6);
  EXPECT_NEAR(simulation.world().joint_states[0].position[0], -speed * simulation.world().time, 0.01);
}

// Four wheels that roll without slip on a slope: the car runs with g sin θ M / (M + 4 I / r²), M with the wheels.
TEST(Mechanism, CarRollsDownTheSlopeWithTheInertiaOfItsWheels) {
  const double angle = 0.2, r = 0.3, chassis_mass = 100, wheel_mass = 10;
  const Vec3 normal(std::sin(angle), 0, std::cos(angle)), down(std::cos(angle), 0, -std::sin(angle));
  const Quat slope = Quat::FromTwoVectors(Vec3::UnitZ(), normal);
  Scene scene = make_scene(0.002, 0.9, 0);
  BodyDescription chassis = make_body("chassis", {Box{Vec3(2, 1, 0.3)}}, slope * Vec3(0, 0, 0.5));
  chassis.mass = chassis_mass;
  chassis.pose.q = slope;
  scene.bodies = {make_ground(normal), chassis};
  for (int k = 0; k < 4; ++k) {
    const std::string name = "wheel" + std::to_string(k);
    const Vec3 at = slope * Vec3(k < 2 ? 0.8 : -0.8, k % 2 == 0 ? 0.7 : -0.7, r);
    BodyDescription wheel = make_body(name, {Sphere{r}}, at);
    wheel.mass = wheel_mass;
    scene.bodies.push_back(wheel);
    // First axis: steering and suspension, held straight; second: the axle.
    JointDescription joint =
        make_joint(JointKind::kHinge2, "chassis", name, at, {slope * Vec3::UnitZ(), slope * Vec3::UnitY()});
    joint.axes[0].limits = {0, 0};
    scene.joints.push_back(joint);
  }
  Simulation simulation(scene);
  double error = 0;
  while (simulation.world().time < 1 - 1e-9) error = std::max(error, simulation.step().joint_error);
  const double mass = chassis_mass + 4 * wheel_mass;
  const double rolling = 4 * 0.4 * wheel_mass;  // 4 I / r² of solid balls
  const double expected = kGravity * std::sin(angle) * mass / (mass + rolling);
  const double speed = velocity_of(simulation, "chassis").linear.dot(down);
  std::printf("car: %.4f m/s after 1 s, closed form %.4f, joint error %.1e m\n", speed, expected, error);
  EXPECT_NEAR(speed, expected, 0.01 * expected);
  EXPECT_LT(error, 1e-5);
  for (int k = 0; k < 4; ++k) {
    const std::string name = "wheel" + std::to_string(k);
    EXPECT_NEAR(velocity_of(simulation, name).angular.dot(slope * Vec3::UnitY()), speed / r, 0.01 * speed / r);
  }
}

// Fifty links of 1 kg with a ball of 1000 kg at the end, let go at half a radian: what ruins sweeps does not touch a
// direct solver. The step resolves the links' swinging under the weight, ω = 2 √(m_weight g / (m_link l)) = 630 rad/s:
// directions are those of the beginning of the step, which is stable for h ω < 2.
TEST(Mechanism, ChainOfFiftyLinksWithAThousandfoldWeightStaysTogether) {
  for (const char* solver : {"newton", "dantzig", "lemke"}) {
    const int links = 50;
    const double length = 0.1;
    const Vec3 along(std::sin(0.5), 0, -std::cos(0.5));
    Scene scene = make_scene(0.002, 0, 0);
    scene.method.solver = solver;
    scene.method.options["eliminate_joints"] = false;
    scene.bodies = {make_anchor()};
    std::string last = "anchor";
    for (int k = 0; k < links; ++k) {
      const std::string name = "link" + std::to_string(k);
      BodyDescription link = make_body(name, {Capsule{0.02, length - 0.04}}, length * (k + 0.5) * along);
      link.pose.q = Quat::FromTwoVectors(Vec3::UnitZ(), along);
      link.mass = 1;
      scene.bodies.push_back(link);
      scene.joints.push_back(make_joint(JointKind::kBall, last, name, length * k * along));
      last = name;
    }
    BodyDescription weight = make_body("weight", {Sphere{0.3}}, (length * links + 0.3) * along);
    weight.mass = 1000;
    scene.bodies.push_back(weight);
    scene.joints.push_back(make_joint(JointKind::kBall, last, "weight", length * links * along));
    let_pass_through_each_other(scene);
    Simulation simulation(scene);
    double worst = 0;
    const double duration = is_full() ? 60 : 0.5;
    while (simulation.world().time < duration - 1e-9) {
      const StepReport report = simulation.step();
      ASSERT_FALSE(report.stopped) << solver;
      worst = std::max(worst, report.joint_error);
    }
    std::printf("chain, %s: joint error <= %.1e m over %.1f s\n", solver, worst, duration);
    EXPECT_LT(worst, 1e-5) << solver;
    EXPECT_FALSE(simulation.world().first_not_finite());
  }
}

/// Angle between the slip of a block pushed along `direction` on a plane and the friction it feels, worst over all
/// directions, with a polygon of so many corners.
double worst_friction_angle(int facets) {
  double worst = 0;
  for (int k = 0; k < 24; ++k) {
    const double direction = 2 * std::numbers::pi * (k + 0.37) / 24;
    Scene scene = make_scene(0.001, 0.3, 0);
    scene.method.solver = "lemke";
    scene.method.options["facets"] = static_cast<double>(facets);
    BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1));
    ball.velocity = Vec3(std::cos(direction), std::sin(direction), 0);
    ball.locks.bits = Locks::kRx | Locks::kRy | Locks::kRz;
    scene.bodies = {make_ground(), ball};
    Simulation simulation(scene);
    (void)simulation.step();
    const Vec3 change = velocity_of(simulation, "ball").linear - ball.velocity;
    worst = std::max(worst, std::acos(std::clamp(-change.dot(ball.velocity) / change.norm(), -1.0, 1.0)));
  }
  return worst;
}

// A polygon's friction points to the nearest corner: at most π/n away from the slip.
TEST(FrictionPyramid, DirectionErrorIsAtMostHalfTheAngleBetweenCornersAndSoConverges) {
  for (const int facets : {4, 8, 16, 32, 64}) {
    const double worst = worst_friction_angle(facets);
    std::printf("%2d facets: direction error %.4f rad, bound %.4f\n", facets, worst, std::numbers::pi / facets);
    EXPECT_LE(worst, std::numbers::pi / facets + 1e-9);
    EXPECT_GE(worst, 0.3 * std::numbers::pi / facets);
  }
}

}  // namespace
}  // namespace achilles
