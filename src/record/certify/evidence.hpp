// What certification works on: the world of the recording, placed at its instants, and the worst that was seen.
#pragma once

#include "record/certify/certify.hpp"

#include <achilles/world.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace achilles {

/// The world of a recording: bodies, shapes, materials, joints. Throws std::runtime_error when neither the scene in the
/// recording nor a world saved along the way has the recorded bodies.
[[nodiscard]] World rebuild_world(const Recording& recording);

/// Poses, velocities and time of an instant.
void place(const Instant& instant, World& world);

/// Keeps the worst of many measurements, each with the limit that held for it.
class Worst {
 public:
  template <class Describe>
  void see(double value, double limit, std::size_t instant, double time, const Describe& describe) {
    seen_ = true;
    // Not a number is worse than anything.
    const double ratio = std::isnan(value)                   ? std::numeric_limits<double>::infinity()
                         : limit > 0 && std::isfinite(limit) ? value / limit
                                                             : value;
    if (!(ratio > ratio_)) return;
    ratio_ = ratio;
    value_ = value;
    limit_ = limit;
    instant_ = instant;
    time_ = time;
    detail_ = describe();
  }
  [[nodiscard]] bool seen() const { return seen_; }
  [[nodiscard]] double value() const { return value_; }
  /// Judges by the limits, or only reports where nothing is promised.
  [[nodiscard]] Verdict verdict(std::string property, std::string unit, bool promised) const;

 private:
  bool seen_ = false;
  double ratio_ = -std::numeric_limits<double>::infinity();
  double value_ = 0, limit_ = 0;
  std::size_t instant_ = 0;
  double time_ = 0;
  std::string detail_;
};

}  // namespace achilles
