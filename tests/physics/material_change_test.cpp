// Friction that a program changes between two steps acts from the next one on.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81, kSlope = 0.35;  // [m/s²], [rad]: tan 0.35 = 0.365

class FrictionChange : public ::testing::TestWithParam<const char*> {};

// Gravity leans by the slope, the ground is level. With µ = 0.5 > tan θ the block rests; with µ = 0.1 < tan θ it
// accelerates by g (sin θ − µ cos θ) = 2.45 m/s²: after 0.4 s by 0.98 m/s, less what one step of 5 ms may miss.
TEST_P(FrictionChange, LetsABlockSlideThatRestedAndAsleepToo) {
  Scene scene = make_scene(0.005, 0.5, 0);
  scene.gravity = kGravity * Vec3(std::sin(kSlope), 0, -std::cos(kSlope));
  scene.bodies = {make_ground(), make_body("block", {Box{Vec3(1, 1, 0.2)}}, Vec3(0, 0, 0.1))};
  scene.method = {GetParam(), "", "", {{"sleeping", true}}};
  Simulation simulation(scene);
  (void)run_to(simulation, 1);
  EXPECT_LT(velocity_of(simulation, "block").linear.norm(), 1e-3);
  simulation.world().set_friction("default", "default", 0.1);
  const double start = simulation.world().time;
  (void)run_to(simulation, start + 0.4);
  const double expected = 0.4 * kGravity * (std::sin(kSlope) - 0.1 * std::cos(kSlope));
  EXPECT_NEAR(velocity_of(simulation, "block").linear.x(), expected, 0.02 * expected);
}

INSTANTIATE_TEST_SUITE_P(Methods, FrictionChange, ::testing::Values("lcp-fixed", "shock-propagation", "soft-step"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ContactLaws, AreReplacedForOnePairAloneAndImpossibleOnesRefused) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.materials.push_back({"ice", {}});
  scene.materials.back().law.friction = 0.02;
  World world(scene);
  world.set_friction("ice", "default", 0.3);
  EXPECT_EQ(world.materials.law(0, 1).friction, 0.3);
  EXPECT_EQ(world.materials.law(1, 0).friction, 0.3);
  EXPECT_EQ(world.materials.law(0, 0).friction, 0.5);
  EXPECT_EQ(world.materials.law(1, 1).friction, 0.02);
  ContactLaw law = world.materials.law(1, 1);
  law.anisotropy = Vec2(0.1, 0.2);
  world.set_contact_law("ice", "ice", law);
  ASSERT_NE(world.materials.directional_friction(1, 1), nullptr);
  EXPECT_EQ(world.materials.directional_friction(1, 1)->of_a, Vec3(0.1, 0.2, 0.02));
  EXPECT_EQ(world.materials.directional_friction(0, 1), nullptr);
  world.set_friction("ice", "ice", 0.4);
  EXPECT_EQ(world.materials.directional_friction(1, 1), nullptr);
  EXPECT_THROW(world.set_friction("ice", "ice", -1), std::invalid_argument);
  EXPECT_THROW(world.set_friction("ice", "ice", std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(world.set_friction("ice", "snow", 0.1), std::invalid_argument);
  EXPECT_EQ(world.materials.law(1, 1).friction, 0.4);
}

}  // namespace
}  // namespace achilles
