// A world built in code: a box on the ground, and an arm that a motor holds against gravity.
#include <achilles/achilles.hpp>

#include <cmath>
#include <iostream>

using namespace achilles;

namespace {

constexpr double kGravity = 9.81;  // [m/s²]

Scene make_scene() {
  Scene scene;
  scene.step = 0.005;
  scene.method.name = "lcp-fixed";
  scene.bodies.push_back({.name = "ground", .kind = BodyKind::kFixed, .shape = {Plane{}}});
  scene.bodies.push_back({.name = "box", .shape = {Box{{1, 1, 1}}}, .mass = 10, .pose = {{3, 0, 0.5}}});
  scene.bodies.push_back(
      {.name = "post", .kind = BodyKind::kFixed, .shape = {Box{{0.2, 0.2, 4}}}, .pose = {{0, 0, 2}}});
  scene.bodies.push_back({.name = "arm", .shape = {Box{{1, 0.1, 0.1}}}, .mass = 2, .pose = {{0.5, 0, 4}}});
  scene.joints.push_back({.name = "shoulder",
                          .kind = JointKind::kHinge,
                          .first = "post",
                          .second = "arm",
                          .at = {0, 0, 4},
                          .axes = {{.axis = {0, 1, 0}, .motor_position = 0, .motor_max = 100}}});
  return scene;
}

/// Weight that the ground carries in the last step [N].
double measure_weight(const Simulation& simulation) {
  double weight = 0;
  for (const ContactRecord& contact : simulation.contacts()) {
    weight += contact.impulse.dot(contact.normal) / simulation.step_length();
  }
  return weight;
}

}  // namespace

int main() {
  try {
    Simulation simulation(make_scene());
    World& world = simulation.world();
    const BodyHandle arm = world.find("arm");
    const JointHandle shoulder = world.find_joint("shoulder");

    for (int k = 0; k < 400; ++k) {
      if (simulation.step().stopped) return 1;
    }
    const double weight = measure_weight(simulation);                  // 10 kg: 98.1 N
    const double torque = simulation.joint_load(shoulder).torque.y();  // 2 kg at 0.5 m: 9.81 N m
    std::cout << "the ground carries " << weight << " N, the shoulder " << std::abs(torque) << " N m\n";

    const World start = world;  // a copy is a snapshot
    world.set_motor(shoulder, 0, {JointDrive::Motor::kPosition, -0.5, 100});
    for (int k = 0; k < 400; ++k) {
      if (simulation.step().stopped) return 1;
    }
    const double height = world.pose(arm).p.z();  // 4 m + 0.5 m · sin 0.5
    std::cout << "the raised arm's centre is at " << height << " m\n";

    const WorldQuery query(world);
    const auto hit = query.cast_ray({3, 0, 10}, {0, 0, -1});
    std::cout << "a ray from above meets the box at " << (hit ? hit->point.z() : 0) << " m\n";

    simulation.restore(start);  // the same start, another future
    const bool right = std::abs(weight - 10 * kGravity) < 1e-3 && std::abs(std::abs(torque) - kGravity) < 1e-2 &&
                       std::abs(height - (4 + 0.5 * std::sin(0.5))) < 1e-2 && hit &&
                       std::abs(hit->point.z() - 1) < 1e-3;
    return right ? 0 : 1;
  } catch (const SceneError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
