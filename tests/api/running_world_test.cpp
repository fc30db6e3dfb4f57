// What may be changed in the world of a running simulation.
#include "support/scenes.hpp"

#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

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

}  // namespace
}  // namespace achilles
