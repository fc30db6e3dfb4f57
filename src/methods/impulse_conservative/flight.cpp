#include "methods/impulse_conservative/flight.hpp"

#include "motion/free_rotation.hpp"
#include "motion/free_turn.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

void take_off(const BodyArrays& bodies, std::size_t body, const FlightFrame& frame, Flight& flight) {
  flight.spin = bodies.velocity[body].angular;
  flight.until = frame.length;
  if (!turns_freely(bodies, body)) return;
  const TurnState from{bodies.orientation[body], flight.spin};
  const double steady = find_steady_span(bodies, body, from, frame.rotation_error / flight.reach);
  if (!std::isfinite(steady)) return;
  const double span = std::min({frame.length - flight.since, steady, free_turn_part(flight.spin)});
  if (!(span > 0)) return;
  flight.until = flight.since + span;
  flight.spin = find_steady_turn(bodies, body, from, rotate_freely(bodies, body, span), span).spin;
}

void fly_to(BodyArrays& bodies, std::size_t body, double t, Flight& flight) {
  const double dt = t - flight.since;
  if (!(dt > 0)) return;
  flight.since = t;
  BodyVelocity& u = bodies.velocity[body];
  bodies.position[body] += dt * u.linear + 0.5 * dt * dt * flight.acceleration;
  u.linear += dt * flight.acceleration;
  Quat& q = bodies.orientation[body];
  if (turns_freely(bodies, body)) {
    const TurnState turned = rotate_freely(bodies, body, dt);
    q = turned.q_WB;
    u.angular = turned.spin;
  } else {
    q = (finite_rotation(dt * flight.spin) * q).normalized();
  }
}

BallisticMotion make_flight_motion(const FlightStart& start, const WorldPiece& piece, const Flight& flight) {
  const double t = flight.since;
  BallisticMotion motion;
  motion.spin = flight.spin;
  motion.acceleration = flight.acceleration;
  motion.velocity = start.velocity - t * flight.acceleration;
  motion.center = start.position - t * motion.velocity - 0.5 * t * t * flight.acceleration;
  const Quat at_start = finite_rotation(-t * flight.spin) * start.orientation;
  motion.X_WG = Transform{at_start.toRotationMatrix(), motion.center} * piece.X_CG;
  return motion;
}

BallisticMotion make_flight_motion(const BodyArrays& bodies, const WorldPiece& piece, const Flight& flight) {
  const std::size_t body = piece.body;
  const FlightStart start{bodies.position[body], bodies.orientation[body], bodies.velocity[body].linear};
  return make_flight_motion(start, piece, flight);
}

}  // namespace achilles
