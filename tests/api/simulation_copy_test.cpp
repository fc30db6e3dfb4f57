// Copies of running simulations, runs with a step loop of the program, and the texts for other languages.
#include "record/recording.hpp"
#include "support/scenes.hpp"
#include "support/temporary_folder.hpp"

#include <achilles/json.hpp>
#include <achilles/recorder.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

Scene make_tumbling_box() {
  Scene scene = make_scene(0.01, 0.4, 0);
  scene.bodies = {make_ground(), make_body("box", {Box{Vec3(1, 0.7, 0.4)}}, Vec3(0.1, 0.2, 0.51))};
  scene.bodies[1].velocity = Vec3(1, 0.2, 0);
  scene.bodies[1].spin = Vec3(0.3, 2, 0.1);
  return scene;
}

TEST(SimulationCopy, GoesOnWithTheSameBitsAndApart) {
  Simulation simulation(make_tumbling_box());
  for (int k = 0; k < 10; ++k) (void)simulation.step();
  Simulation copy(simulation);
  EXPECT_EQ(copy.world().state_hash(), simulation.world().state_hash());
  ASSERT_EQ(copy.contacts().size(), simulation.contacts().size());
  for (int k = 0; k < 30; ++k) (void)copy.step();
  EXPECT_EQ(simulation.world().step_index, 10);
  for (int k = 0; k < 30; ++k) (void)simulation.step();
  EXPECT_EQ(copy.world().state_hash(), simulation.world().state_hash());
}

TEST(SimulationCopy, AssignmentReplacesTheState) {
  Simulation simulation(make_tumbling_box(), 2), other(make_tumbling_box());
  for (int k = 0; k < 5; ++k) (void)simulation.step();
  other = simulation;
  EXPECT_EQ(other.world().state_hash(), simulation.world().state_hash());
  EXPECT_EQ(other.threads(), 2);
}

TEST(StepTogether, GivesTheBitsOfOneAfterTheOther) {
  // Four starts that differ, on three threads.
  std::vector<Simulation> together, alone;
  for (int k = 0; k < 4; ++k) {
    Scene scene = make_tumbling_box();
    scene.bodies[1].velocity.x() += 0.3 * k;
    together.emplace_back(scene);
    alone.emplace_back(scene);
  }
  std::vector<Simulation*> list;
  for (Simulation& simulation : together) list.push_back(&simulation);
  std::vector<StepReport> reports(list.size());
  step_together(list, 25, 3, reports);
  for (std::size_t k = 0; k < list.size(); ++k) {
    StepReport last;
    for (int n = 0; n < 25; ++n) last = alone[k].step();
    EXPECT_EQ(together[k].world().state_hash(), alone[k].world().state_hash()) << k;
    EXPECT_EQ(reports[k].contacts, last.contacts) << k;
  }
  EXPECT_THROW(step_together(list, 1, 0, reports), std::invalid_argument);
  EXPECT_THROW(step_together(list, 1, 1, std::span(reports).first(1)), std::invalid_argument);
}

TEST(Restore, KeepsTheArraysOfTheStateWhereTheyAre) {
  Simulation simulation(make_tumbling_box());
  const World start = simulation.world();
  const Vec3* const position = simulation.world().bodies.position.data();
  const BodyVelocity* const velocity = simulation.world().bodies.velocity.data();
  for (int k = 0; k < 5; ++k) (void)simulation.step();
  simulation.restore(start);
  EXPECT_EQ(simulation.world().bodies.position.data(), position);
  EXPECT_EQ(simulation.world().bodies.velocity.data(), velocity);
  EXPECT_EQ(simulation.world().state_hash(), start.state_hash());
}

