// Drives with gains, armature and damping of compliant joints, against closed forms, under every method that has them.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;
using testing::position_of;
using testing::run_to;

constexpr double kGravity = 9.81;
constexpr double kMass = 2;  // [kg]

DriveDescription drive_to(DriveDescription::Kind kind, std::vector<std::pair<double, double>> target,
                          double stiffness = 0, double damping = 0) {
  DriveDescription drive;
  drive.kind = kind;
  drive.target = std::move(target);
  drive.stiffness = stiffness;
  drive.damping = damping;
  return drive;
}

/// A carriage of 2 kg on a slider along a direction, 1 m beside the anchor.
Scene make_carriage(const std::string& method, double step, const Vec3& along, const Vec3& gravity) {
  Scene scene = make_scene(step, 0, 0);
  scene.method.name = method;
  scene.gravity = gravity;
  BodyDescription carriage = make_body("carriage", {Sphere{0.1}}, Vec3(1, 0, 0));
  carriage.mass = kMass;
  scene.bodies = {make_anchor(), carriage};
  scene.joints = {make_joint(JointKind::kSlider, "anchor", "carriage", Vec3(1, 0, 0), {along})};
  return scene;
}

double joint_position(const Simulation& simulation) { return simulation.world().joint_states[0].position[0]; }

class Drive : public ::testing::TestWithParam<const char*> {
 protected:
  /// soft-step computes in single precision and sweeps: a few roundings of 2⁻²⁴ per substep, and what a sweep leaves.
  [[nodiscard]] bool sweeps() const {
    return std::string(GetParam()) == "soft-step" || std::string(GetParam()) == "shock-propagation";
  }
  [[nodiscard]] double tolerance(double exact) const { return sweeps() ? 2e-3 : exact; }
};

// At rest the drive carries the weight: k x = −m g, along a vertical axis.
TEST_P(Drive, StaticSagIsTheLoadDividedByTheStiffness) {
  Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitZ(), Vec3(0, 0, -kGravity));
  const double stiffness = 1000;
  scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0.3}}, stiffness, 90);
  Simulation simulation(scene);
  run_to(simulation, 3);
  const double sag = kMass * kGravity / stiffness;
  EXPECT_NEAR(joint_position(simulation), 0.3 - sag, tolerance(1e-7) * sag + (sweeps() ? 1e-6 : 0));
  EXPECT_NEAR(simulation.joint_loads()[0].drive[0], kMass * kGravity, tolerance(1e-7) * kMass * kGravity);
}

// An arm held level by a hinge drive: k θ = m g l cos θ. With l = 1, m g = 19.62 and k = 200 θ solves 200 θ = 19.62 cos
// θ.
TEST_P(Drive, ArmUnderGravityStandsWhereTheTorquesBalance) {
  Scene scene = make_carriage(GetParam(), 0.005, Vec3::UnitZ(), Vec3(0, 0, -kGravity));
  scene.joints = {make_joint(JointKind::kHinge, "anchor", "carriage", Vec3::Zero(), {Vec3::UnitY()})};
  const double stiffness = 200;
  scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0}}, stiffness, 30);
  double angle = 0;
  for (int k = 0; k < 50; ++k) angle = kMass * kGravity * std::cos(angle) / stiffness;
  Simulation simulation(scene);
  run_to(simulation, 4);
  EXPECT_NEAR(joint_position(simulation), angle, tolerance(1e-6) * angle);
}

// m x″ + d x′ + k (x − r) = 0 from rest at 0: x = r (1 − e^{−ζωt} (cos ω_d t + ζ/√(1−ζ²) sin ω_d t)), here ω = 10/s and
// ζ = 0.1. Both the position and the velocity are implicit: of first order.
TEST_P(Drive, ServoSwingsAsTheDampedOscillatorWithFirstOrder) {
  const double omega = 10, zeta = 0.1, target = 0.1, time = 0.5;
  const double damped = omega * std::sqrt(1 - zeta * zeta);
  const double exact =
      target * (1 - std::exp(-zeta * omega * time) *
                        (std::cos(damped * time) + zeta / std::sqrt(1 - zeta * zeta) * std::sin(damped * time)));
  double error[3];
  for (int k = 0; k < 3; ++k) {
    Scene scene = make_carriage(GetParam(), 0.004 / (1 << k), Vec3::UnitX(), Vec3::Zero());
    scene.joints[0].axes[0].drive =
        drive_to(DriveDescription::Kind::kPosition, {{0, target}}, kMass * omega * omega, 2 * zeta * omega * kMass);
    Simulation simulation(scene);
    run_to(simulation, time);
    error[k] = joint_position(simulation) - exact;
  }
  // The amplitude of an implicit step decays by ω² h/2 more per second: 20 % of the swing in half a second at 4 ms.
  EXPECT_LT(std::abs(error[2]), 0.1 * target);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 1, 0.25);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 1, 0.25);
}

