// Couplings of joints: gears, mimic joints and differentials, against closed forms.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_joint;
using testing::make_scene;
using testing::run_to;

/// Balls of 2, 5 and 10 kg and 0.2 m that turn about axes in the world, without weight.
Scene make_flywheels(const std::string& method, double step, int count) {
  Scene scene = make_scene(step, 0, 0);
  scene.method.name = method;
  scene.gravity = Vec3::Zero();
  for (int k = 0; k < count; ++k) {
    const std::string name = "wheel" + std::to_string(k);
    BodyDescription wheel = make_body(name, {Sphere{0.2}}, Vec3(k, 0, 0));
    wheel.mass = k == 0 ? 2 : 5.0 * k;
    scene.bodies.push_back(wheel);
    const Vec3 axis = k == 0 ? Vec3(0, 0, 1) : Vec3(0.6, 0, 0.8);
    scene.joints.push_back(make_joint(JointKind::kHinge, "world", name, Vec3(k, 0, 0), {axis}));
  }
  return scene;
}

double inertia_of(double mass) { return 0.4 * mass * 0.2 * 0.2; }

void push(Scene& scene, std::size_t joint, double torque) {
  DriveDescription drive;
  drive.kind = DriveDescription::Kind::kForce;
  drive.target = {{0, torque}};
  scene.joints[joint].axes[0].drive = drive;
}

class Couplings : public ::testing::TestWithParam<const char*> {};

// Follower φ₁ = r φ₀ under a torque τ on φ₀: α₀ = τ/(I₀ + r² I₁), and the same from the follower's side with τ r.
TEST_P(Couplings, GearedFlywheelsTurnAsOneInertia) {
  for (const double ratio : {2.0, -0.5}) {
    Scene scene = make_flywheels(GetParam(), 0.01, 2);
    scene.couplings = {{"gear", {{"world-wheel1", 0, 1}, {"world-wheel0", 0, -ratio}}, 0}};
    push(scene, 0, 0.1);
    Simulation simulation(scene);
    run_to(simulation, 2);
    const World& world = simulation.world();
    const double alpha = 0.1 / (inertia_of(2) + ratio * ratio * inertia_of(5));
    EXPECT_NEAR(world.joint_rate(0, 0), alpha * 2, 1e-8);
    EXPECT_NEAR(world.joint_rate(1, 0), ratio * alpha * 2, 1e-8);
    EXPECT_NEAR(world.joint_states[1].position[0], ratio * world.joint_states[0].position[0], 1e-8);
  }
}

// φ₀ + φ₁ = 2 φ₂ with impulses (1, 1, −2) µ: I₀ α₀ = µ, I₁ α₁ = µ, I₂ α₂ = τ − 2 µ, so that
// α₂ = τ/(I₂ + 4/(1/I₀ + 1/I₁)).
TEST_P(Couplings, DifferentialSharesTheTorqueBetweenItsOutputs) {
  Scene scene = make_flywheels(GetParam(), 0.01, 3);
  scene.couplings = {{"differential", {{"world-wheel0", 0, 1}, {"world-wheel1", 0, 1}, {"world-wheel2", 0, -2}}, 0}};
  push(scene, 2, 0.1);
  Simulation simulation(scene);
  run_to(simulation, 1);
  const World& world = simulation.world();
  const double i0 = inertia_of(2), i1 = inertia_of(5), i2 = inertia_of(10);
  const double carrier = 0.1 / (i2 + 4 / (1 / i0 + 1 / i1));
  EXPECT_NEAR(world.joint_rate(2, 0), carrier, 1e-8);
  EXPECT_NEAR(world.joint_rate(0, 0) * i0, world.joint_rate(1, 0) * i1, 1e-8);
  EXPECT_NEAR(world.joint_rate(0, 0) + world.joint_rate(1, 0), 2 * world.joint_rate(2, 0), 1e-8);
}

// An offset that the start does not have is taken up, without a lasting motion where positions are corrected.
TEST_P(Couplings, OffsetIsTakenUp) {
  Scene scene = make_flywheels(GetParam(), 0.01, 2);
  scene.couplings = {{"mimic", {{"world-wheel1", 0, 1}, {"world-wheel0", 0, -1}}, 0.05}};
  Simulation simulation(scene);
  run_to(simulation, 0.2);
  const World& world = simulation.world();
  EXPECT_NEAR(world.joint_states[1].position[0] - world.joint_states[0].position[0], 0.05, 1e-6);
  EXPECT_NEAR(world.joint_rate(1, 0), world.joint_rate(0, 0), 1e-6);
}

