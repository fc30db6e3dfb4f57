// What the throughput method promises: single precision and soft contacts, but the same physics.
#include "support/allocations.hpp"
#include "support/soft_scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using namespace testing;

TEST(SoftStep, StackOfTwentyBoxesStandsForTenSeconds) {
  Scene scene = make_soft_scene(1.0 / 60, 0.5, 0);
  for (int k = 0; k < 20; ++k) {
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5 + k)));
  }
  Simulation simulation(scene);
  run_to(simulation, 10);
  for (int k = 0; k < 20; ++k) {
    const Vec3 p = position_of(simulation, "box" + std::to_string(k));
    EXPECT_LT(Vec3(p.x(), p.y(), 0).norm(), 0.01);
    // Contacts are springs of 96 Hz, a fifth of the rate of the substeps, on half a mass that carry what is above:
    // 2 n g/ω² = 54 µm times n, 11 mm in all.
    EXPECT_NEAR(p.z(), 0.5 + k, 0.012);
  }
}

// tan 20° = 0.364: at µ = 0.4 it sticks, at µ = 0.3 it slides with g (sin α − µ cos α).
TEST(SoftStep, BlockOnASlopeSticksBelowTheFrictionAngleAndSlidesAbove) {
  const double angle = 20 * M_PI / 180;
  for (const double friction : {0.4, 0.3}) {
    Scene scene = make_soft_scene(0.005, friction, 0);
    scene.gravity = 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle));
    scene.bodies.push_back(make_body("block", {Box{Vec3(0.4, 0.4, 0.2)}}, Vec3(0, 0, 0.1)));
    Simulation simulation(scene);
    run_to(simulation, 2);
    const double expected = friction > 0.364 ? 0 : 9.81 * (std::sin(angle) - friction * std::cos(angle)) * 2;
    EXPECT_NEAR(velocity_of(simulation, "block").linear.x(), expected, 1e-3 + 0.01 * expected) << friction;
    // Soft friction creeps, but not far.
    if (expected == 0) {
      EXPECT_LT(std::abs(position_of(simulation, "block").x()), 1e-3);
    }
  }
}

// A ball that meets the ground at v leaves at e v, and reaches e² of its height.
TEST(SoftStep, BallBouncesToTheSquareOfItsRestitution) {
  for (const double e : {0.3, 0.6, 0.9}) {
    Scene scene = make_soft_scene(0.001, 0, e);
    scene.bodies.push_back(make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1.1)));
    Simulation simulation(scene);
    run_to(simulation, std::sqrt(2 / 9.81) + 0.01);
    double highest = 0;
    for (int k = 0; k < 1000; ++k) {
      (void)simulation.step();
      highest = std::max(highest, position_of(simulation, "ball").z() - 0.1);
      if (velocity_of(simulation, "ball").linear.z() < 0) break;
    }
    EXPECT_NEAR(highest, e * e, 0.02 * e * e) << e;
  }
}

// v = 5/7 v₀ once it rolls.
TEST(SoftStep, SlidingBallSettlesAtFiveSeventhsOfItsSpeed) {
  Scene scene = make_soft_scene(0.002, 0.3, 0);
  BodyDescription ball = make_body("ball", {Sphere{0.5}}, Vec3(0, 0, 0.5));
  ball.velocity = Vec3(7, 0, 0);
  scene.bodies.push_back(ball);
  Simulation simulation(scene);
  run_to(simulation, 2);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 5, 0.01);
}

// A body that touches nothing is moved in double precision, along its parabola.
TEST(SoftStep, BodyThatTouchesNothingFliesExactly) {
  Scene scene = make_soft_scene(0.01, 0, 0);
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 100));
  ball.velocity = Vec3(1, 2, 3);
  scene.bodies.push_back(ball);
  Simulation simulation(scene);
  run_to(simulation, 2);
  const Vec3 expected = Vec3(0, 0, 100) + 2 * Vec3(1, 2, 3) + 2 * Vec3(0, 0, -9.81);
  EXPECT_LT((position_of(simulation, "ball") - expected).norm(), 1e-10);
}

