#include "support/allocations.hpp"
#include "support/full_size.hpp"
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace achilles {
namespace {

using testing::count_allocations;
using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;

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

/// Rings of distance maps in place of the pile of [Erleben04, fig. 6.38], put where they are told.
Scene make_rings(std::span<const Vec3> places) {
  const Scene pile = load_scene((source_folder() / "scenes" / "erleben" / "freeform_pile.yaml").string());
  Scene scene = pile;
  scene.bodies = {pile.bodies[0]};
  for (std::size_t k = 0; k < places.size(); ++k) {
    scene.bodies.push_back(pile.bodies[k + 1]);
    scene.bodies.back().pose.p = places[k];
    if (places.size() <= 2) scene.bodies.back().pose.q = Quat::Identity();
  }
  return scene;
}

// What lies on a circle of samples must not rock on the few of them that stand for it. What is left of the depth is the
// slop of 1e-4 m; velocities are zero to the tolerance of the sweeps and what the slop gives in a step.
TEST(Pile, RingOfADistanceMapComesToRestFlatAndOnAnother) {
  const Vec3 alone[] = {{0, 0, 0.16}}, coaxial[] = {{0, 0, 0.16}, {0, 0, 0.47}},
             aside[] = {{0, 0, 0.16}, {0.3, 0, 0.47}};
  for (const std::span<const Vec3> places :
       {std::span<const Vec3>(alone), std::span<const Vec3>(coaxial), std::span<const Vec3>(aside)}) {
    Simulation simulation(make_rings(places));
    (void)run_to(simulation, 3);
    EXPECT_LT(simulation.world().kinetic_energy(), 1e-6) << places.size();
    EXPECT_LT(simulation.penetration(), 1.5e-4) << places.size();
  }
}

TEST(Pile, FreeFormBodiesComeToRestWithoutSinkingIn) {
  std::vector<Vec3> places;
  for (int k = 0; k < (is_full() ? 40 : 12); ++k)
    places.emplace_back(0.9 * (k % 2), 0.9 * (k / 2 % 2), 0.6 + 0.9 * (k / 4));
  Simulation simulation(make_rings(places));
  (void)run_to(simulation, is_full() ? 12 : 6);
  EXPECT_LT(simulation.world().kinetic_energy(), 1e-4);
  EXPECT_LT(simulation.penetration(), 1.5e-4);
}

}  // namespace
}  // namespace achilles
