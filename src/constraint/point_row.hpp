// Rows on the relative velocity of two bodies, seen from a point: what contacts and joints are made of.
#pragma once

#include "constraint/row.hpp"

#include <achilles/world.hpp>

#include <span>

namespace achilles {

/// Two bodies and the arms from their centres of mass to the points the row compares.
struct Arms {
  std::uint32_t a = 0, b = 0;
  Vec3 r_a = Vec3::Zero(), r_b = Vec3::Zero();

  /// Velocity of b's point as seen from a's.
  [[nodiscard]] Vec3 point_velocity(std::span<const BodyVelocity> u) const {
    return u[b].linear + u[b].angular.cross(r_b) - u[a].linear - u[a].angular.cross(r_a);
  }
};

/// J u = d·(v_b + ω_b×r_b − v_a − ω_a×r_a)
[[nodiscard]] inline Row make_point_row(const Vec3& direction, const Arms& arms) {
  Row row;
  row.linear_a = -direction;
  row.angular_a = -arms.r_a.cross(direction);
  row.linear_b = direction;
  row.angular_b = arms.r_b.cross(direction);
  return row;
}

/// J u = d·(ω_b − ω_a)
[[nodiscard]] inline Row make_spin_row(const Vec3& direction) {
  Row row;
  row.angular_a = -direction;
  row.angular_b = direction;
  return row;
}

/// Names the movable bodies in the row, folds the velocities of the others into its target and completes it.
inline void place_row(Row& row, const Arms& arms, const BodyArrays& bodies,
                      std::span<const BodyInverseMass> inverse_mass) {
  const auto fold = [&](std::uint32_t body, const Vec3& linear, const Vec3& angular) {
    row.target -= linear.dot(bodies.velocity[body].linear) + angular.dot(bodies.velocity[body].angular);
  };
  if (bodies.is_movable(arms.a)) {
    row.body_a = arms.a;
  } else {
    fold(arms.a, row.linear_a, row.angular_a);
  }
  if (bodies.is_movable(arms.b)) {
    row.body_b = arms.b;
  } else {
    fold(arms.b, row.linear_b, row.angular_b);
  }
  finish_row(row, inverse_mass);
}

}  // namespace achilles
