// Robots against statics: what grippers press, what joints carry, what feet stand on, how long a pendulum swings.
#include <achilles/import.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace achilles {
namespace {

constexpr double kGravity = 9.81;

void run_to(Simulation& simulation, double time) {
  while (simulation.world().time < time - 1e-9) ASSERT_FALSE(simulation.step().stopped.has_value());
}

// An arm of two links holds a gripper; the fingers press a box of 0.5 kg between them with 20 N each, by friction
// alone.
const char* const kArmWithGripper = R"(
achilles: 1
time: {step: 0.002}
method: lcp-fixed
materials:
  rubber: {friction: 0.8}
bodies:
  - {name: upper, shape: {box: {size: [0.5, 0.05, 0.05]}}, mass: 3, position: [0.25, 0, 1], group: arm}
  - {name: fore, shape: {box: {size: [0.4, 0.05, 0.05]}}, mass: 2, position: [0.7, 0, 1], group: arm}
  - {name: palm, shape: {box: {size: [0.05, 0.2, 0.05]}}, mass: 0.8, position: [0.9, 0, 0.95], group: arm}
  - {name: left, shape: {box: {size: [0.03, 0.02, 0.1]}}, mass: 0.1, position: [0.9, 0.041, 0.87], material: rubber, group: arm}
  - {name: right, shape: {box: {size: [0.03, 0.02, 0.1]}}, mass: 0.1, position: [0.9, -0.042, 0.87], material: rubber, group: arm}
  - {name: box, shape: {box: {size: [0.08, 0.06, 0.08]}}, mass: 0.5, position: [0.9, 0, 0.85], material: rubber}
joints:
  - {name: shoulder, kind: hinge, between: [world, upper], at: [0, 0, 1], axis: [0, 1, 0],
     drive: {position: 0, stiffness: 3000, damping: 300}}
  - {name: elbow, kind: hinge, between: [upper, fore], at: [0.5, 0, 1], axis: [0, 1, 0],
     drive: {position: 0, stiffness: 2000, damping: 100}}
  - {name: wrist, kind: fixed, between: [fore, palm], at: [0.9, 0, 1]}
  - {name: close_left, kind: slider, between: [palm, left], at: [0.9, 0.04, 0.9], axis: [0, -1, 0],
     drive: {force: 20}}
  - {name: close_right, kind: slider, between: [palm, right], at: [0.9, -0.04, 0.9], axis: [0, 1, 0],
     drive: {position: 0.012, stiffness: 10000, damping: 100}}
rules:
  - {ignore: [arm, arm]}
sensors:
  - {name: left, kind: touch, body: left}
  - {name: right, kind: touch, body: right}
  - {name: weight of the box, kind: contact_force, body: box}
  - {name: shoulder, kind: joint_torque, joint: shoulder}
  - {name: elbow, kind: joint_torque, joint: elbow}
)";

// At rest, with the fingers level up to the sag of the arm: each finger presses as the drive of the left one, friction
// carries the weight of the box, and each drive the moment of all that hangs beyond its joint, in the pose they have.
TEST(RobotStatics, SqueezeForceAndJointTorquesBalance) {
  Simulation simulation(parse_scene(kArmWithGripper));
  run_to(simulation, 6);
  const World& world = simulation.world();
  const auto read = [&](const char* name) { return simulation.sensor_values(name)[0]; };
  // The slides are level: gravity has no part along them.
  EXPECT_NEAR(read("left"), 20, 1e-6 * 20);
  EXPECT_NEAR(read("right"), 20, 1e-6 * 20);
  const std::span<const double> force = simulation.sensor_values("weight of the box");
  EXPECT_NEAR(force[2], 0.5 * kGravity, 1e-6 * 0.5 * kGravity);
  EXPECT_NEAR(force[1], 0, 1e-6 * 20);
  const auto moment = [&](const std::vector<const char*>& names, double x) {
    double sum = 0;
    for (const char* name : names) {
      const std::uint32_t body = world.index_of(world.find(name));
      sum += world.bodies.mass[body] * kGravity * (world.bodies.position[body].x() - x);
    }
    return sum;
  };
  const WorldJoint& elbow = world.joints[world.index_of(world.find_joint("elbow"))];
  const Vec3 at = world.bodies.position[elbow.body_a] + world.bodies.orientation[elbow.body_a] * elbow.anchor_A;
  // A moment about +y lowers what lies at +x: the drives hold against it.
  const double beyond = moment({"fore", "palm", "left", "right", "box"}, at.x());
  EXPECT_NEAR(read("elbow"), -beyond, 1e-6 * beyond);
  const double all = moment({"upper", "fore", "palm", "left", "right", "box"}, 0);
  EXPECT_NEAR(read("shoulder"), -all, 1e-6 * all);
}

