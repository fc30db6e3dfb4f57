// A run of a scene watched step by step, for experiments.
#pragma once

#include "reproduce/between.hpp"

#include <achilles/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

namespace achilles::reproduce {

struct Watched {
  double time = 0;               // [s] simulated
  double wall_seconds = 0;       // [s] of the steps alone
  double processor_seconds = 0;  // [s] of the steps alone
  int contacts = 0;              // points at one instant, at most
  int iterations = 0;            // of the complementarity solver, at most
  double penetration = 0;        // [m] deepest, at every step
  double rise = 0;     // [J] largest rise of the total energy above what it had been before, scripts not counted
  int violations = 0;  // pairs deeper than the tolerance between two steps, if one was given
  EventCosts costs;
  std::optional<Stop> stopped;
};

/// Runs a scene for `duration` seconds; look(simulation) is called before the first step and after every one. With a
/// tolerance [m], the way between steps is checked for violations of it too.
template <class Look>
Watched watch(Simulation& simulation, double duration, const Look& look, double tolerance = 0, bool bends = false) {
  Watched watched;
  const World& world = simulation.world();
  const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
  double lowest = energy();
  double work = 0;
  Places before;
  look(simulation);
  while (world.time < duration - 0.5 * simulation.step_length() && !watched.stopped) {
    if (tolerance > 0) before.take(world);
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor = std::clock();
    const StepReport step = simulation.step();
    watched.processor_seconds += static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
    watched.contacts = std::max(watched.contacts, step.contacts);
    watched.iterations = std::max(watched.iterations, step.iterations);
    watched.wall_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    watched.stopped = step.stopped;
    if (tolerance > 0) watched.violations += count_violations_between(before, world, tolerance, bends);
    watched.costs += step.costs;
    work += step.external_work;
    watched.penetration = std::max(watched.penetration, simulation.penetration());
    watched.rise = std::max(watched.rise, energy() - work - lowest);
    lowest = std::min(lowest, energy() - work);
    look(simulation);
  }
  watched.time = world.time;
  return watched;
}

/// The same for a scene file with a method.
template <class Look>
Watched watch(const std::string& file, const std::vector<Override>& sets, double duration, const Look& look,
              double tolerance = 0, bool bends = false) {
  Simulation simulation(load_scene(file, sets));
  return watch(simulation, duration, look, tolerance, bends);
}

inline std::uint32_t index_of(const Simulation& simulation, const std::string& name) {
  return simulation.world().index_of(simulation.world().find(name));
}

inline const Vec3& place_of(const Simulation& simulation, const std::string& name) {
  return simulation.world().bodies.position[index_of(simulation, name)];
}

inline const BodyVelocity& motion_of(const Simulation& simulation, const std::string& name) {
  return simulation.world().bodies.velocity[index_of(simulation, name)];
}

}  // namespace achilles::reproduce
