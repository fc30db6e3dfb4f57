// Read contact forces: how three stacked boxes pass their weight to the ground.
#include <achilles/achilles.hpp>

#include <cmath>
#include <iostream>
#include <map>
#include <string>

int main() {
  achilles::Scene scene;
  scene.step = 0.005;
  scene.bodies.push_back({.name = "ground", .kind = achilles::BodyKind::kFixed, .shape = {achilles::Plane{}}});
  for (int k = 0; k < 3; ++k) {
    scene.bodies.push_back({.name = "box" + std::to_string(k),
                            .shape = {achilles::Box{{1, 1, 1}}},
                            .mass = 10,
                            .pose = {{0, 0, 0.5 + k}}});
  }
  achilles::Simulation simulation(scene);
  for (int k = 0; k < 200; ++k) simulation.step();

  const achilles::World& world = simulation.world();
  std::map<std::string, double> carried;  // [N] normal force on what stands on top, by the name of what is below
  for (const achilles::ContactRecord& contact : simulation.contacts()) {
    carried[world.names[contact.body_a]] += contact.impulse.dot(contact.normal) / simulation.step_length();
  }
  bool right = true;
  for (const auto& [name, expected] : {std::pair{"ground", 3}, {"box0", 2}, {"box1", 1}}) {
    std::cout << name << " carries " << carried[name] << " N\n";
    right = right && std::abs(carried[name] - expected * 10 * 9.81) < 1e-2;
  }
  return right ? 0 : 1;
}