class GearedWheels : public ::testing::TestWithParam<const char*> {};

// Two wheels, I = ½ m r², geared 1 : −2, with a torque on the first: α = τ / (I₁ + 4 I₂). soft-step computes in single
// precision and softens the gear; what that leaves is below a thousandth.
TEST_P(GearedWheels, TurnAsOneInertia) {
  Scene scene = parse_scene(R"(
achilles: 1
time: {step: 0.005}
gravity: [0, 0, 0]
bodies:
  - {name: first, shape: {cylinder: {radius: 0.2, height: 0.05}}, mass: 2}
  - {name: second, shape: {cylinder: {radius: 0.1, height: 0.05}}, mass: 1, position: [0.5, 0, 0]}
joints:
  - {name: turn first, kind: hinge, between: [world, first], at: [0, 0, 0], axis: [0, 0, 1], drive: {force: 0.1}}
  - {name: turn second, kind: hinge, between: [world, second], at: [0.5, 0, 0], axis: [0, 0, 1]}
couplings:
  - {name: gear, joints: [turn second, turn first], ratio: -2}
)");
  scene.method.name = GetParam();
  Simulation simulation(scene);
  run_to(simulation, 2);
  const double alpha = 0.1 / (0.5 * 2 * 0.04 + 4 * 0.5 * 1 * 0.01);
  EXPECT_NEAR(simulation.joint_motion(0).rate[0], 2 * alpha, 1e-3 * 2 * alpha);
  EXPECT_NEAR(simulation.joint_motion(1).rate[0], -4 * alpha, 1e-3 * 4 * alpha);
  EXPECT_NEAR(simulation.joint_motion(1).position[0], -2 * simulation.joint_motion(0).position[0], 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Methods, GearedWheels, ::testing::Values("lcp-fixed", "soft-step"), [](const auto& tested) {
  return std::string(tested.param[0] == 'l' ? "LcpFixed" : "SoftStep");
});

/// A quadruped of 12 kg with two joints per leg.
std::string make_quadruped() {
  std::string text = R"(<robot name="quadruped">
  <link name="trunk"><inertial><mass value="8"/><inertia ixx="0.06" iyy="0.2" izz="0.24" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.5 0.25 0.1"/></geometry></collision></link>)";
  for (const char* leg : {"fl", "fr", "hl", "hr"}) {
    const std::string name = leg;
    const std::string x = leg[0] == 'f' ? "0.2" : "-0.2", y = leg[1] == 'l' ? "0.16" : "-0.16";
    text += "<link name='" + name + R"(_thigh'><inertial><origin xyz="0 0 -0.1"/><mass value="0.7"/>
      <inertia ixx="0.003" iyy="0.003" izz="0.0005" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0 -0.1"/><geometry><box size="0.04 0.03 0.2"/></geometry></collision></link>)";
    text += "<link name='" + name + R"(_shank'><inertial><origin xyz="0 0 -0.1"/><mass value="0.3"/>
      <inertia ixx="0.001" iyy="0.001" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0 -0.2"/><geometry><sphere radius="0.02"/></geometry></collision></link>)";
    text += "<joint name='" + name + "_hip' type='revolute'><parent link='trunk'/><child link='" + name +
            "_thigh'/><origin xyz='" + x + " " + y +
            " 0'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='60' velocity='20'/></joint>";
    text += "<joint name='" + name + "_knee' type='revolute'><parent link='" + name + "_thigh'/><child link='" + name +
            "_shank'/><origin xyz='0 0 -0.2'/><axis xyz='0 1 0'/>"
            "<limit lower='-2.5' upper='0' effort='60' velocity='20'/></joint>";
  }
  return text + "</robot>";
}

class Quadruped : public ::testing::TestWithParam<const char*> {};

// Dropped from 0.1 m with bent legs that servos hold, it comes to rest on its four feet: the ground carries 12 kg.
TEST_P(Quadruped, DroppedRestsOnItsFeetWithItsWholeWeight) {
  ImportOptions options;
  options.hold_stiffness = 300;
  options.hold_damping = 10;
  for (const char* leg : {"fl", "fr", "hl", "hr"}) {
    options.start[std::string(leg) + "_hip"] = 0.6;
    options.start[std::string(leg) + "_knee"] = -1.2;
  }
  Scene scene = import_robot_text(make_quadruped(), "quadruped.urdf", options);
  scene.method.name = GetParam();
  for (BodyDescription& body : scene.bodies) {
    if (body.kind == BodyKind::kDynamic) body.pose.p.z() += 0.1;
  }
  for (JointDescription& joint : scene.joints) joint.at.z() += 0.1;
  Simulation simulation(scene);
  const World& world = simulation.world();
  const double dropped_from = world.pose(world.find("trunk")).p.z();
  run_to(simulation, 4);
  double normal = 0;  // [N]
  for (const ContactRecord& contact : simulation.contacts()) {
    normal += std::abs(contact.impulse.dot(contact.normal)) / scene.step;
  }
  EXPECT_NEAR(normal, 12 * kGravity, 1e-3 * 12 * kGravity);
  const BodyHandle trunk = world.find("trunk");
  // Back to where it stood before it was lifted by 0.1 m. A knee bears 30 N at 0.11 m, which turns it by 0.011 rad, and
  // the feet sink by what the legs fold: some 2 mm.
  EXPECT_NEAR(world.pose(trunk).p.z(), dropped_from - 0.1, 0.005);
  EXPECT_GT((world.pose(trunk).q * Vec3::UnitZ()).z(), 0.99);
  EXPECT_LT(world.velocity(trunk).linear.norm(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Methods, Quadruped, ::testing::Values("lcp-fixed", "soft-step"), [](const auto& tested) {
  return std::string(tested.param[0] == 'l' ? "LcpFixed" : "SoftStep");
});

// A rod of 1 m and 1 kg on a hinge at its end, from a URDF, swings by 0.05 rad: T = 2π √(I / (m g l/2)) (1 + θ²/16),
// with I = m l² / 3. A step of first order, 1 ms, changes the period by some parts in 10⁴.
TEST(RobotPendulum, SwingsAsAPhysicalPendulum) {
  const char* const urdf = R"(<robot name="pendulum"><link name="world"/>
    <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
      <inertia ixx="0.0833333333" iyy="0.0833333333" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="pivot" type="continuous"><parent link="world"/><child link="rod"/><origin xyz="0 0 2"/>
      <axis xyz="0 1 0"/></joint></robot>)";
  ImportOptions options;
  options.start["pivot"] = 0.05;
  Scene scene = import_robot_text(urdf, "pendulum.urdf", options, {{"time.step", "0.001"}});
  Simulation simulation(scene);
  const JointHandle pivot = simulation.world().find_joint("pivot");
  // Positions count from the start: the rod hangs at -0.05. Downward crossings are a period apart.
  std::vector<double> crossings;
  double before = 0.05;
  while (simulation.world().time < 6) {
    (void)simulation.step();
    const double angle = simulation.joint_motion(pivot).position[0] + 0.05;
    if (before > 0 && angle <= 0) {
      crossings.push_back(simulation.world().time + 0.001 * angle / (before - angle));
    }
    before = angle;
  }
  ASSERT_GE(crossings.size(), 3U);
  const double period = 2 * std::numbers::pi * std::sqrt((1.0 / 3) / (kGravity * 0.5)) * (1 + 0.05 * 0.05 / 16);
  EXPECT_NEAR(crossings[2] - crossings[1], period, 5e-4 * period);
}

}  // namespace
}  // namespace achilles
