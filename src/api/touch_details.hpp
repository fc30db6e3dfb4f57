// Where and how two bodies touch, for events: point, normal, approach speed and impulse.
#pragma once

#include "collision/detect.hpp"

#include <achilles/events.hpp>
#include <achilles/report.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// What a step left, and what it began with.
struct TouchInput {
  std::span<const ContactRecord> records;  // of the step
  const ContactSet* contacts = nullptr;    // at its end, as the search for events found them
  std::span<const Vec3> position_before;   // [m] per body
  std::span<const BodyVelocity> velocity_before;
};

/// Completes the events of touches that are new or persist. `touches` is scratch. Costs
/// O((records + contacts) log(events)).
void describe_touches(const TouchInput& input, std::vector<ContactEvent*>& touches, std::vector<ContactEvent>& events);

}  // namespace achilles
