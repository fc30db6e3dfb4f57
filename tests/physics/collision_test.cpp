// Free collisions and heaps: what no impact may change, and that nothing comes from nothing.
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

constexpr double kGravity = 9.81;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vec3 vector(double size) { return Vec3(number(-size, size), number(-size, size), number(-size, size)); }
  Quat rotation() {
    std::normal_distribution<double> normal;
    return Quat(normal(engine_), normal(engine_), normal(engine_), normal(engine_)).normalized();
  }

 private:
  std::mt19937_64 engine_;
};

/// Bodies in empty space that fly at each other.
Scene make_encounter(std::uint64_t seed, const std::vector<Shape>& shapes, double step) {
  Random random(seed);
  Scene scene = make_scene(step, random.number(0, 0.8), random.number(0, 1));
  scene.gravity = Vec3::Zero();
  const double side[] = {-1, 1};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Vec3 at = side[i % 2] * Vec3(0.9, 0, 0) + Vec3(0, 1.3 * static_cast<double>(i / 2), 0) + random.vector(0.1);
    BodyDescription body = make_body("body" + std::to_string(i), shapes[i], at);
    body.pose.q = random.rotation();
    body.velocity = -side[i % 2] * Vec3(3, 0, 0) + random.vector(0.5);
    body.spin = random.vector(4);
    scene.bodies.push_back(body);
  }
  return scene;
}

struct MomentumChange {
  double linear = 0, angular = 0;  // relative to the sums of |m v| and |x × m v| + |Iω|
  bool collided = false;
};

MomentumChange run_encounter(const Scene& scene) {
  Simulation simulation(scene);
  const World& world = simulation.world();
  double linear_size = 0;
  double angular_size = 0;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const BodyVelocity& u = world.bodies.velocity[i];
    linear_size += world.bodies.mass[i] * u.linear.norm();
    angular_size += world.bodies.mass[i] * u.linear.norm() + world.bodies.inertia_B[i].norm() * u.angular.norm();
  }
  const Vec3 linear = world.linear_momentum();
  const Vec3 angular = world.angular_momentum();
  MomentumChange change;
  while (world.time < 0.6) {
    (void)simulation.step();
    for (const ContactRecord& record : simulation.contacts()) change.collided |= !record.impulse.isZero(0);
  }
  change.linear = (world.linear_momentum() - linear).norm() / linear_size;
  change.angular = (world.angular_momentum() - angular).norm() / angular_size;
  return change;
}

// Impulses come in pairs, so that nothing inside can change the momentum of the whole. A hundred steps of rounding.
TEST(Momentum, FreeCollisionsOfBoxesKeepIt) {
  int collisions = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Shape box{Box{Vec3(0.6, 0.5, 0.4)}};
    const MomentumChange change = run_encounter(make_encounter(seed, {box, box, box, box}, 0.005));
    EXPECT_LT(change.linear, 1e-12) << seed;
    collisions += change.collided ? 1 : 0;
  }
  EXPECT_EQ(collisions, 20);
}

// Both bodies feel the impulse at the same place, so that angular momentum is kept too.
TEST(Momentum, FreeCollisionsOfBallsKeepAngularMomentum) {
  int collisions = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Shape ball{Sphere{0.4}};
    const MomentumChange change = run_encounter(make_encounter(seed, {ball, ball, ball, ball}, 0.005));
    EXPECT_LT(change.linear, 1e-12) << seed;
    EXPECT_LT(change.angular, 1e-12) << seed;
    collisions += change.collided ? 1 : 0;
  }
  EXPECT_EQ(collisions, 20);
}

// A box turns while it is hit, and a step takes the inertia of one instant for all of it: first order in the step.
TEST(Momentum, FreeCollisionsOfBoxesKeepAngularMomentumToFirstOrderInTheStep) {
  const Shape box{Box{Vec3(0.6, 0.5, 0.4)}};
  const auto mean_change = [&](double step) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Scene scene = make_encounter(seed, {box, box}, step);
      scene.method.options["correction"] = 0.0;  // moving bodies apart shifts angular momentum by itself
      sum += run_encounter(scene).angular / 40;
    }
    return sum;
  };
  const double coarse = mean_change(0.005);
  const double fine = mean_change(0.00125);
  EXPECT_LT(coarse, 0.005 * 4 * 4);  // h ω of the fastest spin there is, 4 rad/s on each of two axes
  EXPECT_GT(coarse / fine, 3);       // four for first order; where in its step a collision falls is left to chance
}

// A box that falls flat returns to e² of its height and does not turn: all four corners rebound alike.
TEST(Restitution, FlatBoxReturnsToESquaredOfItsHeightWithoutTurning) {
  for (const double e : {0.4, 0.8, 1.0}) {
    Scene scene = make_scene(0.001, 0.3, e);
    scene.bodies = {make_ground(), make_body("box", {Box{Vec3(0.4, 0.6, 0.2)}}, Vec3(0, 0, 1.1))};
    Simulation simulation(scene);
    run_to(simulation, std::sqrt(2 / kGravity) + 0.01);
    double apex = 0;
    while (velocity_of(simulation, "box").linear.z() > 0) {
      (void)simulation.step();
      apex = std::max(apex, position_of(simulation, "box").z() - 0.1);
    }
    EXPECT_NEAR(apex, e * e, 0.01 * e * e) << e;
    EXPECT_LT(velocity_of(simulation, "box").angular.norm(), 1e-6) << e;
  }
}

