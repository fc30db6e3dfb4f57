// Ballistic flight of single bodies, each with a clock of its own within a frame, [Mirtich95, sec. 3].
//
// The World's state of a body is that of the time `since`; where it is later follows from its flight. Only the bodies
// of a collision are brought to its time, so that an event costs nothing to those it does not concern.
#pragma once

#include "collision/continuous/motion.hpp"

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

/// One body from `since` to `until`, times within the frame. The centre of mass flies a parabola; the rotation is
/// described by a constant spin, from which the true one differs by less than `rotation_error` of a length [m] at the
/// farthest point of the body: that is what bounds `until`, and what the paper's bound on angular acceleration is here.
struct Flight {
  double since = 0;                  // [s]
  double until = 0;                  // [s]
  Vec3 acceleration = Vec3::Zero();  // [m/s²]
  Vec3 spin = Vec3::Zero();          // [rad/s] world axes, constant
  double reach = 0;                  // [m] largest distance of a point of the body from its centre of mass
};

/// What all flights of a frame share.
struct FlightFrame {
  double length = 0;          // [s]
  double rotation_error = 0;  // [m]
};

/// The body's flight from its present state, at time flight.since, on.
void take_off(const BodyArrays& bodies, std::size_t body, const FlightFrame& frame, Flight& flight);

/// Brings the World's state of a body to time t of the frame, within its flight.
void fly_to(BodyArrays& bodies, std::size_t body, double t, Flight& flight);

/// A body at the time flight.since.
struct FlightStart {
  Vec3 position = Vec3::Zero();  // [m] of the centre of mass
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();  // [m/s]
};

/// Motion of a piece of the body in flight, counted from the beginning of the frame.
[[nodiscard]] BallisticMotion make_flight_motion(const FlightStart& start, const WorldPiece& piece,
                                                 const Flight& flight);
[[nodiscard]] BallisticMotion make_flight_motion(const BodyArrays& bodies, const WorldPiece& piece,
                                                 const Flight& flight);

}  // namespace achilles
