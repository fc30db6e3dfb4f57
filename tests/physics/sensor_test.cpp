// What sensors read, against statics and kinematics.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_ground;
using testing::make_joint;
using testing::make_scene;
using testing::run_to;

constexpr double kGravity = 9.81;

SensorDescription make_sensor(const std::string& name, SensorKind kind, const std::string& body) {
  SensorDescription sensor;
  sensor.name = name;
  sensor.kind = kind;
  sensor.body = body;
  return sensor;
}

Vec3 vector_of(std::span<const double> values, std::size_t first = 0) {
  return {values[first], values[first + 1], values[first + 2]};
}

/// A box of 3 kg and half a metre on the ground, with an instrument of every kind.
Scene make_box_on_ground(const std::string& method) {
  Scene scene = make_scene(0.005, 0.5, 0);
  scene.method.name = method;
  BodyDescription box = make_body("box", {Box{Vec3(0.5, 0.5, 0.5)}}, Vec3(0.2, 0.1, 0.25));
  box.mass = 3;
  scene.bodies = {make_ground(), box};
  SensorDescription imu = make_sensor("imu", SensorKind::kImu, "box");
  imu.pose.q = Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));  // its y axis looks up
  scene.sensors = {imu, make_sensor("force", SensorKind::kContactForce, "box"),
                   make_sensor("scale", SensorKind::kContactForce, "ground"),
                   make_sensor("touch", SensorKind::kTouch, "box"), make_sensor("frame", SensorKind::kFrame, "box")};
  return scene;
}

class Sensors : public ::testing::TestWithParam<const char*> {
 protected:
  /// soft-step computes in single precision and its contacts give way a little.
  [[nodiscard]] double tolerance() const { return std::string(GetParam()) == "soft-step" ? 1e-3 : 1e-6; }
};

// At rest the only force is the weight, and what is not gravity accelerates upwards with g.
TEST_P(Sensors, BoxAtRestReadsItsWeightAndG) {
  Simulation simulation(make_box_on_ground(GetParam()));
  run_to(simulation, 2);
  const double weight = 3 * kGravity;
  EXPECT_LT((vector_of(simulation.sensor_values("force")) - Vec3(0, 0, weight)).norm(), tolerance() * weight);
  EXPECT_LT((vector_of(simulation.sensor_values("scale")) + Vec3(0, 0, weight)).norm(), tolerance() * weight);
  EXPECT_NEAR(simulation.sensor_values("touch")[0], weight, tolerance() * weight);
  EXPECT_LT((vector_of(simulation.sensor_values("imu")) - Vec3(0, kGravity, 0)).norm(), tolerance() * kGravity);
  EXPECT_LT(vector_of(simulation.sensor_values("imu"), 3).norm(), tolerance());
  EXPECT_LT((vector_of(simulation.sensor_values("frame")) - Vec3(0.2, 0.1, 0.25)).norm(), 1e-3);
}

// In free fall nothing but gravity acts: the proper acceleration is 0, the rate that of the spin, in the sensor's axes.
TEST_P(Sensors, ImuInFreeFallReadsZeroAndTheSpin) {
  Scene scene = make_box_on_ground(GetParam());
  scene.bodies[1].pose.p.z() = 100;
  scene.bodies[1].spin = Vec3(0, 0, 2);
  Simulation simulation(scene);
  run_to(simulation, 0.5);
  EXPECT_LT(vector_of(simulation.sensor_values("imu")).norm(), tolerance() * kGravity);
  // The world's z is the sensor's y.
  EXPECT_LT((vector_of(simulation.sensor_values("imu"), 3) - Vec3(0, 2, 0)).norm(), tolerance());
  EXPECT_EQ(simulation.sensor_values("touch")[0], 0);
  // v = −g t after whole steps, the spin in world axes.
  EXPECT_NEAR(simulation.sensor_values("frame")[9], -kGravity * 0.5, tolerance() * kGravity);
  EXPECT_NEAR(simulation.sensor_values("frame")[12], 2, tolerance());
}

