#include "reproduce/disks.hpp"

#include <achilles/scene.hpp>
#include <achilles/simulation.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>
#include <random>

namespace achilles::reproduce {
namespace {

double total_energy(const Simulation& simulation) {
  return simulation.world().kinetic_energy() + simulation.world().potential_energy();
}

double largest_speed(const World& world) {
  double largest = 0;
  for (const BodyVelocity& u : world.bodies.velocity) largest = std::max(largest, u.linear.norm());
  return largest;
}

}  // namespace

double Collapse::mean_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

double Collapse::worst_seconds() const { return *std::max_element(seconds.begin(), seconds.end()); }

Collapse run_collapse(const CollapseSetting& setting) {
  Scene scene = load_scene(setting.scene);
  scene.method.name = "anitescu";
  scene.method.solver = setting.solver;
  if (setting.sweeps > 0) scene.method.options["iterations"] = static_cast<double>(setting.sweeps);
  if (setting.h > 0) scene.step = setting.h;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (BodyDescription& body : scene.bodies) {
    // Spread about the middle of the plank, so that no two disks come closer.
    if (body.kind == BodyKind::kDynamic) body.pose.p *= 1 + setting.displaced * (1 + 0.02 * unit(random)) / 3;
  }
  Simulation simulation(scene);
  Collapse run;
  run.solver = setting.solver;
  run.duration = setting.duration;
  std::array<double, 3> energies;  // after the last steps
  energies.fill(total_energy(simulation));
  int contacts = 0;
  while (simulation.world().time < setting.duration - 1e-9) {
    const std::clock_t start = std::clock();
    const StepReport report = simulation.step();
    run.seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    if (report.stopped) break;
    const double energy = total_energy(simulation);
    const double gain = energy - (run.energy.empty() ? energies.front() : run.energy.back());
    run.step_rise = std::max(run.step_rise, gain);
    run.rising_steps += gain > 1e-9 * std::abs(energy) ? 1 : 0;
    run.rise = std::max(run.rise, energy - *std::max_element(energies.begin(), energies.end()));
    energies[run.step.size() % energies.size()] = energy;
    if (!run.step.empty()) run.contact_rise = std::max(run.contact_rise, report.contacts - contacts);
    contacts = report.contacts;
    run.step.push_back(static_cast<double>(run.step.size() + 1));
    run.contacts.push_back(report.contacts);
    run.violation.push_back(simulation.penetration());
    run.energy.push_back(energy);
    run.speed.push_back(largest_speed(simulation.world()));
    run.violation_max = std::max(run.violation_max, run.violation.back());
    run.residual = std::max(run.residual, report.residual);
  }
  return run;
}

}  // namespace achilles::reproduce
