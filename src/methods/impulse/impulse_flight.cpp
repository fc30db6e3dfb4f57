#include "methods/impulse/impulse_flight.hpp"

#include "collision/contact/collide.hpp"
#include "collision/continuous/gap_bound.hpp"
#include "math/refill.hpp"
#include "methods/impulse_conservative/flight.hpp"
#include "motion/free_rotation.hpp"
#include "stepping/contact_stage.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

void ImpulseFlights::begin() {
  prepare_bodies(world_, {world_.time, h_}, scratch_);
  const std::size_t n = bodies_.size();
  refill(local_.acceleration, n, Vec3(Vec3::Zero()));
  refill(local_.ways, n, ImpulseWorkspace::DescribedWay{});
  refill<std::uint8_t>(local_.carried, n, 0);
  refill(local_.since, n, 0.0);
  refill(local_.left_over, n, 0.0);
  refill(local_.entered, n, 0U);
  refill(local_.last_event, n, -1.0);
  refill(local_.stalls, n, 0);
  refill(local_.events, n, 0);
  local_.together.clear();
  local_.records.clear();
  local_.heap.clear();
  for (std::size_t i = 0; i < n; ++i) {
    local_.ways[i].span = h_;
    if (scratch_.movable[i] == 0) continue;
    local_.together.push_back(static_cast<std::uint32_t>(i));
    const Vec3 force = bodies_.constant_force[i] + bodies_.applied_force[i] + bodies_.mass[i] * world_.gravity;
    local_.acceleration[i] = scratch_.inverse_mass[i].linear.cwiseProduct(force);
  }
  for (const WorldPiece& piece : world_.pieces) {
    double& reach = local_.ways[piece.body].reach;
    reach = std::max(reach, piece.X_CG.p.norm() + piece.geometry->radius);
  }
}

bool ImpulseFlights::turns(std::size_t i) const {
  return scratch_.movable[i] != 0 && local_.carried[i] == 0 && turns_freely(bodies_, i);
}

TurnState ImpulseFlights::turn_at(std::size_t i, double dt) const {
  if (turns(i)) return rotate_freely(bodies_, i, dt);
  const Vec3& spin = bodies_.velocity[i].angular;
  if (!(dt > 0)) return {bodies_.orientation[i], spin};
  return {(finite_rotation(dt * spin) * bodies_.orientation[i]).normalized(), spin};
}

void ImpulseFlights::describe(std::size_t i, double now) {
  ImpulseWorkspace::DescribedWay& way = local_.ways[i];
  const double flown = now - local_.since[i];
  const TurnState from = turn_at(i, flown);
  Flight flight;
  flight.since = now;
  flight.acceleration = acceleration_of(i);
  flight.spin = from.spin;
  ++way.stamp;
  if (now > way.from || way.stamp == 1) way.before = way.stamp == 1 ? -h_ : way.from;
  way.from = now;
  way.until = h_;
  way.error = 0;
  if (turns(i) && now < h_ && std::isfinite(find_steady_span(bodies_, i, from, way.reach))) {
    // Not beyond the part of the midpoint rule that it begins in: free turns are smooth within parts.
    const double part = free_turn_part(bodies_.velocity[i].angular);
    const double part_end = local_.since[i] + (std::floor(flown / part * (1 + 1e-12)) + 1) * part;
    way.until = std::min({h_, now + way.span, part_end > now ? part_end : h_});
    const double span = way.until - now;
    const TurnState to = rotate_freely(bodies_, i, way.until - local_.since[i]);
    const SteadyTurn turn = find_steady_turn(bodies_, i, from, to, span);
    flight.spin = turn.spin;
    way.error = turn.deviation * way.reach;
  }
  const FlightStart start{position_at(i, flown), from.q_WB, bodies_.velocity[i].linear + flown * flight.acceleration};
  for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
    const Collider& collider = scratch_.colliders[c];
    local_.moving[c] = make_resting(collider);
    if (moves(i)) local_.moving[c].motion = make_flight_motion(start, world_.pieces[c], flight);
    local_.moving[c].movable = scratch_.movable[i] != 0;
  }
}

bool ImpulseFlights::shorten(std::size_t i) {
  ImpulseWorkspace::DescribedWay& way = local_.ways[i];
  if (way.error <= least_error()) return false;
  way.span = 0.5 * (way.until - way.from);
  return true;
}

void ImpulseFlights::fly(std::size_t i, double t) {
  const double dt = t - local_.since[i];
  if (!moves(i) || !(dt > 0)) return;
  const TurnState turned = turn_at(i, dt);
  local_.since[i] = t;
  BodyVelocity& u = bodies_.velocity[i];
  bodies_.position[i] = position_at(i, dt);
  if (scratch_.movable[i] != 0 && local_.carried[i] == 0) u.linear += dt * local_.acceleration[i];
  bodies_.orientation[i] = turned.q_WB;
  u.angular = turned.spin;
}

Transform ImpulseFlights::pose_at(std::uint32_t collider, double t) const {
  const WorldPiece& piece = world_.pieces[collider];
  const std::size_t i = piece.body;
  if (local_.ways[i].error == 0) return compute_pose(local_.moving[collider].motion, t);
  const double dt = t - local_.since[i];
  return Transform{turn_at(i, dt).q_WB.toRotationMatrix(), position_at(i, dt)} * piece.X_CG;
}

// All points, as continuous detection sees them: four can rest while another still approaches. Manifolds depend on how
// far they look; what touches is what continuous detection sees with the same margin.
std::uint32_t ImpulseFlights::append_touch(const ColliderPair& pair, double t, double touching, double near) {
  const Geometry &a = *local_.moving[pair.a].geometry, &b = *local_.moving[pair.b].geometry;
  const Transform X_WA = pose_at(pair.a, t), X_WB = pose_at(pair.b, t);
  const std::size_t first = local_.found.size();
  collide(a, X_WA, b, X_WB, {touching, true}, local_.found);
  if (local_.found.size() == first) append_nearest_point(pair, t, touching);
  const std::size_t middle = local_.found.size();
  if (near > touching) {
    collide(a, X_WA, b, X_WB, {near, true}, local_.found);
    const auto is_touch = [&](const ContactPoint& point) { return point.gap <= touching; };
    local_.found.erase(
        std::remove_if(local_.found.begin() + static_cast<std::ptrdiff_t>(middle), local_.found.end(), is_touch),
        local_.found.end());
  }
  return static_cast<std::uint32_t>(middle - first);
}

/// The nearest points of a pair of which the narrow phase sees none touch although continuous detection does: for a
/// distance map the one queries the map and the other the surface.
void ImpulseFlights::append_nearest_point(const ColliderPair& pair, double t, double touching) {
  const MovingCollider &a = local_.moving[pair.a], &b = local_.moving[pair.b];
  if (std::max(local_.ways[a.body].error, local_.ways[b.body].error) > least_error()) return;
  const SignedDistance gap = MovingPair(*a.geometry, a.motion, *b.geometry, b.motion).compute_gap(t, touching);
  if (gap.distance > tolerance_) return;
  local_.found.push_back({0.5 * (gap.point_a + gap.point_b), gap.normal, gap.distance, 0});
}

Vec3 ImpulseFlights::velocity_at(std::size_t i, double t, const Vec3& point) const {
  if (!moves(i)) return Vec3::Zero();
  const double dt = t - local_.since[i];
  const Vec3 spin = turn_at(i, dt).spin;
  return bodies_.velocity[i].linear + dt * acceleration_of(i) + spin.cross(point - position_at(i, dt));
}

}  // namespace achilles
