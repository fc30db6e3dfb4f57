#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

/// A plough that pushes a box along the ground at 2 m/s.
Scene make_plough() {
  Scene scene = make_scene(0.005, 0.3, 0);
  BodyDescription plough = make_body("plough", {Box{Vec3(0.2, 1, 1)}}, Vec3(-1, 0, 0.6));
  plough.kind = BodyKind::kScripted;
  scene.bodies = {make_ground(), plough, make_body("box", {Box{Vec3(0.4, 0.4, 0.4)}}, Vec3(0, 0, 0.2))};
  ScriptDescription script;
  script.body = "plough";
  script.space = {Vec3(-1, 0, 0.6), Vec3(3, 0, 0.6)};
  script.speed = {{0, 0}, {2, 4}};
  scene.scripts = {script};
  return scene;
}

TEST(Script, BodyKeepsToItsPathWhateverIsInTheWay) {
  for (const char* method : {"lcp-fixed", "impulse-zeno-free", "reflections"}) {
    Scene scene = make_plough();
    scene.method.name = method;
    Simulation simulation(scene);
    for (int k = 1; k <= 300; ++k) {
      ASSERT_FALSE(simulation.step().stopped) << method;
      ASSERT_NEAR(position_of(simulation, "plough").x(), -1 + 2 * simulation.world().time, 1e-9) << method;
    }
    // The box is pushed ahead of the blade, at its speed where friction and blade are solved together.
    if (std::string(method) != "reflections") {
      EXPECT_NEAR(velocity_of(simulation, "box").linear.x(), 2, 1e-3) << method;
    }
    EXPECT_GT(position_of(simulation, "box").x(), position_of(simulation, "plough").x() + 0.29) << method;
  }
}

// What the script puts in is accounted for: the energy of the box and the heat of friction, no unexplained gain.
TEST(Script, WorkOfTheScriptExplainsTheEnergyOfWhatItPushes) {
  for (const char* method : {"lcp-fixed", "impulse-zeno-free", "anitescu-potra", "lcp-event", "reflections"}) {
    Scene scene = make_plough();
    scene.materials[0].law.friction = 0;
    scene.method.name = method;
    Simulation simulation(scene);
    double work = 0;
    const double start = simulation.world().kinetic_energy() + simulation.world().potential_energy();
    for (int k = 0; k < 300; ++k) work += simulation.step().external_work;
    const double gain = simulation.world().kinetic_energy() + simulation.world().potential_energy() - start;
    // A plastic push brings the box to v: the script does m v², half of it is lost in the impact.
    EXPECT_GT(gain, 0) << method;
    EXPECT_NEAR(work, 2 * gain, 0.01 * work) << method;
  }
}

TEST(Script, SavedWorldGoesOnAlongTheScriptBitForBit) {
  Simulation simulation(make_plough());
  run_to(simulation, 0.3);
  std::stringstream stream;
  simulation.world().save(stream);
  Simulation other(make_plough());
  other.restore(World::load(stream));
  for (int k = 0; k < 50; ++k) {
    (void)simulation.step();
    (void)other.step();
  }
  EXPECT_EQ(simulation.world().state_hash(), other.world().state_hash());
}

// A ball on a turntable that spins at Ω runs in a circle at 2/7 of Ω.
TEST(Script, BallOnATurntableCirclesAtTwoSevenths) {
  const double platter_spin = 2;
  Scene scene = make_scene(0.001, 1, 0);
  BodyDescription platter = make_body("platter", {Cylinder{3, 0.1}}, Vec3(0, 0, -0.05));
  platter.kind = BodyKind::kScripted;
  ScriptDescription script;
  script.body = "platter";
  for (int k = 0; k <= 30; ++k) {
    script.turn.emplace_back(0.5 * k, Quat(Eigen::AngleAxisd(platter_spin * 0.5 * k, Vec3::UnitZ())));
  }
  // Contact velocity matches at the start: v at rest, spin such that the lowest point moves with the platter.
  const double radius = 0.1;
  BodyDescription ball = make_body("ball", {Sphere{radius}}, Vec3(1, 0, radius));
  ball.spin = Vec3(platter_spin * 1 / radius, 0, 0);
  scene.bodies = {platter, ball};
  scene.scripts = {script};
  Simulation simulation(scene);
  // Rolling without slip: m dv/dt = F and I dw/dt = r × F give dv/dt = (2/7) Ω × v; v starts from zero and stays there,
  // so the ball is given a push to see it circle.
  simulation.world().bodies.velocity[1].linear = Vec3(0, 0.5, 0);
  simulation.world().bodies.velocity[1].angular = Vec3((platter_spin - 0.5) / radius, 0, 0);
  const double period = 2 * std::numbers::pi / (2.0 / 7 * platter_spin);
  run_to(simulation, period / 2);
  // Half a circle later the velocity points the other way.
  const Vec3 v = velocity_of(simulation, "ball").linear;
  EXPECT_NEAR(v.y(), -0.5, 0.005);
  EXPECT_NEAR(v.x(), 0, 0.01);
}

}  // namespace
}  // namespace achilles