// However stiff: ½ m v² + ½ k (x − r)² never grows, from a start off the target and with a speed.
TEST_P(Drive, StiffServoNeverGainsEnergy) {
  for (const double stiffness : {1e3, 1e6, 1e9}) {
    Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitX(), Vec3::Zero());
    scene.bodies[1].velocity = Vec3(0.3, 0, 0);
    scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kPosition, {{0, 1e-3}}, stiffness, 0);
    Simulation simulation(scene);
    const auto energy = [&] {
      const double way = joint_position(simulation) - 1e-3;
      return simulation.world().kinetic_energy() + 0.5 * stiffness * way * way;
    };
    const double start = energy();
    double before = start;
    for (int k = 0; k < 100; ++k) {
      ASSERT_FALSE(simulation.step().stopped);
      // Positions of soft-step are read to 1e-8 m within a step: ½ k times its square.
      ASSERT_LE(energy(), before + 1e-6 * start + (sweeps() ? 0.5 * stiffness * 1e-14 : 0)) << stiffness;
      before = energy();
    }
  }
}

// A servo far from its target pushes with all it may: v = F t/m.
TEST_P(Drive, ForceLimitSaturates) {
  Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitX(), Vec3::Zero());
  DriveDescription drive = drive_to(DriveDescription::Kind::kPosition, {{0, 100}}, 1e5, 10);
  drive.max_force = 3;
  scene.joints[0].axes[0].drive = drive;
  Simulation simulation(scene);
  double work = 0;
  while (simulation.world().time < 1 - 1e-9) work += simulation.step().external_work;
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), 3.0 / kMass, tolerance(1e-9));
  EXPECT_NEAR(simulation.joint_loads()[0].drive[0], 3, tolerance(1e-9));
  EXPECT_NEAR(work, simulation.world().kinetic_energy(), tolerance(1e-9));
}

// A force that rises from 0 to 10 N in a second and stays there: m v(1) = 5 N s, m v(1.5) = 10 N s.
TEST_P(Drive, ForceFollowsItsPointsInTime) {
  Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitX(), Vec3::Zero());
  scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kForce, {{0, 0}, {1, 10}});
  Simulation simulation(scene);
  run_to(simulation, 1);
  EXPECT_NEAR(kMass * simulation.world().joint_rate(0, 0), 5, tolerance(1e-9));
  run_to(simulation, 1.5);
  EXPECT_NEAR(kMass * simulation.world().joint_rate(0, 0), 10, tolerance(1e-9));
}

// m v′ = c (r − v): v = r (1 − e^{−ct/m}); a step of h errs by c h/m · e⁻¹/2 of r at most.
TEST_P(Drive, SpeedIsApproachedExponentially) {
  const double gain = 4, speed = 2, step = 0.005;
  Scene scene = make_carriage(GetParam(), step, Vec3::UnitX(), Vec3::Zero());
  scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kSpeed, {{0, speed}}, 0, gain);
  Simulation simulation(scene);
  run_to(simulation, 0.5);
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), speed * (1 - std::exp(-gain * 0.5 / kMass)),
              0.2 * gain * step / kMass * speed + tolerance(0));
}

// Followed from 0 at half a metre per second: after a second it stands at 0.5, after three at the target itself. The
// rate of the target is part of the drive, so that a stiff one lags by nothing once it moves along.
TEST_P(Drive, TargetIsFollowedAtItsLimitedRate) {
  Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitX(), Vec3::Zero());
  DriveDescription drive = drive_to(DriveDescription::Kind::kPosition, {{0, 1}}, 1e4, 200);
  drive.max_rate = 0.5;
  scene.joints[0].axes[0].drive = drive;
  Simulation simulation(scene);
  run_to(simulation, 1);
  EXPECT_NEAR(joint_position(simulation), 0.5, 1e-3);
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), 0.5, 5e-3);
  run_to(simulation, 3);
  EXPECT_NEAR(joint_position(simulation), 1, 1e-3);
}