// A gripper: two fingers on one palm, which falls; a coupling between them brings no momentum to the whole.
TEST_P(Couplings, FingersOfAFreePalmCloseAlikeAndKeepTheMomentum) {
  Scene scene = make_scene(0.005, 0, 0);
  scene.method.name = GetParam();
  scene.gravity = Vec3::Zero();
  scene.bodies = {make_body("palm", {Box{Vec3(0.4, 0.1, 0.1)}}, Vec3::Zero()),
                  make_body("left", {Box{Vec3(0.05, 0.05, 0.3)}}, Vec3(-0.15, 0, 0.25)),
                  make_body("right", {Box{Vec3(0.05, 0.05, 0.2)}}, Vec3(0.15, 0, 0.2))};
  scene.joints = {make_joint(JointKind::kSlider, "palm", "left", Vec3(-0.15, 0, 0.1), {Vec3(1, 0, 0)}),
                  make_joint(JointKind::kSlider, "palm", "right", Vec3(0.15, 0, 0.1), {Vec3(-1, 0, 0)})};
  scene.couplings = {{"mimic", {{"palm-left", 0, 1}, {"palm-right", 0, -1}}, 0}};
  push(scene, 0, 2);
  Simulation simulation(scene);
  run_to(simulation, 0.2);
  const World& world = simulation.world();
  EXPECT_GT(world.joint_states[0].position[0], 0.005);
  EXPECT_NEAR(world.joint_states[0].position[0], world.joint_states[1].position[0], 1e-7);
  EXPECT_LT(world.linear_momentum().norm(), 1e-10);
  EXPECT_LT(world.angular_momentum().norm(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Methods, Couplings,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class CouplingsWithArmature : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] bool sweeps() const { return std::string(GetParam()) == "soft-step"; }
};

constexpr double kArmature = 5e-3;  // [kg m²]

/// Rods of 10 and 20 g and 0.1 m that turn about their ends on axes of a base, with rotors of 5e-3 and 7.5e-3 kg m²:
/// 150 times their own inertia and more. φ₁ = r φ₀.
Scene make_fingers(const std::string& method, const std::string& base, double ratio) {
  Scene scene = make_scene(0.002, 0, 0);
  scene.method.name = method;
  scene.gravity = Vec3::Zero();
  if (base != "world") {
    scene.bodies.push_back(make_body(base, {Box{Vec3(0.4, 0.1, 0.1)}}, Vec3(0.5, 0, 0)));
    scene.bodies.back().mass = 0.2;
  }
  for (int k = 0; k < 2; ++k) {
    const std::string name = "finger" + std::to_string(k);
    BodyDescription finger = make_body(name, {Box{Vec3(0.1, 0.01, 0.01)}}, Vec3(k + 0.05, 0, 0.1));
    finger.mass = 0.01 * (1 + k);
    scene.bodies.push_back(finger);
    scene.joints.push_back(make_joint(JointKind::kHinge, base, name, Vec3(k, 0, 0.1), {Vec3::UnitY()}));
    scene.joints.back().axes[0].armature = kArmature * (1 + 0.5 * k);
  }
  scene.couplings = {{"mimic", {{base + "-finger1", 0, 1}, {base + "-finger0", 0, -ratio}}, 0}};
  return scene;
}

/// Of a finger about its end.
double inertia_of_finger(double mass) { return mass * (0.05 * 0.05 + (0.1 * 0.1 + 0.01 * 0.01) / 12); }

/// Turns the first finger at 3 rad/s and the second one as the coupling demands.
void spin_fingers(Scene& scene, double ratio) {
  for (BodyDescription& body : scene.bodies) {
    if (!body.name.starts_with("finger")) continue;
    const double rate = body.name == "finger0" ? 3 : 3 * ratio;
    body.spin = Vec3(0, rate, 0);
    body.velocity = Vec3(0, 0, -0.05 * rate);
  }
}

// A torque τ on φ₀ turns both fingers and both rotors: α₀ = τ/(I₀ + a₀ + r² (I₁ + a₁)). Sweeps leave 1e-5 of it.
TEST_P(CouplingsWithArmature, TorqueTurnsLinksAndRotorsAsOneInertia) {
  for (const double ratio : {-1.0, 2.0}) {
    Scene scene = make_fingers(GetParam(), "world", ratio);
    push(scene, 0, 1e-3);
    Simulation simulation(scene);
    run_to(simulation, 0.04);
    const double second = inertia_of_finger(0.02) + 1.5 * kArmature;
    const double rate = 0.04 * 1e-3 / (inertia_of_finger(0.01) + kArmature + ratio * ratio * second);
    const double tolerance = (sweeps() ? 1e-4 : 1e-6) * rate;
    EXPECT_NEAR(simulation.world().joint_rate(0, 0), rate, tolerance);
    EXPECT_NEAR(simulation.world().joint_rate(1, 0), ratio * rate, std::abs(ratio) * tolerance);
  }
}

// Nothing acts on a free palm and its fingers but the joints and the coupling: the energy never grows, but for what
// sweeps leave between a rotor and its link. lcp-fixpoint, which is implicit in positions, loses 1.3e-3 of it in 2 s.
TEST_P(CouplingsWithArmature, EnergyOfFingersOnAFreePalmStays) {
  for (const double ratio : {-1.0, 2.0}) {
    Scene scene = make_fingers(GetParam(), "palm", ratio);
    spin_fingers(scene, ratio);
    Simulation simulation(scene);
    const double start = simulation.world().kinetic_energy();
    while (simulation.world().time < 2) {
      (void)simulation.step();
      ASSERT_LT(simulation.world().kinetic_energy(), (1 + (sweeps() ? 1e-4 : 1e-9)) * start) << simulation.world().time;
    }
    EXPECT_GT(simulation.world().kinetic_energy(), (1 - 2e-3) * start);
    EXPECT_NEAR(simulation.world().joint_states[1].position[0], ratio * simulation.world().joint_states[0].position[0],
                sweeps() ? 1e-5 : 1e-9);
  }
}

// The same under gravity on axes in the world. A semi-implicit step is off by h m g v/2 summed over the fingers, 2e-3 ×
// 0.5 × 9.81 × (0.01 × 0.15 + 0.02 × 0.3) = 7e-5 J at most, or 1.3e-3 of the least kinetic energy, 0.057 J.
// lcp-fixpoint loses 3e-3 in 2 s.
TEST_P(CouplingsWithArmature, EnergyOfSwingingFingersStays) {
  for (const double ratio : {-1.0, 2.0}) {
    Scene scene = make_fingers(GetParam(), "world", ratio);
    scene.gravity = Vec3(0, 0, -9.81);
    spin_fingers(scene, ratio);
    Simulation simulation(scene);
    const auto energy = [&] { return simulation.world().kinetic_energy() + simulation.world().potential_energy(); };
    const double start = energy(), kinetic = simulation.world().kinetic_energy();
    while (simulation.world().time < 2) {
      (void)simulation.step();
      ASSERT_LT(energy(), start + 1.3e-3 * kinetic) << simulation.world().time;
      ASSERT_GT(energy(), start - 5e-3 * kinetic) << simulation.world().time;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CouplingsWithArmature,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid",
                                           "soft-step"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CouplingOfTheWorld, GoesWithAJointThatIsRemovedAndOthersStay) {
  Scene scene = make_flywheels("lcp-fixed", 0.01, 3);
  scene.couplings = {{"first", {{"world-wheel0", 0, 1}, {"world-wheel1", 0, -1}}, 0},
                     {"second", {{"world-wheel1", 0, 1}, {"world-wheel2", 0, -3}}, 0}};
  push(scene, 1, 0.1);
  Simulation simulation(scene);
  run_to(simulation, 0.1);
  simulation.world().remove_joint(0);
  ASSERT_EQ(simulation.world().coupling_names, std::vector<std::string>{"second"});
  std::stringstream bytes;
  simulation.world().save(bytes);
  simulation.restore(World::load(bytes));
  run_to(simulation, 0.5);
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), 3 * simulation.world().joint_rate(1, 0), 1e-9);
}

TEST(CouplingOfTheWorld, ImpossibleOnesAreRefused) {
  World world(make_flywheels("lcp-fixed", 0.01, 2));
  EXPECT_THROW(world.add_coupling({"none", {}, 0}), std::invalid_argument);
  EXPECT_THROW(world.add_coupling({"who", {{"nobody", 0, 1}}, 0}), std::invalid_argument);
  EXPECT_THROW(world.add_coupling({"axis", {{"world-wheel0", 1, 1}}, 0}), std::invalid_argument);
  EXPECT_THROW(world.add_coupling({"zero", {{"world-wheel0", 0, 0}}, 0}), std::invalid_argument);
  EXPECT_THROW(world.add_coupling({"twice", {{"world-wheel0", 0, 1}, {"world-wheel0", 0, 2}}, 0}),
               std::invalid_argument);
}

}  // namespace
}  // namespace achilles