TEST(JointMotion, OfAHingeIsItsAngleAndTheSpinAboutItsAxis) {
  Scene scene = make_scene(0.001, 0, 0);
  scene.gravity.setZero();
  scene.bodies = {make_body("post", {Box{Vec3(0.1, 0.1, 0.1)}}, Vec3::Zero()),
                  make_body("arm", {Box{Vec3(1, 0.1, 0.1)}}, Vec3(0.5, 0, 0))};
  scene.bodies[0].kind = BodyKind::kFixed;
  // 2 rad/s about the hinge: the centre, at 0.5 m, goes along y at 1 m/s.
  scene.bodies[1].spin = Vec3(0, 0, 2);
  scene.bodies[1].velocity = Vec3(0, 1, 0);
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::kHinge;
  hinge.first = std::string("post");
  hinge.second = std::string("arm");
  hinge.axes.resize(1);
  scene.joints = {hinge};
  Simulation simulation(scene);
  EXPECT_NEAR(simulation.joint_motion(0).rate[0], 2, 1e-12);
  EXPECT_NEAR(simulation.joint_motion(0).position[0], 0, 1e-12);
  for (int k = 0; k < 100; ++k) (void)simulation.step();
  // Nothing acts about the axis: 0.1 s at 2 rad/s. Within a step the centre goes straight, by an error of h² per step.
  EXPECT_NEAR(simulation.joint_motion(0).rate[0], 2, 1e-3);
  EXPECT_NEAR(simulation.joint_motion(0).position[0], 0.2, 1e-3);
  EXPECT_THROW((void)simulation.joint_motion(1), std::out_of_range);
}

TEST(Recorder, WithALoopOfTheProgramReportsWhatRunSceneReports) {
  const Scene scene = make_tumbling_box();
  Simulation simulation(scene);
  achilles::Recorder run(simulation);
  for (int k = 0; k < 50; ++k) (void)run.step();
  nlohmann::json own = nlohmann::json::parse(report_to_json(run.finish()));
  RunOptions options;
  options.duration = 0.5;
  nlohmann::json whole = nlohmann::json::parse(report_to_json(run_scene(scene, options)));
  for (const char* clock : {"wall_seconds", "real_time_factor"}) own.erase(clock), whole.erase(clock);
  EXPECT_EQ(own, whole);
}

TEST(Recorder, ImpulsesGivenBetweenStepsAreNoErrorOfMomentum) {
  Simulation simulation(make_tumbling_box());
  achilles::Recorder run(simulation);
  for (int k = 0; k < 10; ++k) {
    World& world = simulation.world();
    world.apply_impulse(world.find("box"), Vec3(30, 0, 0), world.bodies.position[1]);
    (void)run.step();
  }
  // Rounding of sums of momenta, relative to what is in play.
  EXPECT_LT(run.report().momentum.linear_error.value(), 1e-12);
}

