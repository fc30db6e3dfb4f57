// A row: one scalar constraint between two bodies, the only thing a solver sees of contacts, joints, limits and motors.
//
//   u      generalized velocity of all bodies, [m/s] and [rad/s]
//   J      constraint Jacobian, one row per scalar constraint
//   λ      impulse of each row, [N s] (or [N m s] for an angular row)
//   A      = J M⁻¹ Jᵀ + Σ,  Σ the diagonal of softness                      [Erleben04, eq. 6.59a]
//   w      = J u + Σ λ − target,  u = u* + M⁻¹ Jᵀ λ,  u* the velocity before the constraint impulses
//
// A row requires lower ≤ λ ≤ upper with w = 0 inside, w ≥ 0 at the lower and w ≤ 0 at the upper bound.
//
// A constraint on more than two bodies is written as consecutive rows, its parts, that share one impulse: J, target and
// softness of the constraint are the sums of those of its parts.
#pragma once

#include "math/inverse_mass.hpp"

#include <achilles/math.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace achilles {

/// Stands in a row for a body that no impulse can move; its own velocity, if it has one, is folded into `target`.
inline constexpr std::uint32_t kImmovable = std::numeric_limits<std::uint32_t>::max();

struct Row {
  Vec3 linear_a = Vec3::Zero(), angular_a = Vec3::Zero();            // J, body a
  Vec3 linear_b = Vec3::Zero(), angular_b = Vec3::Zero();            // J, body b
  Vec3 mass_linear_a = Vec3::Zero(), mass_angular_a = Vec3::Zero();  // M⁻¹ Jᵀ, body a  [Erleben04, eq. 6.70]
  Vec3 mass_linear_b = Vec3::Zero(), mass_angular_b = Vec3::Zero();  // M⁻¹ Jᵀ, body b
  double target = 0;                                                 // [m/s] or [rad/s]
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double softness = 0;  // Σ of this row, [m/(N s²) · s]: velocity per impulse
  double diagonal = 0;  // A of this row with itself, softness included
  std::uint32_t body_a = kImmovable;
  std::uint32_t body_b = kImmovable;
  /// For the first of two consecutive friction rows: the row of their normal impulse; else -1. The second row of the
  /// pair has it too. Friction rows ignore lower and upper: ‖(λ₁, λ₂)‖ ≤ friction · λ of the normal row.
  std::int32_t normal_row = -1;
  std::uint32_t continues = 0;  // 1: a further part of the constraint of the row before
  double friction = 0;          // µ
};

/// Fills M⁻¹ Jᵀ and the diagonal of a row whose Jacobian, softness and bodies are set.
inline void finish_row(Row& row, std::span<const BodyInverseMass> inverse_mass) {
  row.diagonal = row.softness;
  if (row.body_a != kImmovable) {
    const BodyInverseMass& m = inverse_mass[row.body_a];
    row.mass_linear_a = m.linear.cwiseProduct(row.linear_a);
    row.mass_angular_a = m.angular * row.angular_a;
    row.diagonal += row.linear_a.dot(row.mass_linear_a) + row.angular_a.dot(row.mass_angular_a);
  }
  if (row.body_b != kImmovable) {
    const BodyInverseMass& m = inverse_mass[row.body_b];
    row.mass_linear_b = m.linear.cwiseProduct(row.linear_b);
    row.mass_angular_b = m.angular * row.angular_b;
    row.diagonal += row.linear_b.dot(row.mass_linear_b) + row.angular_b.dot(row.mass_angular_b);
  }
}

/// J u of one row.
[[nodiscard]] inline double row_velocity(const Row& row, std::span<const BodyVelocity> u) {
  double velocity = 0;
  if (row.body_a != kImmovable) {
    velocity += row.linear_a.dot(u[row.body_a].linear) + row.angular_a.dot(u[row.body_a].angular);
  }
  if (row.body_b != kImmovable) {
    velocity += row.linear_b.dot(u[row.body_b].linear) + row.angular_b.dot(u[row.body_b].angular);
  }
  return velocity;
}

/// u += M⁻¹ Jᵀ δ.
inline void apply_impulse(const Row& row, double delta, std::span<BodyVelocity> u) {
  if (row.body_a != kImmovable) {
    u[row.body_a].linear += delta * row.mass_linear_a;
    u[row.body_a].angular += delta * row.mass_angular_a;
  }
  if (row.body_b != kImmovable) {
    u[row.body_b].linear += delta * row.mass_linear_b;
    u[row.body_b].angular += delta * row.mass_angular_b;
  }
}

}  // namespace achilles
