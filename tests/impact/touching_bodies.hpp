// Impacts written by hand: bodies, rows between them, and what comes out, judged by the test's own arithmetic.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "impact/impact_law.hpp"
#include "impact/impact_workspace.hpp"
#include "support/full_size.hpp"

namespace achilles::testing {

/// Full sizes when ACHILLES_FULL is set, else a share that fits a quick run.
inline int sized(int quick, int full) { return is_full() ? full : quick; }

/// Bodies at one instant. "Ball" as in [Vouga17]: a mass without rotation.
struct TouchingBodies {
  std::vector<BodyInverseMass> inverse_mass;
  std::vector<BodyVelocity> velocities;
  std::vector<Row> rows;
  std::vector<double> restitution, impulses;
  ImpactWorkspace scratch;

  static constexpr std::uint32_t kWall = kImmovable;

  std::uint32_t add_ball(double mass, const Vec3& velocity) {
    inverse_mass.push_back({Vec3::Constant(1 / mass), Mat3::Zero()});
    velocities.push_back({velocity, Vec3::Zero()});
    return static_cast<std::uint32_t>(velocities.size() - 1);
  }

  std::uint32_t add_body(double mass, const Mat3& inertia, const Vec3& velocity, const Vec3& spin) {
    inverse_mass.push_back({Vec3::Constant(1 / mass), inertia.inverse()});
    velocities.push_back({velocity, spin});
    return static_cast<std::uint32_t>(velocities.size() - 1);
  }

  std::uint32_t add_row(Row row, double e = 1) {
    finish_row(row, inverse_mass);
    rows.push_back(row);
    restitution.push_back(e);
    return static_cast<std::uint32_t>(rows.size() - 1);
  }

  /// Body b is kept on the side of body a that the normal n_AB points to; arms from the centres of mass.
  std::uint32_t add_contact(std::uint32_t a, std::uint32_t b, const Vec3& normal, double e = 1,
                            const Vec3& r_a = Vec3::Zero(), const Vec3& r_b = Vec3::Zero()) {
    Row row = point_row(a, b, normal, r_a, r_b);
    row.lower = 0;
    return add_row(row, e);
  }

  void add_friction(std::uint32_t normal_row, const Vec3& normal, double mu, const Vec3& r_a = Vec3::Zero(),
                    const Vec3& r_b = Vec3::Zero()) {
    const Vec3 t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    for (const Vec3& t : {t1, t2}) {
      Row row = point_row(rows[normal_row].body_a, rows[normal_row].body_b, t, r_a, r_b);
      row.normal_row = static_cast<std::int32_t>(normal_row);
      row.friction = mu;
      add_row(row, 0);
    }
  }

  [[nodiscard]] static Row point_row(std::uint32_t a, std::uint32_t b, const Vec3& direction, const Vec3& r_a,
                                     const Vec3& r_b) {
    Row row;
    row.body_a = a;
    row.body_b = b;
    row.linear_a = -direction;
    row.angular_a = -r_a.cross(direction);
    row.linear_b = direction;
    row.angular_b = r_b.cross(direction);
    return row;
  }

  ImpactReport resolve(const ImpactLaw& law) {
    impulses.assign(rows.size(), 0.0);
    return resolve_impact({rows, inverse_mass, restitution}, law, scratch, velocities, impulses);
  }

  [[nodiscard]] double mass(std::size_t body) const { return 1 / inverse_mass[body].linear.x(); }

  [[nodiscard]] double kinetic_energy(const std::vector<BodyVelocity>& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      sum += 0.5 * mass(i) * v[i].linear.squaredNorm();
      if (!inverse_mass[i].angular.isZero(0)) {
        sum += 0.5 * v[i].angular.dot(inverse_mass[i].angular.inverse() * v[i].angular);
      }
    }
    return sum;
  }
  [[nodiscard]] double kinetic_energy() const { return kinetic_energy(velocities); }

  [[nodiscard]] Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < velocities.size(); ++i) sum += mass(i) * velocities[i].linear;
    return sum;
  }

  /// ‖n‖ of a row in the mass metric.
  [[nodiscard]] double row_norm(std::size_t r) const { return std::sqrt(rows[r].diagonal - rows[r].softness); }

  /// Largest approach of a unilateral row over ‖q‖_M, unitless.
  [[nodiscard]] double violation() const {
    const double size = std::sqrt(2 * kinetic_energy());
    double most = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].normal_row >= 0 || rows[r].lower != 0) continue;
      most = std::max(most, (rows[r].target - row_velocity(rows[r], velocities)) / row_norm(r));
    }
    return size > 0 ? most / size : 0;
  }

  /// Σ λ_r ‖n_r‖, comparable with ‖q‖_M.
  [[nodiscard]] double total_impulse() const {
    double sum = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) sum += std::abs(impulses[r]) * row_norm(r);
    return sum;
  }

  /// ‖q⁺ − q⁻ − M⁻¹ Jᵀ λ‖_M / ‖q⁻‖_M.
  [[nodiscard]] double unexplained_share(const std::vector<BodyVelocity>& before) const {
    std::vector<BodyVelocity> left = before;
    for (std::size_t r = 0; r < rows.size(); ++r) apply_impulse(rows[r], impulses[r], left);
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = {left[i].linear - velocities[i].linear, left[i].angular - velocities[i].angular};
    }
    return std::sqrt(kinetic_energy(left) / kinetic_energy(before));
  }

  /// ‖q⁺ − q⁻ − M⁻¹ Jᵀ λ‖ per component, the largest.
  [[nodiscard]] double unexplained(std::vector<BodyVelocity> before) const {
    for (std::size_t r = 0; r < rows.size(); ++r) apply_impulse(rows[r], impulses[r], before);
    double most = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      most = std::max({most, (before[i].linear - velocities[i].linear).cwiseAbs().maxCoeff(),
                       (before[i].angular - velocities[i].angular).cwiseAbs().maxCoeff()});
    }
    return most;
  }
};

/// A line of touching balls along x.
inline TouchingBodies make_line(const std::vector<double>& masses, const std::vector<double>& speeds, double e = 1) {
  TouchingBodies line;
  for (std::size_t i = 0; i < masses.size(); ++i) line.add_ball(masses[i], {speeds[i], 0, 0});
  for (std::uint32_t i = 0; i + 1 < masses.size(); ++i) line.add_contact(i, i + 1, Vec3::UnitX(), e);
  return line;
}

/// Every propagation operator, with the given options.
inline std::vector<std::pair<std::string, ImpactLaw>> make_operators(const PropagationOptions& options = {}) {
  return {{"lexicographic", GaussSeidelLaw{Selection::kLexicographic, 1, options}},
          {"most violated", GaussSeidelLaw{Selection::kMostViolated, 1, options}},
          {"random", GaussSeidelLaw{Selection::kRandom, 7, options}},
          {"reflections", GeneralizedReflectionsLaw{options}}};
}

}  // namespace achilles::testing
