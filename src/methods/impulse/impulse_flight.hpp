// Bodies of impulse-based stepping between their events, each with a clock of its own within the step.
#pragma once

#include "methods/impulse/impulse_workspace.hpp"
#include "motion/free_turn.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// The World's state of a body is that of scratch.impulse.since. From there a body that has its forces up to the end of
/// the step moves at constant velocity; any other flies: on a parabola, turning as free_turn.hpp has it, so that energy
/// and angular momentum are the same whenever its flight is interrupted.
///
/// Continuous detection sees a steady turn for some time, the body's way, and by how much a point of the body may be
/// off it. Where something is near, ways are described for shorter times, down to an error of a twentieth of the
/// tolerance; what the body does is the same however often that happens.
class ImpulseFlights {
 public:
  /// `ballistic`: free bodies fly exact parabolas; else Euler's straight lines.
  ImpulseFlights(World& world, bool ballistic, double tolerance, ImpulseScratch& scratch, double h)
      : world_(world),
        bodies_(world.bodies),
        ballistic_(ballistic),
        tolerance_(tolerance),
        scratch_(scratch),
        local_(scratch.impulse),
        h_(h) {}

  /// Everything at the beginning of the step; no collider described yet.
  void begin();

  /// How the body and its colliders move from time `now` of the step on, for as long as its span is.
  void describe(std::size_t i, double now);

  /// Halves the span of what is described of a body at a time. False where its way is exact enough already.
  bool shorten(std::size_t i);

  /// [m] by which a way may be off where something touches.
  [[nodiscard]] double least_error() const { return 0.05 * tolerance_; }

  /// Brings the World's state of a body to time t of the step.
  void fly(std::size_t i, double t);

  /// Placement of a collider at time t of the step.
  [[nodiscard]] Transform pose_at(std::uint32_t collider, double t) const;

  /// Appends the points of a pair at time t to the found ones: those nearer than `touching`, whose number is returned,
  /// then those nearer than `near`.
  std::uint32_t append_touch(const ColliderPair& pair, double t, double touching, double near);

  /// How fast body i moves at time t of the step at a point.
  [[nodiscard]] Vec3 velocity_at(std::size_t i, double t, const Vec3& point) const;

 private:
  [[nodiscard]] bool moves(std::size_t i) const {
    return bodies_.kind[i] != BodyKind::kFixed && bodies_.asleep[i] == 0;
  }

  [[nodiscard]] Vec3 acceleration_of(std::size_t i) const {
    return ballistic_ && local_.carried[i] == 0 ? local_.acceleration[i] : Vec3(Vec3::Zero());
  }

  [[nodiscard]] bool turns(std::size_t i) const;
  void append_nearest_point(const ColliderPair& pair, double t, double touching);
  [[nodiscard]] Vec3 position_at(std::size_t i, double dt) const {
    return bodies_.position[i] + dt * bodies_.velocity[i].linear + 0.5 * dt * dt * acceleration_of(i);
  }
  [[nodiscard]] TurnState turn_at(std::size_t i, double dt) const;

  World& world_;
  BodyArrays& bodies_;
  bool ballistic_;
  double tolerance_;  // [m]
  ImpulseScratch& scratch_;
  ImpulseWorkspace& local_;
  double h_;  // [s]
};

}  // namespace achilles
