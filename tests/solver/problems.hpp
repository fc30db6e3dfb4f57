// Contact problems made by hand for the solver tests: bodies, contact points and joints, without World or collision.
#pragma once

#include "math/inverse_mass.hpp"
#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"
#include "support/full_size.hpp"

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace achilles::testing_problems {

inline constexpr double kGravityStep = 9.81 * 0.01;  // [m/s] gained by free fall in one step of 0.01 s

/// ACHILLES_FULL=1 asks for the full size of the random tests.
inline int trials(int standard, int full) { return is_full() ? full : standard; }

class ProblemMaker {
 public:
  /// A cube with the given mass and edge, falling freely since one step.
  std::uint32_t add_cube(const Vec3& centre, double mass, double edge) {
    const double inertia = mass * edge * edge / 6;
    return add_body(centre, mass, inertia);
  }
  std::uint32_t add_ball(const Vec3& centre, double mass, double radius) {
    return add_body(centre, mass, 0.4 * mass * radius * radius);
  }
  std::uint32_t add_body(const Vec3& centre, double mass, double inertia) {
    centre_.push_back(centre);
    inverse_mass_.push_back({Vec3::Constant(1 / mass), Mat3::Identity() / inertia});
    u_.push_back({Vec3(0, 0, -kGravityStep), Vec3::Zero()});
    return static_cast<std::uint32_t>(u_.size() - 1);
  }
  /// A contact point; the normal points from a to b.
  void add_contact(std::uint32_t a, std::uint32_t b, const Vec3& point, const Vec3& normal, double friction) {
    const auto at = static_cast<std::int32_t>(rows_.size());
    add_point_row(a, b, point, normal);
    rows_.back().lower = 0;
    if (!(friction > 0)) return;
    const Vec3 t1 = normal.cross(std::abs(normal.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
    for (const Vec3& tangent : {t1, Vec3(normal.cross(t1))}) {
      add_point_row(a, b, point, tangent);
      rows_.back().normal_row = at;
      rows_.back().friction = friction;
    }
  }
  void add_ball_joint(std::uint32_t a, std::uint32_t b, const Vec3& point) {
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
      add_point_row(a, b, point, axis);
    }
  }
  /// Velocity difference of b and a at the point along the direction; bounds infinite.
  void add_point_row(std::uint32_t a, std::uint32_t b, const Vec3& point, const Vec3& direction) {
    Row row;
    row.body_a = a;
    row.body_b = b;
    if (a != kImmovable) {
      row.linear_a = -direction;
      row.angular_a = -(point - centre_[a]).cross(direction);
    }
    if (b != kImmovable) {
      row.linear_b = direction;
      row.angular_b = (point - centre_[b]).cross(direction);
    }
    finish_row(row, inverse_mass_);
    rows_.push_back(row);
  }

  [[nodiscard]] std::vector<Row>& rows() { return rows_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::vector<BodyVelocity>& velocities() { return u_; }
  [[nodiscard]] const std::vector<BodyVelocity>& velocities() const { return u_; }
  [[nodiscard]] std::span<const BodyInverseMass> inverse_mass() const { return inverse_mass_; }
  [[nodiscard]] MatrixProblem matrix() {
    AssembleWorkspace scratch;
    MatrixProblem out;
    assemble({rows_, u_}, scratch, out);
    return out;
  }

 private:
  std::vector<Vec3> centre_;
  std::vector<BodyInverseMass> inverse_mass_;
  std::vector<BodyVelocity> u_;
  std::vector<Row> rows_;
};

/// Four points between two unit cubes above each other; `below` may be kImmovable, a floor.
inline void add_patch(ProblemMaker& maker, std::uint32_t below, std::uint32_t above, const Vec3& centre, double half,
                      double friction) {
  for (const double x : {-half, half}) {
    for (const double y : {-half, half}) {
      maker.add_contact(below, above, centre + Vec3(x, y, 0), Vec3::UnitZ(), friction);
    }
  }
}

/// Unit cubes on a floor and on each other; the mass of each is `ratio` times that of the one below.
inline ProblemMaker make_stack(int count, double friction, double ratio = 1) {
  ProblemMaker maker;
  std::uint32_t below = kImmovable;
  for (int k = 0; k < count; ++k) {
    const std::uint32_t cube = maker.add_cube(Vec3(0, 0, 0.5 + k), std::pow(ratio, k), 1);
    add_patch(maker, below, cube, Vec3(0, 0, k), 0.5, friction);
    below = cube;
  }
  return maker;
}

/// A flat pyramid of unit cubes, `base` in the lowest row, 1.1 m apart.
inline ProblemMaker make_pyramid(int base, double friction) {
  constexpr double kPitch = 1.1;
  ProblemMaker maker;
  std::vector<std::uint32_t> below, row;
  for (int level = 0; level < base; ++level) {
    row.clear();
    for (int k = 0; k < base - level; ++k) {
      const double x = kPitch * (k + 0.5 * level);
      row.push_back(maker.add_cube(Vec3(x, 0, 0.5 + level), 1, 1));
      if (level == 0) {
        add_patch(maker, kImmovable, row.back(), Vec3(x, 0, 0), 0.5, friction);
        continue;
      }
      for (const int side : {0, 1}) {
        const double inner = x + (side == 0 ? -1 : 1) * (0.5 * kPitch - 0.5), outer = x + (side == 0 ? -0.5 : 0.5);
        for (const double px : {std::min(inner, outer), std::max(inner, outer)}) {
          for (const double py : {-0.5, 0.5}) {
            maker.add_contact(below[static_cast<std::size_t>(k + side)], row.back(), Vec3(px, py, level), Vec3::UnitZ(),
                              friction);
          }
        }
      }
    }
    below = row;
  }
  return maker;
}

/// Bodies of unequal mass strewn about, each with contacts in random directions to others and to the floor, and with
/// random velocities: feasible (at rest relative to the floor is always allowed), in general with a unique solution.
inline ProblemMaker make_heap(std::mt19937_64& random, int bodies, int contacts, double friction, double mass_range) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  ProblemMaker maker;
  std::vector<Vec3> centres;
  for (int k = 0; k < bodies; ++k) {
    centres.push_back(2 * vector());
    maker.add_ball(centres.back(), std::pow(mass_range, unit(random)), 0.5);
    maker.velocities().back() = {vector(), vector()};
  }
  std::uniform_int_distribution<int> pick(-1, bodies - 1);
  for (int k = 0; k < contacts; ++k) {
    const int a = pick(random);
    int b = pick(random);
    while (b == a || b < 0) b = pick(random);
    const Vec3 normal = (a < 0 ? Vec3(vector() + Vec3(0, 0, 2)) : vector()).normalized();
    const Vec3 point = centres[static_cast<std::size_t>(b)] - 0.5 * normal + 0.2 * vector();
    maker.add_contact(a < 0 ? kImmovable : static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), point, normal,
                      friction);
  }
  return maker;
}

}  // namespace achilles::testing_problems
