// What may be changed in the world of a running simulation.
#include "support/scenes.hpp"

#include <achilles/simulation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

Scene make_pair(const std::string& method) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.method.name = method;
  scene.bodies = {make_ground(), make_body("a", {Sphere{0.1}}, Vec3(0, 0, 1)),
                  make_body("b", {Sphere{0.1}}, Vec3(0.5, 0, 1))};
  return scene;
}

JointDescription make_ball_joint() {
  JointDescription joint;
  joint.name = "link";
  joint.kind = JointKind::kBall;
  joint.first = std::string("a");
  joint.second = std::string("b");
  joint.at = Vec3(0.25, 0, 1);
  return joint;
}

TEST(RunningWorld, JointUnderAMethodWithoutJointsIsRefusedAndTheWorldStays) {
  for (const char* method : {"penalty", "impulse-zeno-free", "impulse-conservative"}) {
    Simulation simulation(make_pair(method));
    (void)simulation.step();
    simulation.world().add_joint(make_ball_joint());
    const std::uint64_t before = simulation.world().state_hash();
    EXPECT_THROW((void)simulation.step(), std::invalid_argument) << method;
    EXPECT_EQ(simulation.world().state_hash(), before) << method;
  }
}

TEST(RunningWorld, JointUnderAMethodWithJointsActs) {
  Simulation simulation(make_pair("lcp-fixed"));
  (void)simulation.step();
  simulation.world().add_joint(make_ball_joint());
  EXPECT_NO_THROW((void)simulation.step());
}

TEST(RunningWorld, MaterialThatTheMethodDoesNotHaveIsRefused) {
  Simulation simulation(make_pair("soft-step"));
  (void)simulation.step();
  Material soft = simulation.scene().materials[0];
  soft.law.stiffness = 1e4;
  simulation.world().materials = MaterialTable(std::vector{soft}, {});
  EXPECT_THROW((void)simulation.step(), std::invalid_argument);
}

// Two bodies hang on ball joints at rest under gravity g: each joint carries m g of its own body.
TEST(RunningWorld, LoadsStayWithTheirJointsWhenOneIsRemovedOrAdded) {
  Scene scene = make_scene(0.005, 0, 0);
  scene.bodies = {make_ground(), make_body("a", {Sphere{0.1}}, Vec3(0, 0, 1)),
                  make_body("b", {Sphere{0.1}}, Vec3(1, 0, 1))};
  scene.bodies[1].mass = 1;
  scene.bodies[2].mass = 2;
  for (const char* name : {"a", "b"}) {
    JointDescription joint;
    joint.name = std::string("hook of ") + name;
    joint.kind = JointKind::kBall;
    joint.first = "ground";
    joint.second = name;
    joint.at = Vec3(name[0] == 'a' ? 0 : 1, 0, 1.5);
    scene.joints.push_back(joint);
  }
  Simulation simulation(scene);
  for (int k = 0; k < 20; ++k) (void)simulation.step();
  World& world = simulation.world();
  ASSERT_NEAR(simulation.joint_loads()[0].force.z(), 9.81, 1e-6);
  ASSERT_NEAR(simulation.joint_loads()[1].force.z(), 2 * 9.81, 1e-6);

  world.remove_joint(0);
  ASSERT_EQ(simulation.joint_loads().size(), 1U);
  EXPECT_NEAR(simulation.joint_loads()[0].force.z(), 2 * 9.81, 1e-6);
  // A copy is where the original is.
  EXPECT_EQ(Simulation(simulation).joint_loads()[0].force, simulation.joint_loads()[0].force);

  world.add_joint(scene.joints[0]);
  ASSERT_EQ(simulation.joint_loads().size(), 2U);
  EXPECT_EQ(simulation.joint_loads()[1].force, Vec3::Zero());  // it has done nothing yet
  (void)simulation.step();
  EXPECT_NEAR(simulation.joint_loads()[0].force.z(), 2 * 9.81, 1e-6);
  EXPECT_NEAR(simulation.joint_loads()[1].force.z(), 9.81, 1e-6);

  const World saved = world;
  world.remove_body(world.find("b"));
  ASSERT_EQ(simulation.joint_loads().size(), 1U);
  EXPECT_NEAR(simulation.joint_loads()[0].force.z(), 9.81, 1e-6);
  simulation.restore(saved);
  ASSERT_EQ(simulation.joint_loads().size(), 2U);
  EXPECT_NEAR(simulation.joint_loads()[0].force.z(), 2 * 9.81, 1e-6);
}