// Straight lines between the points: 0 until 0.5 s, then to 0.2 at 1 s.
TEST_P(Drive, TargetFollowsItsPointsInTime) {
  Scene scene = make_carriage(GetParam(), 0.005, Vec3::UnitX(), Vec3::Zero());
  scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0}, {0.5, 0}, {1, 0.2}}, 1e5, 2e3);
  Simulation simulation(scene);
  run_to(simulation, 0.5);
  EXPECT_NEAR(joint_position(simulation), 0, 1e-6);
  run_to(simulation, 0.75);
  EXPECT_NEAR(joint_position(simulation), 0.1, 1e-3);
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), 0.4, 0.01);
  run_to(simulation, 1.5);
  EXPECT_NEAR(joint_position(simulation), 0.2, 1e-4);
}

// A level arm begins to fall with α = m g l/(I + I_r), I = m l² + 0.4 m r² about the pivot, l = 1 and r = 0.1.
TEST_P(Drive, ArmWithArmatureFallsAsSlowlyAsItsRotorDemands) {
  Scene scene = make_carriage(GetParam(), 1e-3, Vec3::UnitX(), Vec3(0, 0, -kGravity));
  scene.joints = {make_joint(JointKind::kHinge, "anchor", "carriage", Vec3::Zero(), {Vec3::UnitY()})};
  scene.joints[0].axes[0].armature = 3;
  Simulation simulation(scene);
  for (int k = 0; k < 10; ++k) (void)simulation.step();
  const double inertia = kMass * (1 + 0.4 * 0.01) + 3;
  const double alpha = kMass * kGravity / inertia;
  // Within 10 ms it turns by 2e-4 rad, whose cosine is 1 − 2e-8.
  EXPECT_NEAR(simulation.world().joint_rate(0, 0) / 0.01, alpha, tolerance(1e-6) * alpha);
}

// The rotor swings with the arm: what the arm loses the rotor has, and the total stays.
TEST_P(Drive, EnergyOfTheRotorIsPartOfTheSwing) {
  Scene scene = make_carriage(GetParam(), 1e-3, Vec3::UnitX(), Vec3(0, 0, -kGravity));
  scene.joints = {make_joint(JointKind::kHinge, "anchor", "carriage", Vec3::Zero(), {Vec3::UnitY()})};
  scene.joints[0].axes[0].armature = 3;
  Simulation simulation(scene);
  const auto energy = [&] { return simulation.world().kinetic_energy() + simulation.world().potential_energy(); };
  const double start = energy();
  double fastest = 0;
  while (simulation.world().time < 1.5 - 1e-9) {
    (void)simulation.step();
    fastest = std::max(fastest, std::abs(simulation.world().joint_rate(0, 0)));
    // A semi-implicit step is off by h m g v/2 ≤ 0.03 J with v ≤ 2.8 m/s; an implicit one loses in each of 1500 steps
    // ½ h² (I α² + m g l ω²) at most, with I = 5, α ≤ 3.9/s² and ω² ≤ 7.8/s²: 0.17 J.
    ASSERT_NEAR(energy(), start, 0.2) << simulation.world().time;
  }
  // ½ (I + I_r) ω² = m g l at the bottom.
  const double inertia = kMass * (1 + 0.4 * 0.01) + 3;
  EXPECT_NEAR(fastest, std::sqrt(2 * kMass * kGravity / inertia), 5e-3 * fastest);
}

// m z″ + d z′ + z/c = −m g: a compliant joint with damping loses e^{−π ζ/√(1−ζ²)} of its amplitude per half swing. With
// 1/c = 200 N/m and d = 8, ω = 10/s and ζ = 0.2: the overshoot below the rest position is e^{−0.641} = 0.527 of the
// sag.
TEST_P(Drive, DampingBesideTheComplianceOfAJointDampsItsSwing) {
  Scene scene = make_carriage(GetParam(), 2e-4, Vec3::UnitZ(), Vec3(0, 0, -kGravity));
  scene.joints = {make_joint(JointKind::kFixed, "anchor", "carriage", Vec3(1, 0, 0))};
  scene.joints[0].compliance = 1.0 / 200;
  scene.joints[0].damping = 8;
  Simulation simulation(scene);
  double lowest = 0;
  while (simulation.world().time < 0.6 - 1e-9) {
    (void)simulation.step();
    lowest = std::min(lowest, position_of(simulation, "carriage").z());
  }
  const double sag = kMass * kGravity / 200;
  const double overshoot = std::exp(-std::acos(-1.0) * 0.2 / std::sqrt(1 - 0.04));
  EXPECT_NEAR(lowest, -sag * (1 + overshoot), 5e-3 * sag);
}

