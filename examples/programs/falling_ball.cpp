// Build a scene in code, step it, and compare with the closed form.
#include <achilles/achilles.hpp>

#include <cmath>
#include <iostream>

int main() {
  achilles::Scene scene;
  scene.step = 0.001;  // [s]
  scene.bodies.push_back({.name = "ball", .shape = {achilles::Sphere{0.1}}, .mass = 1, .pose = {{0, 0, 5}}});

  achilles::Simulation simulation(scene);
  const achilles::BodyHandle ball = simulation.world().find("ball");
  for (int k = 0; k < 1000; ++k) simulation.step();

  const double t = simulation.world().time;
  const double height = simulation.world().pose(ball).p.z();
  const double exact = 5 - 0.5 * 9.81 * t * t;
  std::cout << "after " << t << " s the ball is at " << height << " m; exact " << exact << " m\n";
  return std::abs(height - exact) < 9.81 * t * scene.step ? 0 : 1;  // a method of first order errs by g t h / 2
}
