// What a method promises of its recordings.
#pragma once

#include "record/head.hpp"

#include <optional>

namespace achilles {

struct Promises {
  std::optional<double> depth;        // [m] no deeper than this at any time
  std::optional<double> energy_gain;  // share of the energy in play that may appear from nowhere
  std::optional<double> angular;      // share of the angular momentum that bodies among themselves may lose or gain
  bool momentum = true;               // bodies among themselves keep it
  bool inertia = true;                // positions follow velocities
  bool cone = true;                   // impulses lie in Coulomb's cone
  std::optional<double> approach;     // [m/s] at which touching points may still close in after a step
  std::optional<double> joint;        // share of its arms by which a joint may be apart
};

/// From the method's name and options, as the recording has them.
[[nodiscard]] Promises promises_of(const RecordingHead& head);

}  // namespace achilles