TEST_P(Drive, ResumedRunGoesOnBitForBit) {
  Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitX(), Vec3(0, 0, -kGravity));
  DriveDescription drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0.2}, {0.5, 1}}, 1e3, 20);
  drive.max_rate = 0.7;
  scene.joints[0].axes[0].drive = drive;
  scene.joints[0].axes[0].armature = 0.5;
  Simulation whole(scene), resumed(scene);
  run_to(whole, 0.3);
  std::stringstream bytes;
  whole.world().save(bytes);
  resumed.restore(World::load(bytes));
  run_to(whole, 1);
  run_to(resumed, 1);
  EXPECT_EQ(whole.world().state_hash(), resumed.world().state_hash());
}

INSTANTIATE_TEST_SUITE_P(Methods, Drive,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid",
                                           "shock-propagation", "soft-step"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class DriveOfALightLink : public ::testing::TestWithParam<const char*> {};

// A drive of k = 1000 and d = 10 moves a finger of 10 g with a rotor of 5e-3 kg m², 150 times its inertia, to φ* = 0.1:
// (I + a) φ″ + d φ′ + k (φ − φ*) = 0, with the roots −s₁ = −114/s and −s₂ = −1876/s. A step that is implicit is off by
// φ* h s₁/(2 e) = 5e-4 with h = 2.5e-4, which is a substep of soft-step, and by as much again at the fast start.
TEST_P(DriveOfALightLink, StiffDriveMovesLinkAndRotorAsOneInertia) {
  Scene scene = make_scene(std::string(GetParam()) == "soft-step" ? 2e-3 : 2.5e-4, 0, 0);
  scene.method.name = GetParam();
  scene.gravity = Vec3::Zero();
  BodyDescription finger = make_body("finger", {Box{Vec3(0.1, 0.01, 0.01)}}, Vec3(0.05, 0, 0));
  finger.mass = 0.01;
  scene.bodies = {make_anchor(), finger};
  scene.joints = {make_joint(JointKind::kHinge, "anchor", "finger", Vec3::Zero(), {Vec3::UnitY()})};
  scene.joints[0].axes[0].armature = 5e-3;
  scene.joints[0].axes[0].drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0.1}}, 1000, 10);
  const double inertia = 0.01 * (0.05 * 0.05 + (0.1 * 0.1 + 0.01 * 0.01) / 12) + 5e-3;
  const double mean = 10 / (2 * inertia), half = std::sqrt(mean * mean - 1000 / inertia);
  const double slow = mean - half, fast = mean + half;
  Simulation simulation(scene);
  while (simulation.world().time < 0.05) {
    (void)simulation.step();
    const double time = simulation.world().time;
    const double rest = (fast * std::exp(-slow * time) - slow * std::exp(-fast * time)) / (fast - slow);
    ASSERT_NEAR(joint_position(simulation), 0.1 * (1 - rest), 1.5e-3) << time;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, DriveOfALightLink,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid",
                                           "soft-step", "shock-propagation"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Four rods of 10 g, rotors of three times their inertia, drives stiffer than a step, d h ≫ I and k h² ≫ I, one of
// them of limited strength: the sweeps of shock-propagation must find what a direct solver finds for the same step,
// which rows taken one by one do not come near. The tolerance is a ten-thousandth of the way.
TEST(DrivesOfAFinger, SweepsSolveThemAsADirectSolverDoes) {
  Scene scene = make_scene(2e-3, 0, 0);
  scene.bodies = {make_anchor()};
  for (int k = 0; k < 4; ++k) {
    const std::string name = "link" + std::to_string(k), parent = k == 0 ? "anchor" : "link" + std::to_string(k - 1);
    BodyDescription link = make_body(name, {Box{Vec3(0.03, 0.01, 0.01)}}, Vec3(0.03 * k + 0.015, 0, 0));
    link.mass = 0.01;
    scene.bodies.push_back(link);
    scene.joints.push_back(make_joint(JointKind::kHinge, parent, name, Vec3(0.03 * k, 0, 0), {Vec3::UnitY()}));
    JointAxis& axis = scene.joints.back().axes[0];
    axis.armature = k % 2 == 0 ? 1e-5 : 0;
    axis.damping = 0.02;
    axis.drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0.3}}, 10, 0.01);
    if (k == 2) axis.drive->max_force = 0.05;
  }
  std::vector<double> expected;
  for (const char* method : {"lcp-fixed", "shock-propagation"}) {
    scene.method.name = method;
    Simulation simulation(scene);
    run_to(simulation, 0.1);
    for (std::size_t k = 0; k < 4; ++k) {
      const double angle = simulation.world().joint_states[k].position[0];
      if (expected.size() < 4) {
        expected.push_back(angle);
      } else {
        EXPECT_NEAR(angle, expected[k], 3e-5) << k;
      }
    }
  }
}

