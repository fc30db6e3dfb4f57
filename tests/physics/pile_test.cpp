#include "support/allocations.hpp"
#include "support/full_size.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::count_allocations;
using testing::make_body;
using testing::make_ground;
using testing::make_scene;

/// Spheres of radius 0.1 in layers of 10 × 10, slightly out of line, above the floor of a box 2.2 m wide.
Scene make_marbles(int layers) {
  Scene scene = make_scene(0.005, 0.4, 0.2);
  scene.bodies = {make_ground()};
  const auto wall = [&](const std::string& name, const Vec3& normal) {
    BodyDescription body = make_ground(normal);
    body.name = name;
    body.pose.p = -1.1 * normal;
    scene.bodies.push_back(body);
  };
  wall("left", Vec3::UnitX());
  wall("right", -Vec3::UnitX());
  wall("front", Vec3::UnitY());
  wall("back", -Vec3::UnitY());
  for (int k = 0; k < layers * 100; ++k) {
    const double shift = 0.004 * (k % 7) - 0.003 * (k % 5);
    const Vec3 at(0.215 * (k % 10 - 4.5) + shift, 0.215 * (k / 10 % 10 - 4.5) - shift, 0.15 + 0.22 * (k / 100));
    scene.bodies.push_back(make_body("marble" + std::to_string(k), {Sphere{0.1}}, at));
  }
  return scene;
}

/// A thousand with ./test --full, else four hundred.
int layers() { return is_full() ? 10 : 4; }

TEST(Pile, MarblesStayFiniteAndInTheirBoxAndComeToRestWithoutSinkingIn) {
  Simulation simulation(make_marbles(layers()));
  for (int k = 0; k < 600; ++k) ASSERT_FALSE(simulation.step().stopped);
  const World& world = simulation.world();
  EXPECT_FALSE(world.first_not_finite());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (!world.bodies.is_movable(i)) continue;
    const Vec3& p = world.bodies.position[i];
    EXPECT_LT(std::max(std::abs(p.x()), std::abs(p.y())), 1.1 - 0.09);
    EXPECT_GT(p.z(), 0.09);
  }
  EXPECT_LT(simulation.penetration(), 1e-3);
}

TEST(Pile, WarmStepAllocatesNothing) {
  if (count_allocations() == 0) GTEST_SKIP() << "allocations are not counted under sanitizers";
  Simulation simulation(make_marbles(layers()));
  // Once the heap has formed, the number of contacts only settles.
  for (int k = 0; k < 400; ++k) (void)simulation.step();
  const std::int64_t before = count_allocations();
  for (int k = 0; k < 50; ++k) (void)simulation.step();
  EXPECT_EQ(count_allocations() - before, 0);
}

TEST(Pile, TwoThreadsGiveTheBitsOfOne) {
  Simulation one(make_marbles(2), 1);
  Simulation two(make_marbles(2), 2);
  for (int k = 0; k < 300; ++k) {
    (void)one.step();
    (void)two.step();
  }
  EXPECT_EQ(one.world().bodies.position, two.world().bodies.position);
  EXPECT_EQ(one.world().bodies.velocity.size(), two.world().bodies.velocity.size());
  for (std::size_t i = 0; i < one.world().bodies.size(); ++i) {
    ASSERT_EQ(one.world().bodies.velocity[i].linear, two.world().bodies.velocity[i].linear);
    ASSERT_EQ(one.world().bodies.velocity[i].angular, two.world().bodies.velocity[i].angular);
    ASSERT_EQ(one.world().bodies.orientation[i].coeffs(), two.world().bodies.orientation[i].coeffs());
  }
}

}  // namespace
}  // namespace achilles