INSTANTIATE_TEST_SUITE_P(Methods, Sensors,
                         ::testing::Values("lcp-fixed", "anitescu", "hybrid", "shock-propagation", "soft-step"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ω² r towards the axis; a mean over a step of h turns by ω h/2 against the sensor at its end: ω³ r h/2 = 6.75e-3
// across.
TEST(Sensor, ImuOnATurntableReadsTheCentripetalAcceleration) {
  Scene scene = make_scene(1e-3, 0, 0);
  scene.gravity = Vec3::Zero();
  scene.bodies = {make_body("disc", {Box{Vec3(2, 2, 0.1)}}, Vec3::Zero())};
  scene.bodies[0].spin = Vec3(0, 0, 3);
  SensorDescription imu = make_sensor("imu", SensorKind::kImu, "disc");
  imu.pose.p = Vec3(0.5, 0, 0);
  scene.sensors = {imu};
  Simulation simulation(scene);
  run_to(simulation, 0.7);
  EXPECT_LT((vector_of(simulation.sensor_values("imu")) - Vec3(-9 * 0.5, 0, 0)).norm(), 8e-3);
}

// The ray starts inside its own body, which it does not see.
TEST(Sensor, RayReadsTheDistanceToTheNextOtherBodyOrItsRange) {
  Scene scene = make_scene(1e-3, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription probe = make_body("probe", {Sphere{0.1}}, Vec3(0, 0, 1));
  scene.bodies = {make_ground(), probe};
  SensorDescription down = make_sensor("down", SensorKind::kDistanceRay, "probe");
  down.direction = -Vec3::UnitZ();
  SensorDescription up = down;
  up.name = "up";
  up.direction = Vec3::UnitZ();
  up.range = 7;
  SensorDescription slanted = down;
  slanted.name = "slanted";
  slanted.pose.q = Quat(Eigen::AngleAxisd(std::numbers::pi / 3, Vec3::UnitX()));
  scene.sensors = {down, up, slanted};
  Simulation simulation(scene);
  EXPECT_NEAR(simulation.sensor_values("down")[0], 1, 1e-12);
  (void)simulation.step();
  EXPECT_NEAR(simulation.sensor_values("down")[0], 1, 1e-12);
  EXPECT_EQ(simulation.sensor_values("up")[0], 7);
  EXPECT_NEAR(simulation.sensor_values("slanted")[0], 2, 1e-9);  // 1/cos 60°
}

// 4 N on 2 kg for half a second: 1 m/s; semi-implicit steps of h go ½ a t (t + h).
TEST(Sensor, JointReadsPositionVelocityAndForceOfItsDrive) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity = Vec3::Zero();
  BodyDescription carriage = make_body("carriage", {Sphere{0.1}}, Vec3(1, 0, 0));
  carriage.mass = 2;
  scene.bodies = {make_anchor(), carriage};
  scene.joints = {make_joint(JointKind::kSlider, "anchor", "carriage", Vec3(1, 0, 0), {Vec3::UnitX()})};
  DriveDescription drive;
  drive.kind = DriveDescription::Kind::kForce;
  drive.target = {{0, 4}};
  scene.joints[0].axes[0].drive = drive;
  for (const auto& [name, kind] :
       {std::pair("position", SensorKind::kJointPosition), std::pair("velocity", SensorKind::kJointVelocity),
        std::pair("force", SensorKind::kJointTorque)}) {
    SensorDescription sensor;
    sensor.name = name;
    sensor.kind = kind;
    sensor.joint = scene.joints[0].name;
    scene.sensors.push_back(sensor);
  }
  Simulation simulation(scene);
  EXPECT_EQ(simulation.sensors()[2].columns[0].unit, "N");
  run_to(simulation, 0.5);
  EXPECT_NEAR(simulation.sensor_values("velocity")[0], 1, 1e-9);
  EXPECT_NEAR(simulation.sensor_values("force")[0], 4, 1e-9);
  EXPECT_NEAR(simulation.sensor_values("position")[0], 0.5 * 2 * 0.5 * (0.5 + 0.01), 1e-9);
  EXPECT_THROW((void)simulation.sensor_values("nobody"), std::out_of_range);
  simulation.world().remove_joint(0);
  (void)simulation.step();
  EXPECT_TRUE(std::isnan(simulation.sensor_values("velocity")[0]));
}

}  // namespace
}  // namespace achilles
