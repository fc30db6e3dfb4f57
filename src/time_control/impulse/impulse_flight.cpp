#include "time_control/impulse/impulse_flight.hpp"

#include "math/refill.hpp"
#include "time_control/conservative/flight.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/impulse/impulse_instant.hpp"

namespace achilles {

void ImpulseFlights::begin() {
  prepare_bodies(world_, h_, scratch_);
  const std::size_t n = bodies_.size();
  refill(local_.acceleration, n, Vec3(Vec3::Zero()));
  refill(local_.flight_spin, n, Vec3(Vec3::Zero()));
  refill<std::uint8_t>(local_.carried, n, 0);
  refill(local_.since, n, 0.0);
  refill(local_.entered, n, 0U);
  refill(local_.last_event, n, -1.0);
  refill(local_.stalls, n, 0);
  refill(local_.events, n, 0);
  local_.together.clear();
  local_.records.clear();
  local_.heap.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (scratch_.movable[i] == 0) continue;
    local_.together.push_back(static_cast<std::uint32_t>(i));
    const Vec3 force = bodies_.constant_force[i] + bodies_.applied_force[i] + bodies_.mass[i] * world_.gravity;
    local_.acceleration[i] = scratch_.inverse_mass[i].linear.cwiseProduct(force);
  }
}

void ImpulseFlights::describe(std::size_t i) {
  const double left = h_ - local_.since[i];
  local_.flight_spin[i] = bodies_.velocity[i].angular;
  if (scratch_.movable[i] != 0 && local_.carried[i] == 0 && turns_freely(bodies_, i)) {
    local_.flight_spin[i] = bodies_.orientation[i] * rotate_over(bodies_, i, left).spin_mean_B;
  }
  Flight flight;
  flight.since = local_.since[i];
  flight.acceleration = acceleration_of(i);
  flight.spin = local_.flight_spin[i];
  for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
    const Collider& collider = scratch_.colliders[c];
    local_.moving[c] = make_resting(collider);
    if (moves(i)) local_.moving[c].motion = make_flight_motion(bodies_, world_.pieces[c], flight);
    local_.moving[c].movable = scratch_.movable[i] != 0;
  }
}

void ImpulseFlights::fly(std::size_t i, double t) {
  const double dt = t - local_.since[i];
  if (!moves(i) || !(dt > 0)) return;
  local_.since[i] = t;
  BodyVelocity& u = bodies_.velocity[i];
  Quat& q = bodies_.orientation[i];
  bodies_.position[i] += dt * u.linear + 0.5 * dt * dt * acceleration_of(i);
  const Quat turned = (finite_rotation(dt * local_.flight_spin[i]) * q).normalized();
  if (scratch_.movable[i] != 0 && local_.carried[i] == 0) {
    u.linear += dt * local_.acceleration[i];
    if (turns_freely(bodies_, i)) {
      // Angular momentum is what free flight keeps: the spin follows from it in the new pose.
      const Vec3 momentum = q * (bodies_.inertia_B[i] * (q.conjugate() * u.angular)) + dt * torque_on(bodies_, i);
      u.angular = turned * (bodies_.inverse_inertia_B[i] * (turned.conjugate() * momentum));
    }
  }
  q = turned;
}

Vec3 ImpulseFlights::velocity_at(std::size_t i, double t, const Vec3& point) const {
  if (!moves(i)) return Vec3::Zero();
  const double dt = t - local_.since[i], left = h_ - local_.since[i];
  const Vec3 a = acceleration_of(i);
  const Vec3 center = bodies_.position[i] + dt * bodies_.velocity[i].linear + 0.5 * dt * dt * a;
  // The flight turns by the mean spin; at its ends the spin is what it began with and as much beyond the mean.
  const Vec3& spin = bodies_.velocity[i].angular;
  const Vec3 spin_at = left > 0 ? Vec3(spin + 2 * dt / left * (local_.flight_spin[i] - spin)) : spin;
  return bodies_.velocity[i].linear + dt * a + spin_at.cross(point - center);
}

}  // namespace achilles
