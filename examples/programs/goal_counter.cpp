// Listen for events: a trigger volume counts what enters it, a listener hears the first touch.
#include <achilles/achilles.hpp>

#include <iostream>

int main() {
  const achilles::Scene scene = achilles::parse_scene(R"(
achilles: 1
time: {step: 0.002}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - name: ball
    repeat: {count: [5, 1, 1], spacing: [0.6, 0, 0]}
    shape: {sphere: {radius: 0.1}}
    position: [-2.4, 0, 0.1]
    velocity: [3, 0, 0]
    spin: [0, 30, 0]
triggers:
  - {name: goal, shape: {box: {size: [0.5, 2, 1]}}, position: [2, 0, 0.5]}
)");
  achilles::Simulation simulation(scene);
  int goals = 0, touches = 0;
  simulation.watch_events({}, [&](const achilles::ContactEvent& event) {
    if (event.kind == achilles::EventKind::kTriggerIn) {
      std::cout << simulation.world().names[event.second] << " scores at " << event.time << " s\n";
      ++goals;
    }
    if (event.kind == achilles::EventKind::kNewTouch) ++touches;
  });
  while (simulation.world().time < 2) {
    if (simulation.step().stopped) return 1;
  }
  std::cout << goals << " goals, " << touches << " first touches\n";
  return goals == 5 && touches == 5 ? 0 : 1;
}
