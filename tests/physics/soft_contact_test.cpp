// Contacts of soft-step where bodies are small, or can hardly part along the normal.
#include "support/soft_scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace testing;

constexpr double kGravity = 9.81;

/// A box that can move along y alone, 5 mm deep in the upper face of a fixed one that leans by `lean` about x.
Scene make_rail(double lean) {
  Scene scene = make_soft_scene(0.01, 0, 0);
  scene.gravity = Vec3(0, -kGravity, 0);
  BodyDescription wall = make_body("wall", {Box{Vec3(2, 40, 2)}}, Vec3(0, 0, -1));
  wall.kind = BodyKind::kFixed;
  wall.pose.q = Quat(Eigen::AngleAxisd(lean, Vec3::UnitX()));
  BodyDescription rail = make_body("rail", {Box{Vec3(0.5, 0.5, 0.5)}}, Vec3(0, 0, 0.245));
  rail.locks.bits = Locks::kX | Locks::kZ | Locks::kRx | Locks::kRy | Locks::kRz;
  scene.bodies = {wall, rail};
  return scene;
}

// A normal that is square to the way of the body but for rounding neither holds it nor pushes it: it falls by g t. In
// single precision an impulse that stops such a point would be 1/ε² of what moves the body.
TEST(SoftContact, BodyThatCannotPartFromWhatItIsInFallsFreely) {
  for (const double lean : {0.0, 1e-12, 1e-9, -1e-7}) {
    Simulation simulation(make_rail(lean));
    run_to(simulation, 0.5);
    EXPECT_NEAR(velocity_of(simulation, "rail").linear.y(), -kGravity * 0.5, 1e-4) << lean;
  }
}

// On a slope ε it does part, along its way: 5 mm deep means 5 mm/ε to go, at the speed at which penetration is pushed
// out and not at that over ε, which for the last is 300 m/s. Gravity adds g h in a step.
TEST(SoftContact, BodyIsPushedAlongItsWayNoFasterThanPenetrationIsPushedOut) {
  for (const double lean : {0.3, 0.1, 0.01}) {
    Simulation simulation(make_rail(lean));
    double farthest = 0, before = 0;
    while (simulation.world().time < 0.2) {
      (void)simulation.step();
      const double y = position_of(simulation, "rail").y();
      farthest = std::max(farthest, std::abs(y - before));
      before = y;
    }
    EXPECT_LT(farthest, (3 + kGravity * 0.2) * 0.01) << lean;
  }
}

// What a spring of angular frequency ω gives under a weight, g/ω² by body above it, has nothing to do with the size of
// the body. At a step that follows the size a, h = 0.05 √(a/g), so must the spring, and cubes of any edge stand alike.
// Contacts are springs of a fifth of the rate of the substeps on half a mass and give by 2 n g/ω² under n cubes, with
// ω = 2π/5 · 8/h that is 5e-5 n a: 15 times for five. The cubes start askew by a thousandth of their edge, with gaps.
TEST(SoftContact, StackOfCubesOfAnySizeStands) {
  for (const double a : {1.0, 0.1, 0.01, 0.001}) {
    const double h = 0.05 * std::sqrt(a / kGravity);
    Scene scene = make_soft_scene(h, 0.5, 0);
    for (int k = 0; k < 5; ++k) {
      const Vec3 at(0.001 * a * (k % 2), 0.001 * a * (k % 3), a * (0.5 + 1.001 * k + 0.001));
      scene.bodies.push_back(make_body("cube" + std::to_string(k), {Box{Vec3(a, a, a)}}, at));
    }
    Simulation simulation(scene);
    run_to(simulation, 400 * h);
    const double give = 2 * kGravity * h * h / std::pow(8 * 2 * M_PI / 5, 2);
    for (int k = 0; k < 5; ++k) {
      const Vec3 p = position_of(simulation, "cube" + std::to_string(k));
      EXPECT_LT(p.head<2>().norm(), 0.005 * a) << a;
      EXPECT_NEAR(p.z(), (0.5 + k) * a, 15 * give) << a;
    }
  }
}

}  // namespace
}  // namespace achilles
