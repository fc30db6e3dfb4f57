// Rotation of the World's bodies in free flight, at any time within it, and the steady turn that stands for it in
// continuous collision detection.
#pragma once

#include <achilles/world.hpp>

namespace achilles {

/// A dynamic body with no locked rotation: Euler's equations hold for it.
[[nodiscard]] bool turns_freely(const BodyArrays& bodies, std::size_t body);

/// [N m] that the scene and its user apply, world axes.
[[nodiscard]] Vec3 external_torque(const BodyArrays& bodies, std::size_t body);

/// Orientation and spin of a body in flight, world axes.
struct TurnState {
  Quat q_WB = Quat::Identity();
  Vec3 spin = Vec3::Zero();  // [rad/s]
};

/// [s] of one step of the midpoint rule: a quarter of a radian. Orientations of rotate_freely are smooth in t within
/// each multiple of it, and continuous where two of them meet.
[[nodiscard]] double free_turn_part(const Vec3& spin);

/// The body's orientation and spin a time t after its present ones, without contacts, by the conserving rule of
/// free_rotation.hpp: for every t energy and, without torque, angular momentum are those of the present state to
/// rounding; a steady spin turns by exactly |w| t.
[[nodiscard]] TurnState rotate_freely(const BodyArrays& bodies, std::size_t body, double t);

/// A turn of constant spin from one orientation to another.
struct SteadyTurn {
  Vec3 spin = Vec3::Zero();  // [rad/s] world axes
  double deviation = 0;      // [rad] angle between it and the free rotation, at most, at any time in between
};

/// The steady turn between two states of the same free rotation, `t` apart and within one free_turn_part.
///
/// With bend b = |dw/dt| at `from`: two turns between the same ends over t differ by at most max|dw/dt| t²/8. By the
/// triangle inequality of inertias each component of w × Iw over I is at most a product of two of w, so that within a
/// quarter of a radian b grows by less than e^(√2/4 · 1.2) < 1.6; the rest of the bound, 0.3 b t², is for the O(w t) by
/// which turns do not commute and for what the midpoint rule errs by.
[[nodiscard]] SteadyTurn find_steady_turn(const BodyArrays& bodies, std::size_t body, const TurnState& from,
                                          const TurnState& to, double t);

/// [s] the longest t for which find_steady_turn deviates by at most `deviation` [rad], or infinity for a body whose
/// spin does not change.
[[nodiscard]] double find_steady_span(const BodyArrays& bodies, std::size_t body, const TurnState& from,
                                      double deviation);

}  // namespace achilles
