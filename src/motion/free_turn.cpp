#include "motion/free_turn.hpp"

#include "collision/continuous/motion.hpp"
#include "motion/free_rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

constexpr double kDeviation = 0.3;  // of b t², see the header

/// [rad/s²] b, from Euler's equations; 0 where it is rounding.
double measure_bend(const BodyArrays& bodies, std::size_t body, const TurnState& state) {
  const Quat to_body = state.q_WB.conjugate();
  const Vec3 w = to_body * state.spin;
  const Mat3& inverse = bodies.inverse_inertia_B[body];
  const double free = (inverse * w.cross(bodies.inertia_B[body] * w)).norm();
  const double driven = (inverse * (to_body * external_torque(bodies, body))).norm();
  return free > 1e-12 * w.squaredNorm() ? free + driven : driven;
}

/// One step of the midpoint rule. The Cayley map turns by 2 atan(½ |w| s): with s = 2/|w| tan(½ |w| t) a steady spin
/// turns by |w| t exactly.
void rotate_by_midpoint(const BodyArrays& bodies, std::size_t body, const Vec3& torque, double t, TurnState& state) {
  const double half = 0.5 * t * state.spin.norm();
  const double s = half > 1e-8 ? t * std::tan(half) / half : t;
  const Quat to_body = state.q_WB.conjugate();
  const FreeRotation free =
      advance_free_rotation(bodies.inertia_B[body], to_body * state.spin, Vec3(to_body * torque * (t / s)), s);
  state.q_WB = (state.q_WB * cayley_rotation(s * free.spin_mean_B)).normalized();
  state.spin = state.q_WB * free.spin_end_B;
}

}  // namespace

bool turns_freely(const BodyArrays& bodies, std::size_t body) {
  constexpr std::uint8_t kRotations = Locks::kRx | Locks::kRy | Locks::kRz;
  return bodies.is_movable(body) && (bodies.locks[body].bits & kRotations) == 0;
}

Vec3 external_torque(const BodyArrays& bodies, std::size_t body) {
  return bodies.constant_torque[body] + bodies.applied_torque[body];
}

double free_turn_part(const Vec3& spin) {
  constexpr double kLargestTurn = 0.25;  // [rad]
  const double speed = spin.norm();
  return speed > 0 ? kLargestTurn / speed : std::numeric_limits<double>::infinity();
}

TurnState rotate_freely(const BodyArrays& bodies, std::size_t body, double t) {
  TurnState state{bodies.orientation[body], bodies.velocity[body].angular};
  if (!(t > 0)) return state;
  constexpr double kMostParts = 1 << 14;
  const Vec3 torque = external_torque(bodies, body);
  const double part = std::max(free_turn_part(state.spin), t / kMostParts);
  double left = t;
  for (; left > part; left -= part) rotate_by_midpoint(bodies, body, torque, part, state);
  rotate_by_midpoint(bodies, body, torque, left, state);
  return state;
}

SteadyTurn find_steady_turn(const BodyArrays& bodies, std::size_t body, const TurnState& from, const TurnState& to,
                            double t) {
  return {find_mean_spin(from.q_WB, to.q_WB, t), kDeviation * measure_bend(bodies, body, from) * t * t};
}

double find_steady_span(const BodyArrays& bodies, std::size_t body, const TurnState& from, double deviation) {
  const double bend = measure_bend(bodies, body, from);
  return bend > 0 ? std::sqrt(deviation / (kDeviation * bend)) : std::numeric_limits<double>::infinity();
}

}  // namespace achilles