// Head-on, masses m and 3 m, e: the velocities after are those of momentum and Newton's law.
TEST(Restitution, BoxesHeadOnFollowNewtonsLaw) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Scene scene = make_scene(0.001, 0, e);
    scene.gravity = Vec3::Zero();
    BodyDescription light = make_body("light", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(-0.5, 0, 0));
    light.mass = 1;
    light.velocity = Vec3(2, 0, 0);
    BodyDescription heavy = make_body("heavy", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0, 0, 0));
    heavy.mass = 3;
    scene.bodies = {light, heavy};
    Simulation simulation(scene);
    run_to(simulation, 0.4);
    const double common = 2.0 / 4;
    EXPECT_NEAR(velocity_of(simulation, "light").linear.x(), common - e * 2 * 3 / 4, 1e-8) << e;
    EXPECT_NEAR(velocity_of(simulation, "heavy").linear.x(), common + e * 2 * 1 / 4, 1e-8) << e;
  }
}

/// Boxes, balls and capsules that fall on each other; far enough apart not to overlap at the start.
Scene make_heap(std::uint64_t seed, double restitution) {
  Random random(seed);
  Scene scene = make_scene(0.005, random.number(0, 1), restitution);
  scene.bodies = {make_ground()};
  for (int i = 0; i < 27; ++i) {
    const Vec3 size(random.number(0.1, 0.4), random.number(0.1, 0.4), random.number(0.1, 0.4));
    Shape shape{Box{size}};
    if (i % 3 == 1) shape = {Sphere{0.5 * size.x()}};
    if (i % 3 == 2) shape = {Capsule{0.3 * size.x(), size.y()}};
    const Vec3 at = Vec3(0.78 * (i % 3), 0.78 * (i / 3 % 3), 0.4 + 0.78 * (i / 9)) + random.vector(0.02);
    BodyDescription body = make_body("body" + std::to_string(i), shape, at);
    body.pose.q = random.rotation();
    body.spin = random.vector(3);
    body.velocity = random.vector(1);
    scene.bodies.push_back(body);
  }
  return scene;
}

// Contacts share out energy between bodies and take some, but make none; what pushing bodies out of each other may add
// is far less than what they lost in getting there.
TEST(Energy, OfAHeapNeverRisesAboveItsStart) {
  const std::uint64_t heaps = is_full() ? 200 : 12;
  double worst = -1;
  for (std::uint64_t seed = 1; seed <= heaps; ++seed) {
    Simulation simulation(make_heap(seed, 0.2 * static_cast<double>(seed % 6)));
    const World& world = simulation.world();
    const double start = world.kinetic_energy() + world.potential_energy();
    for (int k = 0; k < 400; ++k) {
      (void)simulation.step();
      worst = std::max(worst, (world.kinetic_energy() + world.potential_energy()) / start - 1);
    }
  }
  EXPECT_LT(worst, 1e-13);  // free flight keeps it to rounding
}

// Painlevé: a rod that slides with its lower end forward under strong friction has no continuous rigid motion; impulses
// always have an answer, and it is finite and brings no energy.
TEST(Painleve, SlidingRodUnderStrongFrictionStaysFiniteAndGainsNoEnergy) {
  for (const double mu : {0.5, 1.5, 3.0}) {
    for (const double angle : {0.3, 0.8, 1.2}) {
      Scene scene = make_scene(0.001, mu, 0);
      const double half = 0.5;
      BodyDescription rod = make_body("rod", {Capsule{0.02, 2 * half}}, Vec3(0, 0, half * std::cos(angle) + 0.02));
      rod.pose.q = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));  // leans towards x
      rod.velocity = Vec3(-3, 0, 0);                               // the lower end leads
      scene.bodies = {make_ground(), rod};
      Simulation simulation(scene);
      const World& world = simulation.world();
      const double start = world.kinetic_energy() + world.potential_energy();
      for (int k = 0; k < 2000; ++k) {
        ASSERT_FALSE(simulation.step().stopped);
        ASSERT_LT(world.kinetic_energy() + world.potential_energy(), start * (1 + 1e-6)) << mu << ' ' << angle;
      }
    }
  }
}

// A scene in the plane stays there to the last bit, however its bodies hit each other.
TEST(Planar, HeapOfBoxesNeverLeavesItsPlane) {
  Random random(7);
  Scene scene = make_scene(0.005, 0.5, 0.3);
  scene.bodies = {make_ground()};
  for (int i = 0; i < 12; ++i) {
    BodyDescription box =
        make_body("box" + std::to_string(i), {Box{Vec3(0.3, 0.3, 0.2)}}, Vec3(0.25 * (i % 3), 0, 0.4 + 0.45 * (i / 3)));
    box.pose.q = Quat(Eigen::AngleAxisd(random.number(-1, 1), Vec3::UnitY()));
    box.spin = Vec3(0, random.number(-5, 5), 0);
    box.locks.bits = Locks::kY | Locks::kRx | Locks::kRz;
    scene.bodies.push_back(box);
  }
  Simulation simulation(scene);
  run_to(simulation, 2);
  const World& world = simulation.world();
  for (std::size_t i = 1; i < world.bodies.size(); ++i) {
    EXPECT_EQ(world.bodies.position[i].y(), 0);
    EXPECT_EQ(world.bodies.velocity[i].angular.x(), 0);
    EXPECT_EQ(world.bodies.velocity[i].angular.z(), 0);
    EXPECT_EQ(world.bodies.orientation[i].x(), 0);
    EXPECT_EQ(world.bodies.orientation[i].z(), 0);
  }
}

}  // namespace
}  // namespace achilles
