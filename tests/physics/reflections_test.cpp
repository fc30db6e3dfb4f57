#include "support/full_size.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

Scene make_reflections_scene(double restitution) {
  Scene scene = make_scene(0.001, 0, restitution);
  scene.gravity = Vec3::Zero();
  scene.method.name = "reflections";
  return scene;
}

std::string rack_name(int row, int k) {
  std::string name = "r";
  name += std::to_string(row);
  name += "c";
  name += std::to_string(k);
  return name;
}

void add_walls(Scene& scene, double half_width) {
  const char* names[] = {"west", "east", "south", "north", "floor", "ceiling"};
  for (int k = 0; k < 6; ++k) {
    const Vec3 inward = (k % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(k / 2);
    BodyDescription wall = make_ground(inward);
    wall.name = names[k];
    wall.pose.p = -half_width * inward;
    scene.bodies.push_back(wall);
  }
}

// A gas: energy is kept by every impact, momentum changes only by what the walls give.
TEST(Reflections, ElasticBallsInABoxKeepTheirEnergy) {
  const bool full = is_full();
  const int side = full ? 10 : 5;
  Scene scene = make_reflections_scene(1);
  add_walls(scene, 0.15 * side);
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int k = 0; k < side * side * side; ++k) {
    const Vec3 cell(k % side, k / side % side, k / side / side);
    const Vec3 at = 0.3 * (cell - Vec3::Constant(0.5 * (side - 1)));
    BodyDescription ball = make_body("ball" + std::to_string(k), {Sphere{0.1}}, at);
    ball.velocity = Vec3(number(engine), number(engine), number(engine));
    scene.bodies.push_back(ball);
  }
  Simulation simulation(scene);
  const double energy = simulation.world().kinetic_energy();
  const Vec3 momentum = simulation.world().linear_momentum();
  Vec3 from_walls = Vec3::Zero();
  int impacts = 0;
  for (int k = 0; k < (full ? 10000 : 2000); ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped) << report.stopped->message;
    impacts += report.impacts;
    for (const ContactRecord& contact : simulation.contacts()) {
      if (contact.body_a < 6) from_walls += contact.impulse;
    }
  }
  EXPECT_GT(impacts, 100);
  EXPECT_NEAR(simulation.world().kinetic_energy(), energy, 1e-9 * energy);
  EXPECT_LT((simulation.world().linear_momentum() - momentum - from_walls).norm(), 1e-9 * energy);
  EXPECT_LT(simulation.penetration(), 1e-3);
}

// What is mirror-symmetric before a break is so after it, when all contacts are treated at once.
TEST(Reflections, PoolBreakStaysMirrorSymmetric) {
  Scene scene = make_reflections_scene(1);
  BodyDescription cue = make_body("cue", {Sphere{0.03}}, Vec3(-0.5, 0, 0));
  cue.velocity = Vec3(3, 0, 0);
  scene.bodies = {cue};
  const double pitch = 0.06;
  for (int row = 0; row < 5; ++row) {
    for (int k = 0; k <= row; ++k) {
      const Vec3 at(row * pitch * std::sqrt(0.75), (k - 0.5 * row) * pitch, 0);
      scene.bodies.push_back(make_body(rack_name(row, k), {Sphere{0.03}}, at));
    }
  }
  Simulation simulation(scene);
  const double energy = simulation.world().kinetic_energy();
  run_to(simulation, 0.4);
  EXPECT_NEAR(simulation.world().kinetic_energy(), energy, 1e-9 * energy);
  EXPECT_GT(velocity_of(simulation, "r4c4").linear.norm(), 0.1);
  for (int row = 0; row < 5; ++row) {
    for (int k = 0; k <= row; ++k) {
      const std::string left = rack_name(row, k);
      const std::string right = rack_name(row, row - k);
      const Vec3 mirrored = velocity_of(simulation, right).linear.cwiseProduct(Vec3(1, -1, 1));
      EXPECT_NEAR((velocity_of(simulation, left).linear - mirrored).norm(), 0, 1e-9) << left;
    }
  }
}

// Symmetric laws share the blow; laws that go from contact to contact pass it on.
TEST(Reflections, CradleUnderGaussSeidelPassesTheVelocityOn) {
  Scene scene = make_reflections_scene(1);
  scene.method.impact = "gauss-seidel";
  BodyDescription first = make_body("first", {Sphere{0.1}}, Vec3(-0.3, 0, 0));
  first.velocity = Vec3(1, 0, 0);
  scene.bodies = {first};
  for (int k = 0; k < 4; ++k) {
    scene.bodies.push_back(make_body("ball" + std::to_string(k), {Sphere{0.1}}, Vec3(0.2 * k, 0, 0)));
  }
  Simulation simulation(scene);
  run_to(simulation, 0.3);
  EXPECT_NEAR(velocity_of(simulation, "ball3").linear.x(), 1, 1e-9);
}

// Impacts at rest positions keep kinetic energy, flight keeps the sum with the potential: nothing is left that could
// change it, however many bounces.
TEST(Reflections, ElasticBallBouncesToItsHeightForEver) {
  Scene scene = make_reflections_scene(1);
  scene.gravity = Vec3(0, 0, -9.81);
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1.1))};
  Simulation simulation(scene);
  const double energy = simulation.world().kinetic_energy() + simulation.world().potential_energy();
  int impacts = 0;
  for (int k = 0; k < 20000; ++k) {
    impacts += simulation.step().impacts;
    const double now = simulation.world().kinetic_energy() + simulation.world().potential_energy();
    ASSERT_NEAR(now, energy, 1e-10 * energy) << k;
  }
  EXPECT_GT(impacts, 15);
  EXPECT_LT(impacts, 40);
}

TEST(Reflections, BoxUnderGravityComesToRestOnTheGround) {
  Scene scene = make_reflections_scene(0.5);
  scene.gravity = Vec3(0, 0, -9.81);
  BodyDescription box = make_body("box", {Box{Vec3(0.4, 0.3, 0.2)}}, Vec3(0, 0, 0.5));
  box.pose.q = Quat(Eigen::AngleAxisd(0.3, Vec3(1, 2, 0).normalized()));
  scene.bodies = {make_ground(), box};
  Simulation simulation(scene);
  double energy = simulation.world().kinetic_energy() + simulation.world().potential_energy();
  for (int k = 0; k < 3000; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    const double now = simulation.world().kinetic_energy() + simulation.world().potential_energy();
    ASSERT_LT(now, energy + 1e-6 * std::abs(energy));
    energy = now;
  }
  EXPECT_LT(velocity_of(simulation, "box").linear.norm(), 0.02);
  EXPECT_NEAR(position_of(simulation, "box").z(), 0.1, 0.002);
}

}  // namespace
}  // namespace achilles
