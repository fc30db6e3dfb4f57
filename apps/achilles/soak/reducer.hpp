// Shrinks a scene that fails to the little that still fails in the same way.
#pragma once

#include "soak/trial.hpp"

namespace achilles::program::soak {

struct ReduceOptions {
  TrialOptions trial;
  int most_trials = 80;
  double most_seconds = 60;  // [s] processor time in all
};

/// Drops bodies, joints, scripts and keys, simplifies shapes and values and shortens the run as long as a defect of
/// `kind` remains. Deterministic up to the limits of time.
[[nodiscard]] Trial reduce(const Trial& trial, const std::string& kind, const ReduceOptions& options);

}  // namespace achilles::program::soak
