// A falling ball that a browser watches; prints the address of the page.
#include <achilles/achilles.hpp>

#include <iostream>

int main() {
  achilles::Scene scene;
  scene.step = 0.002;
  scene.bodies.push_back({.name = "ball", .shape = {achilles::Sphere{0.1}}, .mass = 1});
  achilles::Simulation simulation(scene);
  achilles::LiveView view(simulation);
  std::cout << view.address() << std::endl;
  while (!simulation.step().stopped) {
  }
}
