// Add a force of your own in every step: a spring to the origin. The body swings with the period 2 pi sqrt(m / k).
#include <achilles/achilles.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

int main() {
  constexpr double kMass = 2, kStiffness = 50;  // [kg], [N/m]
  achilles::Scene scene;
  scene.gravity = achilles::Vec3::Zero();
  scene.step = 0.0005;
  scene.bodies.push_back({.name = "ball", .shape = {achilles::Sphere{0.1}}, .mass = kMass, .pose = {{1, 0, 0}}});

  achilles::Simulation simulation(scene);
  achilles::World& world = simulation.world();
  const achilles::BodyHandle ball = world.find("ball");
  double crossed = 0;  // [s] when the ball first passed the origin: a quarter of a period
  while (crossed == 0 && world.time < 10) {
    const achilles::Vec3 position = world.pose(ball).p;
    world.apply_force(ball, -kStiffness * position, position);  // [N], acts in the next step only
    simulation.step();
    if (world.pose(ball).p.x() < 0) crossed = world.time;
  }
  const double exact = 2 * std::numbers::pi * std::sqrt(kMass / kStiffness);
  std::cout << "period " << 4 * crossed << " s; exact " << exact << " s\n";
  return std::abs(4 * crossed - exact) < 8 * scene.step ? 0 : 1;
}
