// Control an arm from your own loop and record what it does.   pick_and_place SCENE.yaml RECORDING.h5
// The arm is that of examples/scenes/pick_and_place.yaml; this program gives the targets in place of the scene.
#include <achilles/achilles.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

namespace {

/// Smoothly from 0 to 1 between two times [s].
double ramp(double t, double from, double to) {
  const double s = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

/// Targets of waist, shoulder, elbow and wrist [rad] and of the two fingers [m] at a time [s]. The wrist goes to a
/// radius and height, the hand points down: two links of 0.5 m on a shoulder 0.4 m up, with the elbow above.
std::array<double, 6> find_targets(double t) {
  const double waist = 1.2 * ramp(t, 4.1, 6.1), radius = 0.5 + 0.1 * ramp(t, 0.3, 1.5);
  const double lowered = 0.5 * ramp(t, 0.3, 1.5) + 0.2 * ramp(t, 1.5, 2.5) + 0.249 * ramp(t, 6.1, 7.1);
  const double raised = 0.25 * ramp(t, 3.1, 4.1) + 0.3 * ramp(t, 7.7, 8.7);
  const double rise = 0.9 - lowered + raised - 0.4, reach = std::hypot(radius, rise);
  const double upper = std::atan2(rise, radius) + std::acos(reach);  // [rad] above level, of links of 0.5 m
  const double fore = std::atan2(0.5 * std::sin(upper) - rise, radius - 0.5 * std::cos(upper));  // below level
  const double shoulder = std::acos(0.0) - upper, closed = 0.03 * (ramp(t, 2.5, 3) - ramp(t, 7.2, 7.6));
  return {waist, shoulder, fore - shoulder, -fore, closed, closed};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const achilles::Scene scene = achilles::load_scene(arguments[1]);
  achilles::Simulation simulation(scene);
  achilles::World& world = simulation.world();
  simulation.before_each_step([&](achilles::Simulation&) {
    const std::array<double, 6> targets = find_targets(world.time + scene.step);
    for (std::uint32_t k = 0; k < targets.size(); ++k) {
      achilles::DriveDescription drive = *scene.joints[k].axes[0].drive;  // its gains and largest force
      drive.target = {{0.0, targets[k]}};
      world.set_drive(k, 0, drive);
    }
  });
  achilles::Recorder recorder(simulation, {.record_path = arguments[2]});
  while (world.time < 9) (void)recorder.step();
  const achilles::Vec3 place = world.pose(world.find("box")).p, goal(0.6 * std::cos(1.2), 0.6 * std::sin(1.2), 0.05);
  std::cout << "the box is at " << place.transpose() << ", off by " << (place - goal).norm() << " m\n";
  return recorder.finish().stopped || (place - goal).norm() > 0.01 ? 1 : 0;
}
