#include "impact/instant.hpp"

#include <cmath>

namespace achilles {
namespace {

/// The row of the relative velocity along `direction` at a point, with immovable bodies folded into its target.
Row make_row(const BodyArrays& bodies, std::span<const BodyInverseMass> inverse_mass, const Contact& contact,
             const Vec3& position, const Vec3& direction) {
  Row row;
  row.linear_a = -direction;
  row.angular_a = -(position - bodies.position[contact.body_a]).cross(direction);
  row.linear_b = direction;
  row.angular_b = (position - bodies.position[contact.body_b]).cross(direction);
  const auto own_velocity = [&bodies](std::uint32_t body, const Vec3& linear, const Vec3& angular) {
    return linear.dot(bodies.velocity[body].linear) + angular.dot(bodies.velocity[body].angular);
  };
  if (bodies.is_movable(contact.body_a)) {
    row.body_a = contact.body_a;
  } else {
    row.target -= own_velocity(contact.body_a, row.linear_a, row.angular_a);
  }
  if (bodies.is_movable(contact.body_b)) {
    row.body_b = contact.body_b;
  } else {
    row.target -= own_velocity(contact.body_b, row.linear_b, row.angular_b);
  }
  finish_row(row, inverse_mass);
  return row;
}

}  // namespace

void begin_instant(Instant& instant) {
  instant.rows.clear();
  instant.restitution.clear();
  instant.impulses.clear();
}

std::uint32_t append_contact_point(const BodyArrays& bodies, std::span<const BodyInverseMass> inverse_mass,
                                   const Contact& contact, const ContactPoint& point, const ContactLaw& law,
                                   Instant& instant) {
  const std::uint32_t at = static_cast<std::uint32_t>(instant.rows.size());
  Row normal = make_row(bodies, inverse_mass, contact, point.position, point.normal);
  normal.lower = 0;
  append_row(normal, law.restitution, instant);
  if (!(law.friction > 0)) return at;
  const Vec3 t1 = point.normal.unitOrthogonal(), t2 = point.normal.cross(t1);
  for (const Vec3& t : {t1, t2}) {
    Row row = make_row(bodies, inverse_mass, contact, point.position, t);
    row.normal_row = static_cast<std::int32_t>(at);
    row.friction = law.friction;
    append_row(row, 0, instant);
  }
  return at;
}

void append_row(const Row& row, double restitution, Instant& instant) {
  instant.rows.push_back(row);
  instant.restitution.push_back(restitution);
}

Vec3 contact_point_impulse(const Instant& instant, std::uint32_t normal_row) {
  Vec3 impulse = instant.impulses[normal_row] * instant.rows[normal_row].linear_b;
  for (std::size_t r = normal_row + 1; r < instant.rows.size(); ++r) {
    if (instant.rows[r].normal_row != static_cast<std::int32_t>(normal_row)) break;
    impulse += instant.impulses[r] * instant.rows[r].linear_b;
  }
  return impulse;
}

ImpactReport resolve_instant(const ImpactLaw& law, std::span<const BodyInverseMass> inverse_mass, Instant& instant,
                             ImpactWorkspace& scratch, std::span<BodyVelocity> velocities) {
  instant.impulses.assign(instant.rows.size(), 0.0);
  return resolve_impact({instant.rows, inverse_mass, instant.restitution}, law, scratch, velocities, instant.impulses);
}

}  // namespace achilles
