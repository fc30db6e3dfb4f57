#include "time_control/conservative/flight.hpp"

#include "motion/free_rotation.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

bool is_free_to_turn(const BodyArrays& bodies, std::size_t body) {
  constexpr std::uint8_t kRotations = Locks::kRx | Locks::kRy | Locks::kRz;
  return bodies.is_movable(body) && (bodies.locks[body].bits & kRotations) == 0;
}

Vec3 torque_on(const BodyArrays& bodies, std::size_t body) {
  return bodies.constant_torque[body] + bodies.applied_torque[body];
}

/// [rad/s²] of a free body, from Euler's equations.
double measure_angular_acceleration(const BodyArrays& bodies, std::size_t body) {
  const Quat to_body = bodies.orientation[body].conjugate();
  const Vec3 w = to_body * bodies.velocity[body].angular;
  const Vec3 torque = to_body * torque_on(bodies, body);
  return (bodies.inverse_inertia_B[body] * (torque - w.cross(bodies.inertia_B[body] * w))).norm();
}

}  // namespace

void rotate_freely(const BodyArrays& bodies, std::size_t body, const Vec3& torque, double t, Quat& q_WB, Vec3& spin) {
  if (!(t > 0)) return;
  constexpr double kLargestTurn = 0.5;  // [rad] of one step of the midpoint rule
  const int parts = std::max(1, static_cast<int>(std::ceil(spin.norm() * t / kLargestTurn)));
  const double part = t / parts;
  for (int k = 0; k < parts; ++k) {
    // The Cayley map turns by 2 atan(½ |w| s): with s = 2/|w| tan(½ |w| part) a steady spin turns by |w| part exactly.
    const double half = 0.5 * part * spin.norm();
    const double s = half > 1e-8 ? part * std::tan(half) / half : part;
    const Quat to_body = q_WB.conjugate();
    const FreeRotation free =
        advance_free_rotation(bodies.inertia_B[body], to_body * spin, Vec3(to_body * torque * (part / s)), s);
    q_WB = (q_WB * cayley_rotation(s * free.spin_mean_B)).normalized();
    spin = q_WB * free.spin_end_B;
  }
}

void take_off(const BodyArrays& bodies, std::size_t body, const FlightFrame& frame, Flight& flight) {
  flight.spin = bodies.velocity[body].angular;
  flight.until = frame.length;
  if (!is_free_to_turn(bodies, body)) return;
  // Between two equal poses the angles of the constant spin and of the true one differ by at most |dw/dt| T²/8.
  const double bend = measure_angular_acceleration(bodies, body);
  const double speed = flight.spin.norm();
  if (!(bend > 1e-12 * speed * speed)) return;
  const double by_error = std::sqrt(8 * frame.rotation_error / (bend * flight.reach));
  const double span = std::min({frame.length - flight.since, by_error, 0.5 / std::max(speed, 1e-300)});
  if (!(span > 0)) return;
  flight.until = flight.since + span;
  Quat q = bodies.orientation[body];
  Vec3 spin = bodies.velocity[body].angular;
  rotate_freely(bodies, body, torque_on(bodies, body), span, q, spin);
  flight.spin = find_mean_spin(bodies.orientation[body], q, span);
}

void fly_to(BodyArrays& bodies, std::size_t body, double t, Flight& flight) {
  const double dt = t - flight.since;
  if (!(dt > 0)) return;
  flight.since = t;
  BodyVelocity& u = bodies.velocity[body];
  bodies.position[body] += dt * u.linear + 0.5 * dt * dt * flight.acceleration;
  u.linear += dt * flight.acceleration;
  Quat& q = bodies.orientation[body];
  if (is_free_to_turn(bodies, body)) {
    rotate_freely(bodies, body, torque_on(bodies, body), dt, q, u.angular);
  } else {
    q = (finite_rotation(dt * flight.spin) * q).normalized();
  }
}

BallisticMotion make_flight_motion(const BodyArrays& bodies, const WorldPiece& piece, const Flight& flight) {
  const std::size_t body = piece.body;
  const double t = flight.since;
  BallisticMotion motion;
  motion.spin = flight.spin;
  motion.acceleration = flight.acceleration;
  motion.velocity = bodies.velocity[body].linear - t * flight.acceleration;
  motion.center = bodies.position[body] - t * motion.velocity - 0.5 * t * t * flight.acceleration;
  const Quat at_start = finite_rotation(-t * flight.spin) * bodies.orientation[body];
  motion.X_WG = Transform{at_start.toRotationMatrix(), motion.center} * piece.X_CG;
  return motion;
}

}  // namespace achilles
