// Forces and torques put on bodies, and the work a run says they did.
#include <achilles/simulation.hpp>

#include "support/scenes.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

using namespace testing;

const char* const kMethods[] = {"lcp-fixed", "lcp-retroactive",   "lcp-fixpoint",
                                "anitescu",  "impulse-zeno-free", "reflections"};

double run_and_sum_work(Simulation& simulation, int steps) {
  double work = 0;
  for (int k = 0; k < steps; ++k) work += simulation.step().external_work;
  return work;
}

Scene make_pushed_box(const std::string& method) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.method.name = method;
  scene.gravity = Vec3::Zero();
  BodyDescription box = make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3::Zero());
  box.mass = 2;
  box.force = Vec3(6, 0, 0);
  scene.bodies.push_back(box);
  return scene;
}

// ½ m v² = F s for a body that nothing else acts on.
TEST(WorkOfForces, IsTheKineticEnergyOfAFreeBody) {
  for (const char* method : kMethods) {
    Scene scene = make_pushed_box(method);
    scene.bodies[0].torque = Vec3(0, 0, 0.5);
    Simulation simulation(scene);
    const double work = run_and_sum_work(simulation, 100);
    // Methods whose positions follow the velocity at the end of the step go F h t / 2 m too far: one part in a hundred
    // here.
    EXPECT_NEAR(work, simulation.world().kinetic_energy(), 0.011 * work) << method;
    EXPECT_GT(work, 8) << method;
  }
}

// A force that moves nothing does no work, however long it acts.
TEST(WorkOfForces, IsNothingForABodyPressedAgainstAWall) {
  for (const char* method : kMethods) {
    Scene scene = make_pushed_box(method);
    BodyDescription wall = make_body("wall", {Plane{-Vec3::UnitX(), -0.5}}, Vec3::Zero());
    wall.kind = BodyKind::kFixed;
    scene.bodies.push_back(wall);
    Simulation simulation(scene);
    EXPECT_NEAR(run_and_sum_work(simulation, 200), 0, 1e-3) << method;
  }
}

}  // namespace
}  // namespace achilles
