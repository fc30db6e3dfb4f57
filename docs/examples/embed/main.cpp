// The library in a program of one's own: make a scene, step it, look at it, push it, go back in time.
#include <achilles/simulation.hpp>

#include <iostream>

namespace {

/// A box on the ground. The same could be read from a file: achilles::load_scene("scene.yaml").
achilles::Scene make_scene() {
  return achilles::parse_scene(R"(
achilles: 1
time: {step: 0.005, duration: 1}
materials: {default: {friction: 0.5}}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, shape: {box: {size: [1, 1, 1]}}, mass: 10, position: [0, 0, 0.5]}
)");
}

double height_of_push(achilles::Simulation& simulation, const achilles::Vec3& force, int steps) {
  achilles::World& world = simulation.world();
  const achilles::BodyHandle box = world.find("box");
  for (int k = 0; k < steps; ++k) {
    world.apply_force(box, force, world.bodies.position[world.index_of(box)]);  // acts for one step
    const achilles::StepReport report = simulation.step();
    if (report.stopped) std::cerr << report.stopped->message << '\n';
  }
  return world.bodies.frame(world.index_of(box)).p.z();
}

}  // namespace

int main() {
  try {
    achilles::Simulation simulation(make_scene());
    const achilles::World start = simulation.world();  // a copy is a snapshot

    std::cout << "resting: z = " << height_of_push(simulation, achilles::Vec3::Zero(), 100) << " m\n";
    double weight = 0;  // [N] carried by the ground in the last step
    for (const achilles::ContactRecord& contact : simulation.contacts()) {
      weight += contact.impulse.dot(contact.normal) / simulation.step_length();
    }
    std::cout << "the ground carries " << weight << " N\n";

    simulation.restore(start);  // the same start, another future
    const double lifted = height_of_push(simulation, achilles::Vec3(0, 0, 200), 100);
    std::cout << "lifted with 200 N for " << simulation.world().time << " s: z = " << lifted << " m\n";
    return lifted > 0.5 ? 0 : 1;
  } catch (const achilles::SceneError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
