#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81;

JointAxis make_axis(const Vec3& direction) {
  JointAxis axis;
  axis.axis = direction;
  return axis;
}

/// A ball of radius 0.1 on a massless rod of 1 m, let go at an angle from the vertical, in the plane y = 0.
Scene make_pendulum(double angle, double step) {
  Scene scene = make_scene(step, 0, 0);
  BodyDescription bob = make_body("bob", {Sphere{0.1}}, Vec3(std::sin(angle), 0, -std::cos(angle)));
  bob.mass = 2;
  scene.bodies = {make_anchor(), bob};
  JointDescription joint = make_joint(JointKind::kHinge, "anchor", "bob", Vec3::Zero());
  joint.axes = {make_axis(Vec3::UnitY())};
  scene.joints = {joint};
  return scene;
}

/// Time of the first passage through the vertical, between two steps by linear interpolation.
double measure_quarter_period(Simulation& simulation) {
  double x_before = position_of(simulation, "bob").x();
  double t_before = 0;
  for (;;) {
    (void)simulation.step();
    const double x = position_of(simulation, "bob").x();
    const double t = simulation.world().time;
    if (x <= 0) return t_before + (t - t_before) * x_before / (x_before - x);
    x_before = x;
    t_before = t;
  }
}

// T/4 = √(I/(m g l)) K(sin(θ₀/2)), with I about the pivot. The method is of first order.
TEST(Pendulum, PeriodConvergesToTheEllipticIntegralWithFirstOrder) {
  const double angle = 1.0;
  const double inertia = 1 + 0.4 * 0.1 * 0.1;
  const double expected = std::sqrt(inertia / kGravity) * std::comp_ellint_1(std::sin(angle / 2));
  double errors[3];
  for (int k = 0; k < 3; ++k) {
    Simulation simulation(make_pendulum(angle, 0.004 / (1 << k)));
    errors[k] = std::abs(measure_quarter_period(simulation) - expected);
  }
  std::printf("pendulum, a quarter period: errors %.2e %.2e %.2e s at h = 4, 2, 1 ms\n", errors[0], errors[1],
              errors[2]);
  EXPECT_LT(errors[2], 1e-3 * expected);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1, 0.15);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.15);
}

TEST(Pendulum, RodKeepsItsLengthAndEnergyDoesNotGrow) {
  Simulation simulation(make_pendulum(2.5, 0.005));
  const double energy = simulation.world().kinetic_energy() + simulation.world().potential_energy();
  for (int k = 0; k < 4000; ++k) {
    const StepReport report = simulation.step();
    ASSERT_LT(report.joint_error, 1e-6);
    ASSERT_LT(simulation.world().kinetic_energy() + simulation.world().potential_energy() - energy,
              1e-3 * energy + 0.05);
  }
  EXPECT_NEAR(position_of(simulation, "bob").y(), 0, 1e-9);
}

// A body hanging at rest pulls with its weight.
TEST(JointLoad, HangingBodyPullsWithItsWeight) {
  Scene scene = make_scene(0.005, 0, 0);
  BodyDescription box = make_body("box", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0, 0, -0.5));
  box.mass = 3;
  scene.bodies = {make_anchor(), box};
  for (const JointKind kind : {JointKind::kBall, JointKind::kFixed}) {
    scene.joints = {make_joint(kind, "anchor", "box", Vec3::Zero())};
    Simulation simulation(scene);
    run_to(simulation, 0.1);
    const JointLoad& load = simulation.joint_loads()[0];
    EXPECT_NEAR((load.force - Vec3(0, 0, 3 * kGravity)).norm(), 0, 1e-8);
    EXPECT_NEAR(load.torque.norm(), 0, 1e-8);
  }
}

// A cantilever: the wall feels m g and m g l.
TEST(JointLoad, CantileverFeelsTheMomentOfItsWeight) {
  Scene scene = make_scene(0.005, 0, 0);
  BodyDescription box = make_body("box", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0.7, 0, 0));
  box.mass = 3;
  scene.bodies = {make_anchor(), box};
  scene.joints = {make_joint(JointKind::kFixed, "anchor", "box", Vec3::Zero())};
  Simulation simulation(scene);
  run_to(simulation, 0.5);
  // Held at the anchor against a torque r × m g = (0.7, 0, 0) × (0, 0, −m g) = (0, 0.7 m g, 0).
  EXPECT_NEAR((simulation.joint_loads()[0].torque - Vec3(0, -0.7 * 3 * kGravity, 0)).norm(), 0, 1e-6);
  EXPECT_NEAR((position_of(simulation, "box") - Vec3(0.7, 0, 0)).norm(), 0, 1e-9);
}

