// Stacks under `shock-propagation` that do not start in equilibrium: tilts, gaps, a dropped box.
#include "support/full_size.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;

struct Start {
  double tilt = 0;  // [rad] of the whole stack about a lower edge
  double gap = 0;   // [m] below every box
};

Scene make_stack(int count, const Start& start) {
  Scene scene = make_scene(0.01, 0.5, 0.25);
  scene.method.name = "shock-propagation";
  scene.bodies = {make_ground()};
  const Quat q(Eigen::AngleAxisd(start.tilt, Vec3::UnitY()));
  const Vec3 edge(0.5, 0, 0);
  for (int k = 0; k < count; ++k) {
    const Vec3 at(0, 0, 0.5 + k + start.gap * (k + 1));
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, edge + q * Vec3(at - edge)));
    scene.bodies.back().pose.q = q;
    scene.bodies.back().density = 10;
  }
  return scene;
}

double measure_energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

double measure_fastest(const World& world) {
  double fastest = 0;
  for (const BodyVelocity& u : world.bodies.velocity) fastest = std::max(fastest, u.linear.norm());
  return fastest;
}

// A stack of ten that stands on one edge rocks. Contacts do no positive work in a step and the correction lifts by no
// more than sank in, so its energy is never above that of the start (rounding leaves 1e-12 of it), and it does not
// fall: the top stays within half an edge.
TEST(ShockPerturbed, TiltedStackStandsAndNeverHasMoreEnergyThanAtTheStart) {
  for (const double tilt : {1e-4, 1e-3}) {
    Simulation simulation(make_stack(10, {tilt, 0}));
    const World& world = simulation.world();
    const double start = measure_energy(world);
    const Vec3 top = world.bodies.position.back();
    while (world.time < 20) {
      (void)simulation.step();
      ASSERT_LE(measure_energy(world), start * (1 + 1e-12)) << tilt << " at " << world.time;
    }
    EXPECT_LT((world.bodies.position.back() - top).norm(), 0.5) << tilt;
  }
}

// Gaps of g close within sqrt(2 g n / 9.81) s at most. Afterwards the energy is at most that of the start, and no box
// has left its place by more than the gaps let it lean: n layers that lean by g each displace the top by n² g / 2.
TEST(ShockPerturbed, StackWithGapsStands) {
  const int count = is_full() ? 25 : 12;
  for (const double gap : {1e-4, 1e-3}) {
    Simulation simulation(make_stack(count, {0, gap}));
    const World start = simulation.world();
    (void)run_to(simulation, 20);
    EXPECT_LT(measure_fastest(simulation.world()), 1e-3) << gap;
    EXPECT_LE(measure_energy(simulation.world()), measure_energy(start)) << gap;
    for (std::size_t i = 0; i < start.bodies.size(); ++i) {
      const Vec3 way = simulation.world().bodies.position[i] - start.bodies.position[i];
      EXPECT_LT(way.norm(), 0.5 * count * count * gap) << gap;
    }
  }
}

// A box that falls by 5 cm onto a stack brings m g 0.05 m, which is lost, and nothing else moves for long.
TEST(ShockPerturbed, StackUnderADroppedBoxRests) {
  Scene scene = make_stack(is_full() ? 24 : 10, {});
  scene.bodies.push_back(scene.bodies.back());
  scene.bodies.back().name = "dropped";
  scene.bodies.back().pose.p.z() += 1.05;
  Simulation simulation(scene);
  const double start = measure_energy(simulation.world());
  (void)run_to(simulation, 20);
  EXPECT_LT(measure_fastest(simulation.world()), 1e-4);
  EXPECT_LE(measure_energy(simulation.world()), start);
}

/// What is wrong with the start of a heap: gaps below every row with offsets, or boxes that are tilted about level
/// axes.
struct Disorder {
  double gap = 0;   // [m]
  double tilt = 0;  // [rad]
};

