// Bodies of impulse-based stepping between their events, each with a clock of its own within the step.
#pragma once

#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// The World's state of a body is that of scratch.impulse.since; where it is later follows from how it was described. A
/// body that has its forces up to the end of the step moves at constant velocity, any other flies.
class ImpulseFlights {
 public:
  /// `ballistic`: free bodies fly exact parabolas; else Euler's straight lines.
  ImpulseFlights(World& world, bool ballistic, StepWorkspace& scratch, double h)
      : world_(world),
        bodies_(world.bodies),
        ballistic_(ballistic),
        scratch_(scratch),
        local_(scratch.impulse),
        h_(h) {}

  /// Everything at the beginning of the step; nobody described yet.
  void begin();

  /// How the body and its colliders move from its present state on.
  void describe(std::size_t i);

  /// Brings the World's state of a body to time t of the step.
  void fly(std::size_t i, double t);

  /// How fast body i moves at time t of the step at a point.
  [[nodiscard]] Vec3 velocity_at(std::size_t i, double t, const Vec3& point) const;

 private:
  [[nodiscard]] bool moves(std::size_t i) const {
    return bodies_.kind[i] != BodyKind::kFixed && bodies_.asleep[i] == 0;
  }

  [[nodiscard]] Vec3 acceleration_of(std::size_t i) const {
    return ballistic_ && local_.carried[i] == 0 ? local_.acceleration[i] : Vec3(Vec3::Zero());
  }

  World& world_;
  BodyArrays& bodies_;
  bool ballistic_;
  StepWorkspace& scratch_;
  ImpulseWorkspace& local_;
  double h_;  // [s]
};

}  // namespace achilles
