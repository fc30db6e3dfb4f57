// Joints under the methods that sweep over contacts and joints together.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <cmath>
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

class SweptJoints : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] Scene make(double step, double friction, double restitution) const {
    Scene scene = make_scene(step, friction, restitution);
    scene.method.name = GetParam();
    return scene;
  }
};

// T/4 = √(I/(m g l)) K(sin(θ₀/2)), with I about the pivot.
TEST_P(SweptJoints, PendulumSwingsWithThePeriodOfTheEllipticIntegral) {
  const double angle = 1, inertia = 1 + 0.4 * 0.1 * 0.1;
  const double expected = std::sqrt(inertia / kGravity) * std::comp_ellint_1(std::sin(angle / 2));
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    Scene scene = make(0.004 / (1 << k), 0, 0);
    scene.bodies = {make_anchor(Vec3::Zero()),
                    make_body("bob", {Sphere{0.1}}, Vec3(std::sin(angle), 0, -std::cos(angle)))};
    JointDescription joint = make_joint(JointKind::kHinge, "anchor", "bob", Vec3::Zero());
    joint.axes.resize(1);
    joint.axes[0].axis = Vec3::UnitY();
    scene.joints = {joint};
    Simulation simulation(scene);
    double x_before = std::sin(angle), t_before = 0, quarter = 0;
    while (quarter == 0) {
      const StepReport report = simulation.step();
      ASSERT_LT(report.joint_error, 1e-4);
      const double x = position_of(simulation, "bob").x(), t = simulation.world().time;
      if (x <= 0) quarter = t_before + (t - t_before) * x_before / (x_before - x);
      x_before = x;
      t_before = t;
      ASSERT_LT(t, 2);
    }
    errors[k] = std::abs(quarter - expected);
  }
  EXPECT_LT(errors[1], 5e-3 * expected);
  EXPECT_LT(errors[1], 0.7 * errors[0]);
}

// Each joint of a hanging chain carries the weight W below it. Under soft-step it is a spring of a fifth of the rate of
// the substeps between the masses m and m' it ties, and gives by W (1/m + 1/m')/ω².
TEST_P(SweptJoints, LinksOfAHangingChainCarryWhatHangsBelow) {
  Scene scene = make(0.005, 0, 0);
  scene.bodies = {make_anchor(Vec3::Zero())};
  const int links = 5;
  for (int k = 0; k < links; ++k) {
    BodyDescription link =
        make_body("link" + std::to_string(k), {Box{Vec3(0.05, 0.05, 0.18)}}, Vec3(0, 0, -0.1 - 0.2 * k));
    link.mass = 1.0 + k;
    scene.bodies.push_back(link);
    scene.joints.push_back(make_joint(JointKind::kBall, k == 0 ? "anchor" : "link" + std::to_string(k - 1), link.name,
                                      Vec3(0, 0, -0.2 * k)));
  }
  Simulation simulation(scene);
  run_to(simulation, 3);
  const double give = scene.method.name == "soft-step" ? 1 / std::pow(2 * std::numbers::pi / 5 * 8 / 0.005, 2) : 0;
  double weight = 0, stretch = 0;
  for (int k = links - 1; k >= 0; --k) {
    weight += (1.0 + k) * kGravity;
    EXPECT_NEAR(simulation.joint_loads()[static_cast<std::size_t>(k)].force.z(), weight, 1e-3 * weight) << k;
    stretch = std::max(stretch, give * weight * (1 / (1.0 + k) + (k > 0 ? 1.0 / k : 0)));
  }
  EXPECT_NEAR(run_to(simulation, 3.1).joint_error, stretch, 1e-5);
}

// A table whose legs are held by joints stands on its feet, and what lies on it stays: drift below 1 % of its size,
// although ten sweeps do not solve a heavy top on light legs.
TEST_P(SweptJoints, JointedTableCarriesABox) {
  Scene scene = make(0.01, 0.5, 0);
  scene.bodies = {make_ground(), make_body("top", {Box{Vec3(1.0, 1.0, 0.1)}}, Vec3(0, 0, 0.55)),
                  make_body("load", {Box{Vec3(0.3, 0.3, 0.3)}}, Vec3(0.1, 0, 0.75))};
  for (int k = 0; k < 4; ++k) {
    const Vec3 at(k % 2 == 0 ? 0.4 : -0.4, k / 2 == 0 ? 0.4 : -0.4, 0.25);
    scene.bodies.push_back(make_body("leg" + std::to_string(k), {Box{Vec3(0.1, 0.1, 0.5)}}, at));
    scene.joints.push_back(make_joint(JointKind::kFixed, "top", scene.bodies.back().name, Vec3(at.x(), at.y(), 0.5)));
  }
  Simulation simulation(scene);
  for (int k = 0; k < 500; ++k) ASSERT_LT(simulation.step().joint_error, 1e-3);
  EXPECT_LT((position_of(simulation, "top") - Vec3(0, 0, 0.55)).norm(), 0.01);
  EXPECT_LT((position_of(simulation, "load") - Vec3(0.1, 0, 0.75)).norm(), 0.01);
}

