// Scenes of the throughput method that tests write in code.
#pragma once

#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace achilles::testing {

inline Scene make_soft_scene(double step, double friction, double restitution) {
  Scene scene = make_scene(step, friction, restitution);
  scene.method.name = "soft-step";
  scene.bodies = {make_ground()};
  return scene;
}

/// Boxes and balls dropped on each other: every kind of contact, several colours.
inline Scene make_heap(int count) {
  Scene scene = make_soft_scene(0.01, 0.5, 0.1);
  for (int k = 0; k < count; ++k) {
    const Vec3 at(0.9 * (k % 4) + 0.05 * (k % 3), 0.9 * (k / 4 % 4) - 0.04 * (k % 5), 0.6 + 1.05 * (k / 16));
    const Shape shape = k % 3 == 0 ? Shape{Sphere{0.45}} : Shape{Box{Vec3(0.8, 0.9, 1)}};
    scene.bodies.push_back(make_body("body" + std::to_string(k), shape, at));
  }
  return scene;
}

inline std::uint64_t hash_after(const Scene& scene, int threads, int steps) {
  Simulation simulation(scene, threads);
  for (int k = 0; k < steps; ++k) EXPECT_FALSE(simulation.step().stopped);
  return simulation.world().state_hash();
}

/// A bed of balls that touch: more than soft-step sweeps in one piece.
inline Scene make_bed(int across, int layers) {
  Scene scene = make_soft_scene(0.01, 0.5, 0);
  for (int k = 0; k < across * across * layers; ++k) {
    const Vec3 at(0.2 * (k % across), 0.2 * (k / across % across), 0.1 + 0.2 * (k / across / across));
    scene.bodies.push_back(make_body("ball" + std::to_string(k), {Sphere{0.1}}, at));
  }
  return scene;
}

}  // namespace achilles::testing