/// A flat pyramid with `base` boxes of 1 m in its lowest row, disturbed at random; a row is so much higher that nothing
/// overlaps.
Scene make_disturbed_pyramid(int base, const Disorder& disorder, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  Scene scene = make_scene(0.01, 0.5, 0.25);
  scene.method.name = "shock-propagation";
  scene.bodies = {make_ground()};
  for (int row = 0; row < base; ++row) {
    for (int k = 0; k < base - row; ++k) {
      const double lift = (disorder.gap + 1.5 * disorder.tilt) * (row + 1);
      Vec3 at(1.02 * (k + 0.5 * row), 0, 0.5 + row + lift);
      at += disorder.gap * Vec3(0.5 * draw(engine), draw(engine), 0);
      scene.bodies.push_back(make_body("box" + std::to_string(scene.bodies.size()), {Box{Vec3(1, 1, 1)}}, at));
      const double angle = std::numbers::pi * draw(engine);
      scene.bodies.back().pose.q =
          Quat(Eigen::AngleAxisd(disorder.tilt * draw(engine), Vec3(std::cos(angle), std::sin(angle), 0)));
      scene.bodies.back().density = 10;
    }
  }
  return scene;
}

// Pyramids of 10 to 91 boxes that start with gaps, offsets and tilts are at rest within 20 s, with no more energy than
// at the start. What they drift is explained by the start: with d the gap, or the height 1.5 θ that a tilt θ lifts a
// box by, row n falls by n d, and leans by up to n² d / 2 when every row leans by d on the one below.
TEST(ShockPerturbed, DisturbedPyramidsComeToRestWhereTheStartLetsThem) {
  for (const int base : is_full() ? std::vector<int>{4, 7, 10, 13} : std::vector<int>{4, 7}) {
    for (const double size : {1e-4, 1e-3, 1e-2}) {
      if (!is_full() && base > 4 && size < 1e-2) continue;
      for (const Disorder disorder : {Disorder{size, 0}, Disorder{0, size}}) {
        for (std::uint64_t seed = 1; seed <= (is_full() ? 5U : 1U); ++seed) {
          Simulation simulation(make_disturbed_pyramid(base, disorder, seed));
          const World start = simulation.world();
          (void)run_to(simulation, 20);
          const std::string what = std::to_string(base) + " rows, gap " + std::to_string(disorder.gap) + ", tilt " +
                                   std::to_string(disorder.tilt) + ", seed " + std::to_string(seed);
          EXPECT_LT(measure_fastest(simulation.world()), 1e-4) << what;
          EXPECT_LE(measure_energy(simulation.world()), measure_energy(start) * (1 + 1e-12)) << what;
          const double d = disorder.gap + 1.5 * disorder.tilt;
          for (std::size_t i = 0; i < start.bodies.size(); ++i) {
            const Vec3 way = simulation.world().bodies.position[i] - start.bodies.position[i];
            EXPECT_LT(way.norm(), base * d + 0.5 * base * base * d) << what;
          }
        }
      }
    }
  }
}

// A column of ten with gaps of up to 1 cm and boxes set aside by as much is at rest within 20 s; a box that hangs over
// by less than half its edge does not tip, so that nothing but the gaps moves it.
TEST(ShockPerturbed, ColumnWithGapsAndOffsetsComesToRest) {
  for (const double size : {1e-4, 1e-3, 1e-2}) {
    Scene scene = make_stack(10, {0, size});
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (std::size_t k = 1; k < scene.bodies.size(); ++k) {
      scene.bodies[k].pose.p += size * Vec3(draw(engine), draw(engine), 0);
    }
    Simulation simulation(scene);
    const World start = simulation.world();
    (void)run_to(simulation, 20);
    EXPECT_LT(measure_fastest(simulation.world()), 1e-4) << size;
    for (std::size_t i = 0; i < start.bodies.size(); ++i) {
      const Vec3 way = simulation.world().bodies.position[i] - start.bodies.position[i];
      EXPECT_LT(way.norm(), 10 * size + 0.5 * 100 * size) << size;
    }
  }
}

}  // namespace
}  // namespace achilles