// Once it has settled the table does not creep: the impulses of the last step, of contacts and joints together, are
// those of rest. Contacts alone would throw the light legs up.
TEST(ShockPropagation, JointedTableDoesNotCreep) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.method = {"shock-propagation", "", "", {}};
  scene.bodies = {make_ground(), make_body("top", {Box{Vec3(1.0, 1.0, 0.1)}}, Vec3(0, 0, 0.55))};
  for (int k = 0; k < 4; ++k) {
    const Vec3 at(k % 2 == 0 ? 0.4 : -0.4, k / 2 == 0 ? 0.4 : -0.4, 0.25);
    scene.bodies.push_back(make_body("leg" + std::to_string(k), {Box{Vec3(0.1, 0.1, 0.5)}}, at));
    scene.joints.push_back(make_joint(JointKind::kFixed, "top", scene.bodies.back().name, Vec3(at.x(), at.y(), 0.5)));
  }
  Simulation simulation(scene);
  run_to(simulation, 2);
  const Vec3 settled = position_of(simulation, "top");
  EXPECT_LT((settled - Vec3(0, 0, 0.55)).norm(), 1e-3);
  run_to(simulation, 10);
  EXPECT_LT((position_of(simulation, "top") - settled).norm(), 1e-7);  // what sweeps leave below their tolerance
}

// Constant torque τ on inertia I: the speed grows as τ t / I up to the motor's own, and stays there.
TEST_P(SweptJoints, MotorAcceleratesWithItsTorqueUpToItsSpeed) {
  Scene scene = make(0.001, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription wheel = make_body("wheel", {Sphere{0.5}}, Vec3::Zero());
  wheel.mass = 10;
  scene.bodies = {make_anchor(Vec3::Zero()), wheel};
  JointDescription joint = make_joint(JointKind::kHinge, "anchor", "wheel", Vec3::Zero());
  joint.axes.resize(1);
  joint.axes[0].axis = Vec3::UnitZ();
  joint.axes[0].motor_speed = 4;
  joint.axes[0].motor_max = 2;
  scene.joints = {joint};
  Simulation simulation(scene);
  run_to(simulation, 1);
  EXPECT_NEAR(velocity_of(simulation, "wheel").angular.z(), 2, 1e-3);
  run_to(simulation, 3);
  EXPECT_NEAR(velocity_of(simulation, "wheel").angular.z(), 4, 1e-3);
}

TEST_P(SweptJoints, LimitStopsAFallingDoor) {
  Scene scene = make(0.005, 0, 0);
  scene.bodies = {make_anchor(Vec3::Zero()), make_body("door", {Box{Vec3(1, 0.5, 0.05)}}, Vec3(0.55, 0, 0))};
  JointDescription joint = make_joint(JointKind::kHinge, "anchor", "door", Vec3::Zero());
  joint.axes.resize(1);
  joint.axes[0].axis = Vec3::UnitY();
  joint.axes[0].limits = std::pair(-0.5, 0.5);
  scene.joints = {joint};
  Simulation simulation(scene);
  run_to(simulation, 4);
  // A hinge about y turns the door down, its centre on the circle of 0.55 m.
  EXPECT_NEAR(position_of(simulation, "door").z(), -0.55 * std::sin(0.5), 2e-3);
  EXPECT_NEAR(velocity_of(simulation, "door").angular.norm(), 0, 1e-3);
}

// Two balls on a rod fall flat on the ground and bounce: the rod keeps them together, both leave alike.
TEST_P(SweptJoints, DumbbellBouncesAsOneBody) {
  Scene scene = make(0.001, 0, 1);
  scene.bodies = {make_ground(), make_body("left", {Sphere{0.1}}, Vec3(-0.5, 0, 0.6)),
                  make_body("right", {Sphere{0.1}}, Vec3(0.5, 0, 0.6))};
  scene.joints = {make_joint(JointKind::kFixed, "left", "right", Vec3(0, 0, 0.6))};
  Simulation simulation(scene);
  double apex = 0;
  while (simulation.world().time < 0.8) {
    (void)simulation.step();
    if (simulation.world().time > 0.4) apex = std::max(apex, position_of(simulation, "left").z());
    ASSERT_NEAR(position_of(simulation, "left").z(), position_of(simulation, "right").z(), 1e-6);
  }
  EXPECT_NEAR(apex, 0.6, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Methods, SweptJoints, ::testing::Values("shock-propagation", "soft-step"));

}  // namespace
}  // namespace achilles
