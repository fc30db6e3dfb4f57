// Anitescu's collapse of 66 disks, measured step by step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace achilles::reproduce {

inline constexpr double kConverged = 0.02;  // [m/s] residual below which a run is judged by the paper's claims

struct Collapse {
  std::string solver;
  double duration = 0;  // [s]
  // Per step.
  std::vector<double> step, contacts, seconds, violation, energy, speed;
  double violation_max = 0;  // [m]
  double residual = 0;       // [m/s] largest
  double rise = 0;           // [J] largest excess of the energy over both of its last two values
  int contact_rise = 0;      // most new contacts in a step

  [[nodiscard]] double mean_seconds() const;
  [[nodiscard]] double worst_seconds() const;
};

/// Runs the scene with the method `anitescu`. `seconds` is processor time of the whole step, contacts included; `h`
/// other than zero replaces the step of the scene.
[[nodiscard]] Collapse run_collapse(const std::filesystem::path& scene, const std::string& solver, double duration,
                                    double h = 0);

}  // namespace achilles::reproduce