class SleepingDrive : public ::testing::TestWithParam<const char*> {};

// What rests on a drive whose target stands may sleep; what waits for its drive to move must not sleep through it.
TEST_P(SleepingDrive, RestsUntilItsTargetMoves) {
  for (const bool moves : {false, true}) {
    Scene scene = make_carriage(GetParam(), 0.01, Vec3::UnitX(), Vec3(0, 0, -kGravity));
    scene.method.options["sleeping"] = true;
    DriveDescription drive = drive_to(DriveDescription::Kind::kPosition, {{0, 0}}, 1e4, 200);
    if (moves) drive.target = {{0, 0}, {3, 0}, {3.5, 0.1}};
    scene.joints[0].axes[0].drive = drive;
    Simulation simulation(scene);
    run_to(simulation, 2.9);
    EXPECT_EQ(simulation.world().bodies.asleep[1], moves ? 0 : 1);
    run_to(simulation, 4);
    EXPECT_NEAR(joint_position(simulation), moves ? 0.1 : 0, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SleepingDrive, ::testing::Values("lcp-fixed", "shock-propagation", "soft-step"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(DriveOfTheWorld, CanBeChangedBetweenStepsAndTakenAway) {
  Scene scene = make_carriage("lcp-fixed", 0.01, Vec3::UnitX(), Vec3::Zero());
  Simulation simulation(scene);
  simulation.world().set_drive(0, 0, drive_to(DriveDescription::Kind::kForce, {{0, 4}}));
  run_to(simulation, 0.5);
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), 4 * 0.5 / kMass, 1e-9);
  simulation.world().set_drive(0, 0, std::nullopt);
  run_to(simulation, 1);
  EXPECT_NEAR(simulation.world().joint_rate(0, 0), 4 * 0.5 / kMass, 1e-9);
  // A new target every step takes no new memory.
  for (int k = 0; k < 100; ++k)
    simulation.world().set_drive(0, 0, drive_to(DriveDescription::Kind::kForce, {{0, 1.0 * k}}));
  EXPECT_LE(simulation.world().drive_points.size(), 2U);
}

TEST(DriveOfTheWorld, ImpossibleDrivesAreRefused) {
  Scene scene = make_carriage("lcp-fixed", 0.01, Vec3::UnitX(), Vec3::Zero());
  Simulation simulation(scene);
  World& world = simulation.world();
  using Kind = DriveDescription::Kind;
  EXPECT_THROW(world.set_drive(0, 1, drive_to(Kind::kForce, {{0, 1}})), std::invalid_argument);
  EXPECT_THROW(world.set_drive(0, 0, drive_to(Kind::kForce, {})), std::invalid_argument);
  EXPECT_THROW(world.set_drive(0, 0, drive_to(Kind::kForce, {{1, 1}, {1, 2}})), std::invalid_argument);
  EXPECT_THROW(world.set_drive(0, 0, drive_to(Kind::kPosition, {{0, 1}}, 0, 1)), std::invalid_argument);
  EXPECT_THROW(world.set_drive(0, 0, drive_to(Kind::kSpeed, {{0, 1}}, 1, 0)), std::invalid_argument);
  EXPECT_THROW(world.set_drive(7, 0, std::nullopt), std::out_of_range);
}

}  // namespace
}  // namespace achilles
