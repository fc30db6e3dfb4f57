// Many bodies that bounce off each other: whatever several contacts and friction make of restitution, the energy does
// not rise.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

/// A heap of balls and boxes, some turned and turning, that falls on the ground.
Scene make_crowd(const std::string& method, double friction, unsigned seed) {
  Scene scene = make_scene(0.004, friction, 1);
  scene.method.name = method;
  scene.bodies = {make_ground()};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> jitter(-0.1, 0.1);
  for (int k = 0; k < 18; ++k) {
    const Shape shape = k % 2 == 0 ? Shape{Sphere{0.25}} : Shape{Box{Vec3(0.4, 0.5, 0.3)}};
    const Vec3 at(0.6 * (k % 3) + jitter(random), 0.6 * (k / 3 % 3) + jitter(random), 0.8 + 0.8 * (k / 9));
    BodyDescription body = make_body("body" + std::to_string(k), shape, at);
    body.pose.q = Quat(1, jitter(random), jitter(random), jitter(random)).normalized();
    body.velocity = Vec3(jitter(random), jitter(random), jitter(random));
    body.spin = 20 * Vec3(jitter(random), jitter(random), jitter(random));
    scene.bodies.push_back(body);
  }
  return scene;
}

/// Not `anitescu`, whose restitution errs by O(h), [Anitescu04, sec. IV], nor `soft-step`.
class ElasticCrowd : public ::testing::TestWithParam<const char*> {};

TEST_P(ElasticCrowd, NeverGainsEnergy) {
  for (const double friction : {0.0, 0.6}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      Simulation simulation(make_crowd(GetParam(), friction, seed));
      const auto energy = [&] { return simulation.world().kinetic_energy() + simulation.world().potential_energy(); };
      const double start = energy();
      int bounces = 0;
      double highest = start;
      while (simulation.world().time < 2) {
        bounces += static_cast<int>(simulation.step().impacts);
        highest = std::max(highest, energy());
      }
      EXPECT_LE(highest, start * (1 + 1e-3)) << friction << ", seed " << seed;
      EXPECT_GE(bounces, 18) << friction << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ElasticCrowd,
                         ::testing::Values("hybrid", "lcp-fixed", "lcp-fixpoint", "lcp-retroactive", "position-optimal",
                                           "reflections", "shock-propagation"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace achilles
