#include "solver/gauss_seidel.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

constexpr double kGravityStep = 9.81 * 0.01;  // [m/s] gained by free fall in one step of 0.01 s

// A contact at the centre of mass of one body on an immovable floor: normal z, tangents x and y.
std::vector<Row> make_floor_contact(double mass, double friction) {
  const BodyInverseMass inverse{Vec3::Constant(1 / mass), Mat3::Zero()};
  std::vector<Row> rows(3);
  const Vec3 axes[] = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
  for (int k = 0; k < 3; ++k) {
    rows[k].body_b = 0;
    rows[k].linear_b = axes[k];
    rows[k].normal_row = k == 0 ? -1 : 0;
    rows[k].friction = k == 0 ? 0 : friction;
    finish_row(rows[k], std::span(&inverse, 1));
  }
  rows[0].lower = 0;
  return rows;
}

TEST(GaussSeidel, RestingBlockIsCarriedByItsWeight) {
  const std::vector<Row> rows = make_floor_contact(2.0, 0.5);
  std::vector<BodyVelocity> u{{Vec3(0, 0, -kGravityStep), Vec3::Zero()}};
  std::vector<double> impulses(3, 0.0);
  const SolveReport report = solve_gauss_seidel({rows, u}, {}, impulses);
  EXPECT_EQ(report.status, SolveStatus::kSolved);
  EXPECT_NEAR(impulses[0], 2.0 * kGravityStep, 1e-15);  // m g h, one rounded product and quotient
  EXPECT_NEAR(u[0].linear.norm(), 0, 1e-15);
}

TEST(GaussSeidel, SlidingBlockLosesFrictionTimesNormalSpeedAgainstItsMotion) {
  const std::vector<Row> rows = make_floor_contact(2.0, 0.5);
  const Vec3 slide = 3.0 * Vec3(0.6, 0.8, 0);
  std::vector<BodyVelocity> u{{slide + Vec3(0, 0, -kGravityStep), Vec3::Zero()}};
  std::vector<double> impulses(3, 0.0);
  const SolveReport report = solve_gauss_seidel({rows, u}, {}, impulses);
  EXPECT_EQ(report.status, SolveStatus::kSolved);
  // ‖Δv_T‖ = µ g h along −v_T; a few roundings of numbers near 3.
  EXPECT_NEAR((u[0].linear - slide * (1 - 0.5 * kGravityStep / 3.0)).norm(), 0, 1e-14);
}

TEST(GaussSeidel, NotANumberIsReported) {
  std::vector<Row> rows = make_floor_contact(2.0, 0.5);
  rows[1].linear_b.y() = std::nan("");
  std::vector<BodyVelocity> u{{Vec3(1, 0, -kGravityStep), Vec3::Zero()}};
  std::vector<double> impulses(3, 0.0);
  EXPECT_EQ(solve_gauss_seidel({rows, u}, {}, impulses).status, SolveStatus::kNotFinite);
}

}  // namespace
}  // namespace achilles