// Constant torque τ on inertia I: the speed grows as τ t / I up to the motor's own, and stays there.
TEST(Motor, HingeMotorAcceleratesWithItsTorqueUpToItsSpeed) {
  Scene scene = make_scene(0.001, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription wheel = make_body("wheel", {Sphere{0.5}}, Vec3::Zero());
  wheel.mass = 10;
  scene.bodies = {make_anchor(), wheel};
  JointDescription joint = make_joint(JointKind::kHinge, "anchor", "wheel", Vec3::Zero());
  joint.axes = {make_axis(Vec3::UnitZ())};
  joint.axes[0].motor_speed = 4;
  joint.axes[0].motor_max = 2;
  scene.joints = {joint};
  Simulation simulation(scene);
  const double inertia = 0.4 * 10 * 0.25;
  run_to(simulation, 1);
  EXPECT_NEAR(velocity_of(simulation, "wheel").angular.z(), 2 / inertia * 1, 1e-9);
  run_to(simulation, 4);
  EXPECT_NEAR(velocity_of(simulation, "wheel").angular.z(), 4, 1e-9);
  // The motor's work is the energy the wheel has: nothing else acts.
  EXPECT_NEAR(simulation.world().kinetic_energy(), 0.5 * inertia * 16, 1e-9);
}

TEST(Motor, WorkOfAMotorExplainsTheEnergyItBrings) {
  Scene scene = make_scene(0.001, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription wheel = make_body("wheel", {Sphere{0.5}}, Vec3::Zero());
  scene.bodies = {make_anchor(), wheel};
  JointDescription joint = make_joint(JointKind::kHinge, "anchor", "wheel", Vec3::Zero());
  joint.axes = {make_axis(Vec3::UnitZ())};
  joint.axes[0].motor_speed = 4;
  joint.axes[0].motor_max = 50;
  scene.joints = {joint};
  Simulation simulation(scene);
  double work = 0;
  for (int k = 0; k < 8000; ++k) work += simulation.step().external_work;
  EXPECT_NEAR(simulation.world().kinetic_energy(), work, 1e-9 * work);
}

TEST(Motor, PositionMotorHoldsItsAngleAgainstGravity) {
  Scene scene = make_pendulum(0, 0.005);
  scene.joints[0].axes[0].motor_position = 0.8;
  scene.joints[0].axes[0].motor_max = 100;
  Simulation simulation(scene);
  run_to(simulation, 3);
  EXPECT_NEAR(simulation.world().joint_states[0].position[0], 0.8, 1e-9);
  // Positive about y swings the bob from −z towards −x.
  EXPECT_NEAR(position_of(simulation, "bob").x(), -std::sin(0.8), 1e-6);
}

TEST(Limits, PendulumStopsAtItsLimitAndStaysWithinIt) {
  Scene scene = make_pendulum(1.0, 0.005);
  // Let go at +x the bob turns positively about y: its path ends at 0.5 rad from the start.
  scene.joints[0].axes[0].limits = {-0.2, 0.5};
  Simulation simulation(scene);
  for (int k = 0; k < 600; ++k) {
    (void)simulation.step();
    ASSERT_LT(simulation.world().joint_states[0].position[0], 0.5 + 1e-6);
  }
  EXPECT_NEAR(simulation.world().joint_states[0].position[0], 0.5, 1e-6);
}

// On a slope of 30° the carriage runs with half of g; across and in rotation it does not move.
TEST(Slider, CarriageAcceleratesWithGravityAlongItsAxis) {
  Scene scene = make_scene(0.001, 0, 0);
  scene.bodies = {make_anchor(), make_body("carriage", {Box{Vec3(0.2, 0.3, 0.4)}}, Vec3(0.3, 0.2, 0.1))};
  JointDescription joint = make_joint(JointKind::kSlider, "anchor", "carriage", Vec3::Zero());
  const Vec3 axis(std::cos(std::numbers::pi / 6), 0, -std::sin(std::numbers::pi / 6));
  joint.axes = {make_axis(axis)};
  scene.joints = {joint};
  Simulation simulation(scene);
  run_to(simulation, 1);
  const Vec3 moved = position_of(simulation, "carriage") - Vec3(0.3, 0.2, 0.1);
  EXPECT_NEAR(velocity_of(simulation, "carriage").linear.dot(axis), 0.5 * kGravity, 1e-9);
  EXPECT_NEAR((moved - moved.dot(axis) * axis).norm(), 0, 1e-9);
  EXPECT_NEAR(velocity_of(simulation, "carriage").angular.norm(), 0, 1e-9);
}

// m ẍ = −k x: the period is 2π √(m/k), up to the damping of the implicit step, O(h).
TEST(Spring, SliderOnASpringSwingsWithItsNaturalPeriod) {
  Scene scene = make_scene(0.0005, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription mass = make_body("mass", {Sphere{0.1}}, Vec3::Zero());
  mass.mass = 2;
  mass.velocity = Vec3(1, 0, 0);
  scene.bodies = {make_anchor(), mass};
  JointDescription joint = make_joint(JointKind::kSlider, "anchor", "mass", Vec3::Zero());
  joint.axes = {make_axis(Vec3::UnitX())};
  joint.axes[0].stiffness = 50;
  scene.joints = {joint};
  Simulation simulation(scene);
  const double period = 2 * std::numbers::pi * std::sqrt(2.0 / 50);
  run_to(simulation, period / 4);
  EXPECT_NEAR(position_of(simulation, "mass").x(), std::sqrt(2.0 / 50), 0.01 * std::sqrt(2.0 / 50));
  run_to(simulation, period);
  EXPECT_NEAR(position_of(simulation, "mass").x(), 0, 0.01 * std::sqrt(2.0 / 50));
  EXPECT_NEAR(velocity_of(simulation, "mass").linear.x(), 1, 0.02);
}

// Cardan's joint between shafts at an angle β: ω₂/ω₁ = cos β / (1 − sin²β cos²θ), with θ from where the driving fork
// lies in the plane of the two shafts.
TEST(Universal, DrivenShaftTurnsAtCardansRate) {
  const double beta = 0.5;
  Scene scene = make_scene(0.0005, 0, 0);
  scene.gravity = Vec3::Zero();
  const Vec3 driven_axis(std::cos(beta), 0, std::sin(beta));
  scene.bodies = {make_anchor(), make_body("driving", {Sphere{0.2}}, Vec3(-0.5, 0, 0)),
                  make_body("driven", {Sphere{0.2}}, 0.5 * driven_axis)};
  JointDescription in = make_joint(JointKind::kHinge, "anchor", "driving", Vec3(-0.5, 0, 0));
  in.axes = {make_axis(Vec3::UnitX())};
  in.axes[0].motor_speed = 2;
  in.axes[0].motor_max = 1e6;
  JointDescription out = make_joint(JointKind::kHinge, "anchor", "driven", 0.5 * driven_axis);
  out.axes = {make_axis(driven_axis)};
  JointDescription cross = make_joint(JointKind::kUniversal, "driving", "driven", Vec3::Zero());
  // The driving fork's axis along y, perpendicular to the plane of the shafts; the driven one's perpendicular to both.
  cross.axes = {make_axis(Vec3::UnitY()), make_axis(driven_axis.cross(Vec3::UnitY()))};
  scene.joints = {in, out, cross};
  scene.method.options["iterations"] = 2000.0;
  Simulation simulation(scene);
  for (int k = 0; k < 2000; ++k) {
    (void)simulation.step();
    if (k < 10) continue;
    const double theta = simulation.world().joint_states[0].position[0] + std::numbers::pi / 2;
    const double ratio = std::cos(beta) / (1 - std::pow(std::sin(beta) * std::cos(theta), 2));
    ASSERT_NEAR(velocity_of(simulation, "driven").angular.dot(driven_axis), 2 * ratio, 0.005) << "step " << k;
  }
}

/// Four bars in a plane have one freedom, yet four hinges take away twenty of eighteen: redundant, and still solvable.
Scene make_four_bar(double step) {
  Scene scene = make_scene(step, 0, 0);
  const auto bar = [&](const std::string& name, const Vec3& from, const Vec3& to) {
    const Vec3 along = to - from;
    BodyDescription body = make_body(name, {Box{Vec3(along.norm(), 0.05, 0.05)}}, 0.5 * (from + to));
    body.pose.q = Quat::FromTwoVectors(Vec3::UnitX(), along);
    scene.bodies.push_back(body);
  };
  const Vec3 a(0, 0, 0), b(0.3, 0, 0.4), c(1.2, 0, 0.7), d(1, 0, 0);
  scene.bodies = {make_anchor()};
  bar("crank", a, b);
  bar("coupler", b, c);
  bar("rocker", c, d);
  const auto hinge = [&](const std::string& first, const std::string& second, const Vec3& at) {
    JointDescription joint = make_joint(JointKind::kHinge, first, second, at);
    joint.axes = {make_axis(Vec3::UnitY())};
    scene.joints.push_back(joint);
  };
  hinge("anchor", "crank", a);
  hinge("crank", "coupler", b);
  hinge("coupler", "rocker", c);
  hinge("rocker", "anchor", d);
  for (std::size_t i = 1; i < scene.bodies.size(); ++i) scene.bodies[i].group = "linkage";
  scene.rules = {{"linkage", "linkage"}};
  scene.method.options["iterations"] = 500.0;
  return scene;
}

TEST(ClosedLoop, FourBarLinkageKeepsItsBarsAndItsPlane) {
  Simulation simulation(make_four_bar(0.002));
  const double energy = simulation.world().potential_energy();
  for (int k = 0; k < 1500; ++k) ASSERT_LT(simulation.step().joint_error, 1e-5);
  const World& world = simulation.world();
  EXPECT_LT(world.kinetic_energy() + world.potential_energy() - energy, 0.02 * std::abs(energy));
  for (std::size_t i = 1; i < world.bodies.size(); ++i) EXPECT_NEAR(world.bodies.position[i].y(), 0, 1e-6);
}

// The difference between steps of h and h/2 halves with h.
TEST(ClosedLoop, FourBarLinkageConvergesWithFirstOrder) {
  std::vector<Vec3> ends;
  for (const double h : {0.004, 0.002, 0.001, 0.0005}) {
    Simulation simulation(make_four_bar(h));
    (void)run_to(simulation, 0.5);
    ends.push_back(position_of(simulation, "coupler"));
  }
  double errors[3];
  for (std::size_t k = 0; k < 3; ++k) errors[k] = (ends[k] - ends[k + 1]).norm();
  std::printf("four-bar after 0.5 s: changes %.2e %.2e %.2e m when h = 4, 2, 1 ms is halved\n", errors[0], errors[1],
              errors[2]);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1, 0.15);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.15);
}

// Two bodies welded together fall, spin and hit nothing: they move as one, with the momenta of one.
TEST(Fixed, WeldedBodiesKeepMomentumAndTheirPlaces) {
  Scene scene = make_scene(0.001, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription left = make_body("left", {Box{Vec3(0.3, 0.2, 0.1)}}, Vec3(-0.3, 0, 0));
  left.velocity = Vec3(0, 1, 0);
  left.spin = Vec3(1, 2, 3);
  scene.bodies = {left, make_body("right", {Box{Vec3(0.3, 0.2, 0.1)}}, Vec3(0.3, 0, 0))};
  scene.joints = {make_joint(JointKind::kFixed, "left", "right", Vec3(0, 0, 0))};
  Simulation simulation(scene);
  const Vec3 linear = simulation.world().linear_momentum();
  const Vec3 angular = simulation.world().angular_momentum();
  run_to(simulation, 2);
  EXPECT_NEAR((simulation.world().linear_momentum() - linear).norm(), 0, 1e-9 * linear.norm());
  EXPECT_NEAR((simulation.world().angular_momentum() - angular).norm(), 0, 2e-3 * angular.norm());
  EXPECT_NEAR((position_of(simulation, "left") - position_of(simulation, "right")).norm(), 0.6, 1e-5);
}

}  // namespace
}  // namespace achilles
