// Run one scene under several methods: how high does a ball come back whose restitution is 0.8?
#include <achilles/achilles.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

int main() {
  achilles::Scene scene = achilles::parse_scene(R"(
achilles: 1
time: {step: 0.001, duration: 1}
materials: {default: {restitution: 0.8}}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 1.1]}
)");
  bool right = true;
  for (const char* method : {"lcp-fixed", "reflections", "impulse-zeno-free", "hybrid"}) {
    scene.method = {};  // options and solver of the method before do not apply to the next
    scene.method.name = method;
    achilles::Simulation simulation(scene);
    const achilles::BodyHandle ball = simulation.world().find("ball");
    double highest = 0;  // [m] of the ball's lowest point after the first bounce, at 0.45 s
    while (simulation.world().time < 1) {
      if (simulation.step().stopped) return 1;
      if (simulation.world().time > 0.46) highest = std::max(highest, simulation.world().pose(ball).p.z() - 0.1);
    }
    std::cout << method << ": " << highest << " m; exact 0.64 m\n";
    right = right && std::abs(highest - 0.64) < 0.02;
  }
  return right ? 0 : 1;
}
