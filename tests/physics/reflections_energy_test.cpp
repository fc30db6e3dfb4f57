// Elastic impacts of bodies that are neither balls nor cubes: one pose and one inertia per impact.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

Scene make_elastic_scene(double step, const std::string& law) {
  Scene scene = make_scene(step, 0, 1);
  scene.gravity = Vec3::Zero();
  scene.method.name = "reflections";
  scene.method.impact = law;
  return scene;
}

BodyDescription make_wall(const std::string& name, const Vec3& inward, double distance) {
  BodyDescription wall = make_ground(inward);
  wall.name = name;
  wall.pose.p = -distance * inward;
  return wall;
}

// Every impact keeps the energy to rounding, and so does the rotation between them, however long the step: some dozens
// of impacts leave 1e-9 of it.
TEST(ReflectionsEnergy, ElasticRodsAndPlatesBetweenWallsKeepTheirEnergy) {
  for (const Vec3& size : {Vec3(1, 0.2, 0.2), Vec3(0.8, 0.8, 0.1), Vec3(0.3, 0.6, 1)}) {
    Scene scene = make_elastic_scene(0.01, "generalized-reflections");
    BodyDescription box = make_body("box", {Box{size}}, Vec3(0.1, 0, 0));
    box.velocity = Vec3(3, 0, 0);
    box.spin = Vec3(3, 2, 4);
    scene.bodies = {make_wall("left", Vec3::UnitX(), 2), make_wall("right", -Vec3::UnitX(), 2), box};
    Simulation simulation(scene);
    const double energy = simulation.world().kinetic_energy();
    int impacts = 0;
    for (int k = 0; k < 2000; ++k) impacts += simulation.step().impacts;
    EXPECT_GT(impacts, 5);
    EXPECT_NEAR(simulation.world().kinetic_energy(), energy, 1e-9 * energy);
  }
}

// Bodies of many shapes that meet in free space keep energy, momentum and angular momentum about the origin: impulses
// act on both at one point, and rows, inertia and velocities belong to one pose.
TEST(ReflectionsEnergy, CollidingBoxesKeepEnergyAndBothMomenta) {
  for (const char* law : {"generalized-reflections", "gauss-seidel"}) {
    Scene scene = make_elastic_scene(0.01, law);
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int k = 0; k < 12; ++k) {
      const Vec3 cell(k % 3 - 1, k / 3 % 2 - 0.5, k / 6 - 0.5);
      const Shape shape = k % 4 == 3 ? Shape{Sphere{0.3}} : Shape{Box{Vec3(1, 0.2, 0.3)}};
      BodyDescription body = make_body("body" + std::to_string(k), shape, 1.3 * cell);
      body.velocity = -2 * cell + 0.3 * Vec3(number(engine), number(engine), number(engine));
      body.spin = 2 * Vec3(number(engine), number(engine), number(engine));
      scene.bodies.push_back(body);
    }
    Simulation simulation(scene);
    const World& world = simulation.world();
    const double energy = world.kinetic_energy();
    const Vec3 momentum = world.linear_momentum(), angular = world.angular_momentum();
    int impacts = 0;
    for (int k = 0; k < 300; ++k) impacts += simulation.step().impacts;
    EXPECT_GT(impacts, 5) << law;
    EXPECT_NEAR(world.kinetic_energy(), energy, 1e-9 * energy) << law;
    EXPECT_LT((world.linear_momentum() - momentum).norm(), 1e-9 * energy) << law;
    EXPECT_LT((world.angular_momentum() - angular).norm(), 1e-9 * energy) << law;
  }
}

}  // namespace
}  // namespace achilles
