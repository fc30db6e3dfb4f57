// Billiards, [Erleben04, sec. 6.2.3, fig. 6.32]: hits of equal balls in closed form, and the break of a rack.
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kRadius = 0.0286;  // [m]
constexpr double kSpeed = 3;        // [m/s]

const char* const kMethods[] = {"lcp-fixed",         "lcp-event",   "shock-propagation",
                                "impulse-zeno-free", "reflections", "impulse-conservative"};

/// A cue ball on its way to one at rest, whose centre is `aside` off its line; neither weight nor friction.
Scene make_hit(const char* method, double restitution, double aside) {
  Scene scene = make_scene(1e-4, 0, restitution);
  scene.gravity = Vec3::Zero();
  scene.method.name = method;
  scene.bodies = {make_body("cue", {Sphere{kRadius}}, Vec3(-0.1, 0, 0)),
                  make_body("target", {Sphere{kRadius}}, Vec3(0, aside, 0))};
  scene.bodies[0].velocity = Vec3(kSpeed, 0, 0);
  return scene;
}

// Momentum and v₂ − v₁ = e v give the target (1 + e)/2 of the speed and leave (1 − e)/2 to the cue ball. Mirtich's
// collisions are integrated to eight digits.
TEST(Billiards, HeadOnHitSharesTheSpeedByRestitution) {
  for (const char* method : kMethods) {
    for (const double e : {0.0, 0.5, 0.95, 1.0}) {
      Simulation simulation(make_hit(method, e, 0));
      (void)run_to(simulation, 0.03);
      const Vec3 cue = velocity_of(simulation, "cue").linear, target = velocity_of(simulation, "target").linear;
      EXPECT_NEAR(target.x(), 0.5 * (1 + e) * kSpeed, 1e-7) << method << " e " << e;
      EXPECT_NEAR(cue.x(), 0.5 * (1 - e) * kSpeed, 1e-7) << method << " e " << e;
      EXPECT_LT(std::hypot(cue.y(), target.y()), 1e-9) << method << " e " << e;
    }
  }
}

// The impulse is along the line of centres, so the target leaves along it and the cue ball keeps what is square to it:
// with e = 1 their ways are at right angles. The line is that at the moment of contact, sin θ = aside / 2 r. Methods
// that do not stop there look at it up to a step before or after, δ = v h / (2 r cos θ) off; those that close the gap
// in one step and bounce in the next have two lines up to δ apart, which costs the second order of it in energy.
TEST(Billiards, ElasticObliqueHitLeavesAtRightAnglesAndAlongTheLineOfCentres) {
  for (const char* method : kMethods) {
    for (const double aside : {0.5 * kRadius, kRadius, 1.5 * kRadius}) {
      Simulation simulation(make_hit(method, 1, aside));
      (void)run_to(simulation, 0.04);
      const Vec3 cue = velocity_of(simulation, "cue").linear, target = velocity_of(simulation, "target").linear;
      const double angle = std::asin(aside / (2 * kRadius));
      const double off = kSpeed * 1e-4 / (2 * kRadius * std::cos(angle));
      const double second_order = kSpeed * kSpeed * off * off;
      EXPECT_NEAR(cue.dot(target), 0, second_order) << method << " aside " << aside;
      EXPECT_LT((cue + target - Vec3(kSpeed, 0, 0)).norm(), 1e-9) << method << " aside " << aside;
      EXPECT_NEAR(cue.squaredNorm() + target.squaredNorm(), kSpeed * kSpeed, second_order)
          << method << " aside " << aside;
      EXPECT_NEAR(std::atan2(target.y(), target.x()), angle, off) << method << " aside " << aside;
    }
  }
}

// With restitution e the part along the line of centres is shared as in a head-on hit: of the energy
// (1 − e²)/2 · ½ m (v cos θ)² is lost, whatever the side part.
TEST(Billiards, ObliqueHitLosesEnergyOfItsNormalPartOnly) {
  for (const char* method : kMethods) {
    Simulation simulation(make_hit(method, 0.5, kRadius));
    (void)run_to(simulation, 0.05);
    const Vec3 cue = velocity_of(simulation, "cue").linear, target = velocity_of(simulation, "target").linear;
    // The target leaves with (1 + e)/2 of the normal part, so that part is known from what is seen.
    const double normal_part = target.norm() / 0.75;
    EXPECT_NEAR(kSpeed * kSpeed - cue.squaredNorm() - target.squaredNorm(), 0.375 * normal_part * normal_part, 1e-6)
        << method;
    EXPECT_NEAR(normal_part, kSpeed * std::cos(std::asin(0.5)), 0.01 * kSpeed) << method;
  }
}

/// How far the balls of a rack are from being their own mirror image in y = 0, at worst [m].
double measure_asymmetry(const Simulation& simulation) {
  double worst = 0;
  const auto at = [&](int number) { return position_of(simulation, "ball" + std::to_string(number)); };
  for (const auto& [left, right] : {std::pair{2, 3}, {4, 6}, {7, 10}, {8, 9}, {11, 15}, {12, 14}, {1, 1}, {5, 5}}) {
    const Vec3 p = at(left), q = at(right);
    worst = std::max({worst, std::abs(p.x() - q.x()), std::abs(p.y() + q.y())});
  }
  return std::max({worst, std::abs(at(13).y()), std::abs(position_of(simulation, "cue").y())});
}

// Rack, table and shot are their own mirror image, so the break must be: balls of a row spread alike. The solvers stop
// at 1e-9 m/s, which a few hundred impacts may multiply. The pack must have spread: its corners by more than a radius.
TEST(Billiards, RackBreaksAsItsOwnMirrorImage) {
  const Scene scene = load_scene((source_folder() / "scenes" / "erleben" / "billiards.yaml").string());
  for (const char* method : {"lcp-fixed", "lcp-event", "reflections", "shock-propagation"}) {
    Scene shot = scene;
    shot.method.name = method;
    Simulation simulation(shot);
    const double corner = position_of(simulation, "ball15").y();
    (void)run_to(simulation, 0.3);
    EXPECT_LT(measure_asymmetry(simulation), 1e-6) << method;
    EXPECT_GT(position_of(simulation, "ball15").y(), corner + kRadius) << method;
  }
}

// Nothing but the cue ball's momentum is there to be shared, and elastic balls without friction keep its energy.
TEST(Billiards, BreakWithoutFrictionKeepsMomentumAndEnergy) {
  Scene scene = load_scene((source_folder() / "scenes" / "erleben" / "billiards.yaml").string());
  scene.gravity = Vec3::Zero();
  for (MaterialPair& pair : scene.material_pairs) {
    pair.law.friction = 0;
    pair.law.restitution = 1;
  }
  for (const char* method : {"lcp-fixed", "lcp-event", "reflections", "shock-propagation"}) {
    scene.method.name = method;
    Simulation simulation(scene);
    const double energy = simulation.world().kinetic_energy();
    const Vec3 momentum = simulation.world().linear_momentum();
    (void)run_to(simulation, 0.3);
    EXPECT_NEAR(simulation.world().kinetic_energy(), energy, 1e-6 * energy) << method;
    EXPECT_LT((simulation.world().linear_momentum() - momentum).norm(), 1e-9 * momentum.norm()) << method;
  }
}

}  // namespace
}  // namespace achilles