std::string refusal_of(Simulation& simulation, const World& world) {
  const std::uint64_t before = simulation.world().state_hash();
  try {
    simulation.restore(world);
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(simulation.world().state_hash(), before);
    return error.what();
  }
  return {};
}

TEST(Restore, OfAnotherScenesWorldIsRefusedAndNamesWhatDiffers) {
  using ::testing::HasSubstr;
  const Scene scene = make_pair("lcp-fixed");
  Simulation simulation(scene);

  Scene other = scene;
  other.bodies.pop_back();
  EXPECT_THAT(refusal_of(simulation, World(other)), HasSubstr("never had the body 'b'"));
  other = scene;
  other.bodies[1].name = "c";
  EXPECT_THAT(refusal_of(simulation, World(other)), HasSubstr("the body 'c' where this scene has 'a'"));
  other = scene;
  other.bodies[2].kind = BodyKind::kScripted;
  EXPECT_THAT(refusal_of(simulation, World(other)), HasSubstr("body 'b' is not of the same kind"));
  other = scene;
  other.bodies[2].shape = {Box{Vec3::Constant(0.1)}};
  EXPECT_THAT(refusal_of(simulation, World(other)), HasSubstr("body 'b' has another shape"));
  other.bodies[2].shape = {Sphere{0.1001}};
  EXPECT_THAT(refusal_of(simulation, World(other)), HasSubstr("body 'b' has another shape"));

  Scene watched = scene;
  watched.triggers = {{"gate", {Box{Vec3(1, 1, 1)}}, {}}};
  Simulation watching(watched);
  EXPECT_THAT(refusal_of(watching, World(scene)), HasSubstr("no trigger 'gate'"));
  other = watched;
  other.triggers[0].shape = {Box{Vec3(1, 1, 2)}};
  EXPECT_THAT(refusal_of(watching, World(other)), HasSubstr("trigger 'gate' has another shape"));
}

TEST(Restore, TakesWorldsOfItsSceneWhateverHappenedToThem) {
  const Scene scene = make_pair("lcp-fixed");
  Simulation simulation(scene);
  const World start = simulation.world();
  World changed = start;
  changed.remove_body(changed.find("a"));
  changed.add_body(make_body("a", {Box{Vec3::Constant(0.2)}}, Vec3(3, 0, 1)));  // takes the place of the removed one
  changed.add_body(make_body("c", {Sphere{0.3}}, Vec3(5, 0, 1)));
  JointDescription joint = make_ball_joint();
  joint.first = "c";
  changed.add_joint(joint);
  EXPECT_EQ(refusal_of(simulation, changed), "");
  EXPECT_EQ(simulation.world().bodies.size(), 4U);
  EXPECT_EQ(refusal_of(simulation, start), "");
  EXPECT_EQ(simulation.world().state_hash(), start.state_hash());

  // Saved and loaded it shares no shapes; a scene that reads 0.1 as another program wrote it may be off by rounding.
  Scene rounded = scene;
  rounded.bodies[1].shape = {Sphere{std::nextafter(0.1, 1)}};
  std::stringstream stream;
  World(rounded).save(stream);
  EXPECT_EQ(refusal_of(simulation, World::load(stream)), "");
}

}  // namespace
}  // namespace achilles
