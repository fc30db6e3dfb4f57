// What the method of a recording promises, in numbers.
#pragma once

#include "methods/method_spec.hpp"
#include "record/head.hpp"

#include <optional>

namespace achilles {

struct PromisedBounds : Promises {
  std::optional<double> depth;     // [m] no deeper than this at any time
  std::optional<double> approach;  // [m/s] at which touching points may still close in after a step
  std::optional<double> joint;     // share of its arm (joint_pose.hpp) by which a joint may be apart
};

/// From the spec of the method and its options, as the recording has them.
[[nodiscard]] PromisedBounds promises_of(const RecordingHead& head);

}  // namespace achilles