// Two bodies that only touch each other cannot push themselves along: contact impulses are equal and opposite, so what
// is lost is rounding in single precision.
TEST(SoftStep, CollidingBodiesKeepTheirMomentum) {
  Scene scene = make_soft_scene(0.005, 0.5, 0.5);
  scene.gravity = Vec3::Zero();
  BodyDescription left = make_body("left", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 10));
  BodyDescription right = make_body("right", {Box{Vec3(1, 2, 1)}}, Vec3(1.5, 0.4, 10.2));
  left.velocity = Vec3(3, 0.5, 0);
  right.velocity = Vec3(-1, 0, 0.2);
  scene.bodies.push_back(left);
  scene.bodies.push_back(right);
  Simulation simulation(scene);
  const Vec3 momentum = simulation.world().linear_momentum(), spin = simulation.world().angular_momentum();
  run_to(simulation, 1);
  EXPECT_GT((velocity_of(simulation, "left").linear - left.velocity).norm(), 0.5);
  EXPECT_LT((simulation.world().linear_momentum() - momentum).norm(), 1e-5 * momentum.norm());
  // Arms are frozen over the step while the bodies move on: first order in the step.
  EXPECT_LT((simulation.world().angular_momentum() - spin).norm(), 0.01 * spin.norm());
}

TEST(SoftStep, BedInCellsHasTheSameBitsOnTwoThreadsAndCarriesItsWeight) {
  const Scene scene = make_bed(42, 5);
  Simulation one(scene, 1), two(scene, 2);
  for (int k = 0; k < 4; ++k) {
    (void)one.step();
    (void)two.step();
  }
  EXPECT_EQ(one.world().state_hash(), two.world().state_hash());
  // The ground carries what lies on it: the impulse of a step is the weight times its length once the springs of the
  // contacts are pressed, which takes the lowest, of 192 Hz, less than a step.
  double carried = 0, mass = 0;
  for (int k = 0; k < 60; ++k) (void)one.step();
  for (const ContactRecord& contact : one.contacts()) {
    if (contact.body_a == 0) carried += contact.impulse.z();
  }
  for (std::size_t body = 1; body < one.world().bodies.size(); ++body) mass += one.world().bodies.mass[body];
  EXPECT_NEAR(carried / (0.01 * 9.81 * mass), 1, 0.01);
}

/// Flat pyramids of boxes side by side.
Scene make_pyramids(int count, int base) {
  Scene scene = make_soft_scene(1.0 / 60, 0.5, 0);
  for (int k = 0; k < count; ++k) {
    for (int row = 0; row < base; ++row) {
      for (int i = 0; i < base - row; ++i) {
        const Vec3 at((k % 16) * (base + 1.0) + i + 0.5 * row, 3.0 * (k / 16), 0.5 + row);
        scene.bodies.push_back(make_body("box" + std::to_string(scene.bodies.size()), {Box{Vec3::Ones()}}, at));
      }
    }
  }
  return scene;
}

// So many bodies are swept cell by cell; what lies between cells must not keep pushing what lies within.
TEST(SoftStep, PyramidsInCellsComeToRest) {
  Simulation simulation(make_pyramids(230, 8), 2);
  for (int k = 0; k < 90; ++k) (void)simulation.step();
  double mass = 0;
  for (const double one : simulation.world().bodies.mass) mass += std::isfinite(one) ? one : 0;
  EXPECT_LT(simulation.world().kinetic_energy() / mass, 1e-7);  // [J/kg]: less than half a millimetre a second
}

TEST(SoftStep, WarmStepAllocatesNothing) {
  if (count_allocations() == 0) GTEST_SKIP() << "allocations are not counted under sanitizers";
  Simulation simulation(make_heap(100));
  for (int k = 0; k < 400; ++k) (void)simulation.step();
  const std::int64_t before = count_allocations();
  for (int k = 0; k < 50; ++k) (void)simulation.step();
  EXPECT_EQ(count_allocations() - before, 0);
}

TEST(SoftStep, SavedWorldGoesOnBitForBit) {
  const Scene scene = make_heap(50);
  Simulation simulation(scene), other(scene);
  for (int k = 0; k < 40; ++k) (void)simulation.step();
  other.restore(simulation.world());
  for (int k = 0; k < 40; ++k) {
    (void)simulation.step();
    (void)other.step();
  }
  EXPECT_EQ(simulation.world().state_hash(), other.world().state_hash());
}

}  // namespace
}  // namespace achilles
