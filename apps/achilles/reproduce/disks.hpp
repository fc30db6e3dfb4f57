// Anitescu's collapse of 66 disks, measured step by step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace achilles::reproduce {

struct Collapse {
  std::string solver;
  double duration = 0;  // [s]
  // Per step.
  std::vector<double> step, contacts, seconds, violation, energy, speed;
  double violation_max = 0;  // [m]
  double residual = 0;       // [m/s] largest
  double rise = 0;           // [J] largest excess of the energy over its last three values
  double step_rise = 0;      // [J] largest rise of the energy in one step
  int rising_steps = 0;      // steps in which it rises by more than rounding
  int contact_rise = 0;      // most new contacts in a step

  [[nodiscard]] double mean_seconds() const;
  [[nodiscard]] double worst_seconds() const;
};

struct CollapseSetting {
  std::filesystem::path scene;
  std::string solver;
  double duration = 20;  // [s]
  int sweeps = 0;        // of a solver that sweeps; 0: its own default
  double h = 0;          // [s] in place of the scene's step, unless zero
  double displaced = 0;  // [m] disks start apart by up to so much more
};

/// Runs the scene with the method `anitescu`. `seconds` is processor time of the whole step, contacts included.
[[nodiscard]] Collapse run_collapse(const CollapseSetting& setting);

}  // namespace achilles::reproduce
