// What a method promises of its recordings.
#pragma once

#include "record/head.hpp"

#include <optional>

namespace achilles {

/// What moves bodies out of each other, besides the impulses that keep them apart.
enum class Mending {
  kNone,
  kPositions,   // they are lifted by as much as they sank: their weight times the depth
  kVelocities,  // they leave within a step what they sank: as fast as depth / step
};

struct Promises {
  std::optional<double> depth;  // [m] no deeper than this at any time
  bool energy = false;          // none appears from nowhere, but for what steps of first order err by
  bool momentum = true;         // bodies among themselves keep it
  bool angular = true;          // and angular momentum, but for what steps of first order err by
  bool inertia = true;          // positions follow velocities
  bool impulses = false;        // the recorded ones are all there were in the step
  double rounding = 1e-9;       // relative, of momentum: sums over many bodies and steps in double precision
  bool cone = true;             // and lie in Coulomb's cone
  Mending mending = Mending::kNone;
  std::optional<double> approach;  // [m/s] at which touching points may still close in after a step
  std::optional<double> joint;     // share of its arms by which a joint may be apart
};

/// From the method's name and options, as the recording has them.
[[nodiscard]] Promises promises_of(const RecordingHead& head);

}  // namespace achilles
