// Control a joint from your own loop: a pendulum is swung up by a motor that your code drives, then held upright.
#include <achilles/achilles.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

using achilles::BodyKind;
using achilles::JointKind;

int main() {
  achilles::Scene scene;
  scene.step = 0.002;
  scene.bodies.push_back({.name = "stand", .kind = BodyKind::kFixed, .shape = {achilles::Box{{0.1, 0.1, 0.1}}}});
  scene.bodies.push_back({.name = "rod", .shape = {achilles::Box{{0.05, 0.05, 1}}}, .mass = 1, .pose = {{0, 0, -0.5}}});
  scene.joints.push_back({.name = "pivot",
                          .kind = JointKind::kHinge,
                          .first = "stand",
                          .second = "rod",
                          .axes = {{.axis = {0, 1, 0}, .motor_speed = 0, .motor_max = 0}}});
  achilles::Simulation simulation(scene);
  achilles::World& world = simulation.world();
  const achilles::BodyHandle rod = world.find("rod");
  const achilles::JointHandle pivot = world.find_joint("pivot");

  constexpr double kTorque = 2.5;          // [N m] at most: less than the 4.9 N m that hold the rod level
  constexpr double kUpright = 9.81 * 0.5;  // [J] energy of the rod at rest above its pivot
  double raised = 0;                       // [rad] angle from hanging, turns counted
  for (int k = 0; k < 10'000; ++k) {
    const double rate = world.velocity(rod).angular.y();  // [rad/s]
    raised += rate * scene.step;
    const double error = std::remainder(raised - std::numbers::pi, 2 * std::numbers::pi);  // [rad] from upright
    const double energy = world.kinetic_energy() + world.potential_energy();               // [J]
    // Pump energy in until it is enough, then coast; near the top a proportional-derivative law catches the rod.
    const double pump = energy > kUpright ? 0 : std::copysign(kTorque, rate);
    const double torque = std::abs(error) < 0.15 ? -40 * error - 8 * rate : pump;
    const double limited = std::clamp(torque, -kTorque, kTorque);
    world.set_motor(pivot, 0, {achilles::JointDrive::Motor::kSpeed, limited < 0 ? -100.0 : 100.0, std::abs(limited)});
    if (simulation.step().stopped) return 1;
  }
  const double height = world.pose(rod).p.z();
  std::cout << "the rod's centre is at " << height << " m; upright is 0.5 m\n";
  return height > 0.499 ? 0 : 1;
}
