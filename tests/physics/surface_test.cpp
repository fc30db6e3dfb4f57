// Bodies on meshes: a floor of many triangles is a floor.
#include "geometry/sample.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_scene;
using testing::position_of;
using testing::velocity_of;

/// A slab with its top at z = 0, each side cut into n × n squares of two triangles.
BodyDescription make_meshed_floor(int n) {
  Mesh mesh = sample::box_mesh({10, 10, 1}, n);
  for (Vec3& vertex : mesh.vertices) vertex.z() -= 0.5;
  BodyDescription floor = make_body("floor", {mesh}, Vec3::Zero());
  floor.kind = BodyKind::kFixed;
  return floor;
}

// Without friction nothing acts along the floor: the box keeps its velocity and its height exactly. Contacts at the
// edges between coplanar triangles would lift it or turn it aside. The tolerances are the millionth of a metre,
// and what that does to a velocity within a step.
TEST(MeshFloor, FrictionlessBoxSlidesOverItWithoutABump) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.bodies = {make_meshed_floor(23), make_body("box", {Box{{1, 0.8, 0.5}}}, {-3, -1, 0.25})};
  scene.bodies[1].pose.q = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()));
  const Vec3 velocity(2, 0.7, 0);
  scene.bodies[1].velocity = velocity;
  Simulation simulation(scene);
  while (simulation.world().time < 3) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_NEAR(position_of(simulation, "box").z(), 0.25, 1e-6) << simulation.world().time;
    ASSERT_LE((velocity_of(simulation, "box").linear - velocity).norm(), 1e-6) << simulation.world().time;
    ASSERT_LE(velocity_of(simulation, "box").angular.norm(), 1e-6) << simulation.world().time;
  }
  const Vec3 expected = Vec3(-3, -1, 0.25) + simulation.world().time * velocity;
  EXPECT_LE((position_of(simulation, "box") - expected).norm(), 1e-6);
}

// A ball that rolls without slipping keeps rolling: each triangle it passes hands it to the next.
TEST(MeshFloor, RollingBallKeepsItsSpeedAndItsLine) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_meshed_floor(23), make_body("ball", {Sphere{0.2}}, {-4, 0.3, 0.2})};
  scene.bodies[1].velocity = Vec3(2, 0, 0);
  scene.bodies[1].spin = Vec3(0, 10, 0);
  Simulation simulation(scene);
  while (simulation.world().time < 3) ASSERT_FALSE(simulation.step().stopped);
  EXPECT_NEAR(position_of(simulation, "ball").y(), 0.3, 1e-6);
  EXPECT_NEAR(position_of(simulation, "ball").z(), 0.2, 1e-6);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 2, 1e-6);
}

}  // namespace
}  // namespace achilles
