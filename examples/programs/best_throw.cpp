// Try several futures from one state: which throw lands nearest to a mark? A World is a value; a copy is a snapshot.
#include <achilles/achilles.hpp>

#include <cmath>
#include <iostream>

int main() {
  const achilles::Scene scene = achilles::parse_scene(R"(
achilles: 1
time: {step: 0.002}
materials: {default: {friction: 0.6, restitution: 0.3}}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: bean_bag, shape: {box: {size: [0.1, 0.1, 0.04]}}, mass: 0.4, position: [0, 0, 1]}
)");
  constexpr double kMark = 4;  // [m]
  achilles::Simulation simulation(scene);
  const achilles::World start = simulation.world();
  double best_speed = 0, best_miss = 1e300;
  for (double speed = 3; speed <= 7; speed += 0.25) {
    simulation.restore(start);
    achilles::World& world = simulation.world();
    const achilles::BodyHandle bag = world.find("bean_bag");
    world.set_velocity(bag, {{speed * std::cos(0.6), 0, speed * std::sin(0.6)}, {0, 3, 0}});
    for (int k = 0; k < 1000; ++k) simulation.step();
    const double miss = std::abs(world.pose(bag).p.x() - kMark);
    if (miss < best_miss) best_speed = speed, best_miss = miss;
  }
  std::cout << "thrown at " << best_speed << " m/s it ends " << best_miss << " m from the mark\n";
  return best_miss < 0.3 ? 0 : 1;
}
