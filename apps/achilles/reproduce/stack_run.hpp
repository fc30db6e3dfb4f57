// A stack under one method, and how well it stands.
#pragma once

#include "reproduce/experiment.hpp"

#include <achilles/simulation.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace achilles::reproduce {

struct StackMethod {
  std::string name;
  std::string solver;
  std::map<std::string, OptionValue> options;
  std::optional<double> restitution;  // in place of the scene's
  std::vector<Override> overrides;    // of keys of the scene
  double perturbation = 0;  // [m] bodies start this much higher than the one below and as much aside, at random
};

/// lcp-fixed with cold sweeps of Gauss-Seidel and no error correction, as in section 6.1 of the thesis.
[[nodiscard]] StackMethod plain_gauss_seidel(int sweeps);
[[nodiscard]] StackMethod shock_propagation(double gravity_fraction);
/// Fig. 6.60 to the letter.
[[nodiscard]] StackMethod thesis_propagation(double gravity_fraction);

/// What one step cost, in time of the processor.
struct StepCost {
  int contacts = 0;                    // contact points
  double stepping = 0, detection = 0;  // [s] of collision detection, and of all else
};

class StackRun {
 public:
  StackRun(const std::filesystem::path& scene, const StackMethod& method);

  /// Returns the number of contact points.
  int step();
  [[nodiscard]] StepCost time_step();
  /// Steps up to a time and notes drift over time, looking at the penetration on the way.
  void follow(double until, Curve& curve);
  void follow_energy(double until, Curve& curve);
  /// Runs up to a time; returns the largest speed of a body from `since` on [m/s].
  [[nodiscard]] double measure_speed(double since, double until);
  /// Mean time of a frame [s], of the processor: what else runs on the machine does not count.
  [[nodiscard]] double time_frames(int frames);

  [[nodiscard]] double drift() const;                                // [m] largest distance from the start
  [[nodiscard]] double penetration() const { return penetration_; }  // [m] largest seen
  [[nodiscard]] double depth_now() { return simulation_.penetration(); }
  [[nodiscard]] bool all_asleep() const;
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] const World& world() const { return simulation_.world(); }
  [[nodiscard]] double duration() const { return simulation_.scene().duration; }

 private:
  Simulation simulation_;
  std::vector<Vec3> start_;
  double penetration_ = 0;
  bool stopped_ = false;
};

}  // namespace achilles::reproduce
