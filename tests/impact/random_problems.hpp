// Random impacts as unpleasant as they come: mass ratios up to a million, gradients doubled, opposed, nearly opposed,
// redundant.
#pragma once

#include <algorithm>
#include <cmath>

#include "impact/touching_bodies.hpp"

namespace achilles::testing {

class RandomProblems {
 public:
  explicit RandomProblems(std::uint64_t seed) : random_(seed) {}

  TouchingBodies make(int max_rows, double e = 1) {
    TouchingBodies bodies;
    const int count = 1 + integer(std::min(12, max_rows / 3));
    for (int i = 0; i < count; ++i) add_body(bodies);
    const int rows = 1 + integer(max_rows);
    while (static_cast<int>(bodies.rows.size()) < rows) add_row(bodies, e);
    return bodies;
  }

  /// Uniform within [0, 1).
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double normal() { return normal_(random_); }
  Vec3 vector() { return {normal(), normal(), normal()}; }
  int integer(int below) { return std::uniform_int_distribution<int>(0, std::max(0, below - 1))(random_); }

 private:
  void add_body(TouchingBodies& bodies) {
    const double mass = std::pow(10.0, 6 * unit() - 3);
    if (unit() < 0.3) {
      bodies.add_ball(mass, vector());
      return;
    }
    const Vec3 edges = Vec3(0.2 + unit(), 0.2 + unit(), 0.2 + unit());
    const Vec3 squares = edges.cwiseAbs2();
    const Quat q = Quat(normal(), normal(), normal(), normal()).normalized();
    const Mat3 R = q.toRotationMatrix();
    const Vec3 moments =
        mass / 12 * Vec3(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
    bodies.add_body(mass, R * moments.asDiagonal() * R.transpose(), vector(), vector());
  }

  void add_row(TouchingBodies& bodies, double e) {
    const std::uint32_t n = static_cast<std::uint32_t>(bodies.velocities.size());
    const double kind = unit();
    if (bodies.rows.empty() || kind < 0.6) {
      const std::uint32_t b = static_cast<std::uint32_t>(integer(static_cast<int>(n)));
      std::uint32_t a = unit() < 0.3 ? TouchingBodies::kWall : static_cast<std::uint32_t>(integer(static_cast<int>(n)));
      if (a == b) a = TouchingBodies::kWall;
      bodies.add_contact(a, b, vector().normalized(), e, vector(), vector());
      return;
    }
    Row row = bodies.rows[static_cast<std::size_t>(integer(static_cast<int>(bodies.rows.size())))];
    row.target = 0;
    if (kind < 0.7) {
      scale(row, std::pow(10.0, 4 * unit() - 2));  // the same again, in other units
    } else if (kind < 0.8) {
      scale(row, -1);
    } else if (kind < 0.9) {
      scale(row, -1);
      disturb(row, std::pow(10.0, -10 * unit()));
    } else {
      disturb(row, std::pow(10.0, -10 * unit()));  // nearly the same
    }
    bodies.add_row(row, e);
  }

  static void scale(Row& row, double s) {
    for (Vec3* part : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b}) *part *= s;
  }

  void disturb(Row& row, double size) {
    for (Vec3* part : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b}) {
      if (!part->isZero(0)) *part += size * vector();
    }
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace achilles::testing
