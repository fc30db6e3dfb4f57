// Save a world and load it again: the continuation has the same bits.
#include <achilles/achilles.hpp>

#include <iostream>
#include <sstream>

int main() {
  const achilles::Scene scene = achilles::parse_scene(R"(
achilles: 1
time: {step: 0.005}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - name: box
    repeat: {count: [1, 1, 5], spacing: [0.05, 0, 0.45]}
    shape: {box: {size: [0.4, 0.4, 0.4]}}
    position: [0, 0, 0.3]
)");
  achilles::Simulation simulation(scene);
  for (int k = 0; k < 100; ++k) simulation.step();

  std::stringstream file;  // or a std::ofstream opened as binary
  simulation.world().save(file);
  for (int k = 0; k < 100; ++k) simulation.step();
  const std::uint64_t straight = simulation.world().state_hash();

  achilles::Simulation other(scene);
  other.restore(achilles::World::load(file));
  for (int k = 0; k < 100; ++k) other.step();
  const std::uint64_t resumed = other.world().state_hash();

  std::cout << std::hex << straight << (straight == resumed ? " = " : " is not ") << resumed << '\n';
  return straight == resumed ? 0 : 1;
}
