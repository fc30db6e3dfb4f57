// Energy that is kept for what sleeps is the energy that summing anew gives.
#include "world/energy.hpp"

#include "world/awake.hpp"
#include "world/random_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace achilles {
namespace {

TEST(Energy, OfAWorldWhoseSleepersAreNotLookedAtIsThatOfAllBodies) {
  testing::RandomWorlds random(3);
  World world = random.world(400);
  const auto count = static_cast<int>(world.bodies.size());
  EnergyMeter meter;
  std::size_t most_in_a_row = 0;
  for (int k = 0; k < 200; ++k) {
    if (k % 50 == 30) world.gravity = random.vector(10);
    if (k == 120) world.remove_body(world.handle_of(7));
    const int first = random.integer(0, count - 1), last = random.integer(first, count - 1);
    const auto asleep = static_cast<std::uint8_t>(random.integer(0, 2) > 0);
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      if (static_cast<int>(i) >= first && static_cast<int>(i) < last) world.bodies.asleep[i] = asleep;
      if (world.bodies.asleep[i] != 0) continue;
      world.bodies.position[i] += random.vector(1);
      world.bodies.velocity[i] = {random.vector(2), random.vector(2)};
    }
    const Energy energy = meter.measure(world);
    ASSERT_EQ(energy.kinetic, world.kinetic_energy()) << k;
    ASSERT_EQ(energy.potential, world.potential_energy()) << k;
    const auto& sleeps = world.bodies.asleep;
    for (std::size_t i = 0; i < sleeps.size();) {
      const std::size_t awake = find_awake(sleeps, i);
      most_in_a_row = std::max(most_in_a_row, awake - i);
      i = awake + 1;
    }
  }
  EXPECT_GT(most_in_a_row, 200U);
}

TEST(Energy, OfBodiesIsThatOfTheirMassesSpeedsAndHeights) {
  World world;
  world.gravity = Vec3(0, 0, -10);
  BodyDescription ball;
  ball.shape = {Sphere{0.5}};
  ball.mass = 2;
  ball.pose.p = Vec3(0, 0, 3);
  ball.velocity = Vec3(4, 0, 0);
  ball.spin = Vec3(0, 6, 0);
  for (int k = 0; k < 100; ++k) world.add_body(ball);
  // ½ m v² + ½ (2/5 m r²) ω² = 16 + 3.6 J and m g z = 60 J of each.
  EXPECT_NEAR(world.kinetic_energy(), 1960, 1e-10);
  EXPECT_NEAR(world.potential_energy(), 6000, 1e-10);
}

TEST(FindAwake, IsTheNextThatDoesNotSleep) {
  const std::vector<std::uint8_t> asleep{1, 1, 0, 1, 0};
  EXPECT_EQ(find_awake(asleep, 0), 2U);
  EXPECT_EQ(find_awake(asleep, 2), 2U);
  EXPECT_EQ(find_awake(asleep, 3), 4U);
  EXPECT_EQ(find_awake(asleep, 5), 5U);
  EXPECT_EQ(find_awake(std::span(asleep).first(2), 0), 2U);
  EXPECT_EQ(find_awake({}, 0), 0U);
}

}  // namespace
}  // namespace achilles