// A scene of shapes and joints of many kinds, turned, with every kind of description that a program may fill in.
TEST(Recorder, AControlledSceneBuiltInCodeIsRecordedResumedAndReplayed) {
  const testing::TemporaryFolder folder;
  Scene scene;
  scene.step = 0.002;
  scene.duration = 0.5;
  BodyDescription arm = testing::make_body("arm", {Box{{0.5, 0.1, 0.1}}}, Vec3(0.3, 0, 1));
  arm.mass = 2;
  arm.pose.q = Quat(Eigen::AngleAxisd(0.3, Vec3(1, 2, 3).normalized()));
  arm.color = Color{1, 0.5, 0, 1};
  arm.visuals = {{{Capsule{0.03, 0.4}}, {}, {}}};
  Mesh tetrahedron;
  tetrahedron.vertices = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}};
  tetrahedron.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  BodyDescription rock = testing::make_body("rock", {tetrahedron}, Vec3(2, 2, 0));
  rock.kind = BodyKind::kFixed;
  BodyDescription ball = testing::make_body("ball", {Sphere{0.1}}, Vec3(0, 1, 0.2));
  ball.mass = 1;
  scene.bodies = {testing::make_ground(), arm, rock, ball};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::kHinge;
  hinge.first = "world";
  hinge.second = "arm";
  hinge.at = Vec3(0, 0, 1);
  hinge.axes.resize(1);
  hinge.axes[0].axis = Vec3(0.1, 1, 0.2).normalized();
  DriveDescription drive;
  drive.target = {{0, 0}, {0.2, 0.5}};
  drive.stiffness = 100;
  drive.damping = 10;
  hinge.axes[0].drive = drive;
  scene.joints = {hinge};
  SensorDescription imu;
  imu.name = "imu";
  imu.kind = SensorKind::kImu;
  imu.body = "arm";
  scene.sensors = {imu};
  const std::string path = folder.file("run.h5");
  {
    Simulation simulation(scene);
    RunOptions options;
    options.record_path = path;
    options.csv_path = folder.file("run.csv");
    Recorder recorder(simulation, options);
    for (int k = 0; k < 250; ++k) (void)recorder.step();
    const RunReport report = recorder.finish();
    ASSERT_EQ(report.sensors.size(), 1U);
    ASSERT_EQ(report.sensors[0].columns.size(), 6U);
    const Recording recording(path);
    const RobotHead& robots = recording.head().robots;
    ASSERT_EQ(robots.columns.size(), 6U);
    EXPECT_EQ(robots.columns[2].column, "az");
    EXPECT_EQ(robots.columns[2].unit, "m/s²");
    EXPECT_EQ(robots.visuals.size(), 1U);
    EXPECT_EQ(robots.colors.size(), 1U);
    ASSERT_EQ(robots.joints.size(), 1U);
    EXPECT_EQ(robots.joints[0].axis_count, 1U);
    Instant last;
    recording.read(recording.instants() - 1, last);
    ASSERT_EQ(last.sensors.size(), 6U);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(last.sensors[k], report.sensors[0].columns[k].last);
    EXPECT_FALSE(recording.find_first_altered().has_value());
    std::ifstream table(folder.file("run.sensors.csv"));
    std::string heading;
    std::getline(table, heading);
    EXPECT_EQ(heading, "time,imu ax [m/s²],imu ay [m/s²],imu az [m/s²],imu wx [rad/s],imu wy [rad/s],imu wz [rad/s]");
  }
  const ReplayResult replay = replay_recording(path);
  EXPECT_GT(replay.instants, 10U);
  EXPECT_FALSE(replay.first_difference.has_value());
  RunOptions longer;
  longer.duration = 0.6;
  EXPECT_EQ(resume_run(path, longer).steps, 300);
  EXPECT_FALSE(replay_recording(path).first_difference.has_value());
}

TEST(CountSteps, MultiplesOfTheStepUpToRoundingTakeNoExtraStep) {
  EXPECT_EQ(count_steps(0.3, 0.1), 3);  // 0.3 / 0.1 is 2.9999999999999996
  EXPECT_EQ(count_steps(0.31, 0.1), 4);
  EXPECT_EQ(count_steps(0, 0.1), 0);
}

TEST(SceneText, KeepsNumbersWordsAndOrder) {
  const std::string text = "achilles: 1\nb: [1, 2.50, -0, '3', yes, true, .inf]\na: {x: null}\n";
  EXPECT_EQ(scene_text_to_json(text), R"({"achilles":1,"b":[1,2.5,-0.0,"3","yes",true,".inf"],"a":{"x":null}})");
  EXPECT_EQ(scene_text_to_json(scene_text_to_yaml(text)), scene_text_to_json(text));
  EXPECT_THROW((void)scene_text_to_json("a: [1"), SceneError);
}

TEST(MethodsToJson, GivesEachOptionADefaultWithinItsRange) {
  const nlohmann::json methods = nlohmann::json::parse(methods_to_json());
  ASSERT_FALSE(methods.empty());
  for (const auto& method : methods) {
    for (const auto& option : method.at("options")) {
      if (option.contains("minimum") && option.at("minimum").is_number()) {
        EXPECT_GE(option.at("default"), option.at("minimum")) << method.at("name") << ' ' << option;
      }
      if (option.contains("words")) {
        EXPECT_NE(std::find(option.at("words").begin(), option.at("words").end(), option.at("default")),
                  option.at("words").end());
      }
    }
  }
}

}  // namespace
}  // namespace achilles
