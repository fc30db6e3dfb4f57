#include "solver/iterative/packed_rows.hpp"

#include "solver/gauss_seidel.hpp"
#include "solver/problems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace achilles {
namespace {

using namespace testing_problems;

// A = J M⁻¹ Jᵀ from dense J and M⁻¹ of all bodies.
Eigen::MatrixXd dense_matrix(const ProblemMaker& maker) {
  const auto n = static_cast<Eigen::Index>(maker.rows().size());
  const auto bodies = static_cast<Eigen::Index>(maker.velocities().size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, 6 * bodies), inverse = Eigen::MatrixXd::Zero(6 * bodies, 6 * bodies);
  for (Eigen::Index k = 0; k < bodies; ++k) {
    const BodyInverseMass& m = maker.inverse_mass()[static_cast<std::size_t>(k)];
    inverse.block<3, 3>(6 * k, 6 * k) = m.linear.asDiagonal();
    inverse.block<3, 3>(6 * k + 3, 6 * k + 3) = m.angular;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const Row& row = maker.rows()[static_cast<std::size_t>(i)];
    if (row.body_a != kImmovable) {
      J.block<1, 3>(i, 6 * row.body_a) += row.linear_a.transpose();
      J.block<1, 3>(i, 6 * row.body_a + 3) += row.angular_a.transpose();
    }
    if (row.body_b != kImmovable) {
      J.block<1, 3>(i, 6 * row.body_b) += row.linear_b.transpose();
      J.block<1, 3>(i, 6 * row.body_b + 3) += row.angular_b.transpose();
    }
  }
  return J * inverse * J.transpose();
}

TEST(Assemble, GivesJTimesInverseMassTimesJTransposed) {
  std::mt19937_64 random(41);
  ProblemMaker maker = make_heap(random, 6, 20, 0.5, 100);
  const Eigen::MatrixXd expected = dense_matrix(maker);
  EXPECT_LT((Eigen::MatrixXd(maker.matrix().A) - expected).norm(), 1e-13 * expected.norm());
}

TEST(PackedRows, CoupleRowsAsTheMatrixDoes) {
  std::mt19937_64 random(42);
  ProblemMaker maker = make_heap(random, 6, 20, 0.5, 100);
  const Eigen::MatrixXd expected = dense_matrix(maker);
  PackedRows packed;
  packed.pack({maker.rows(), maker.velocities(), maker.inverse_mass()});
  const PackedAccess access(packed);
  for (std::size_t i = 0; i < access.size(); ++i) {
    for (std::size_t j = 0; j < access.size(); ++j) {
      ASSERT_NEAR(access.coupling(i, j), expected(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                  1e-13 * expected.norm());
    }
  }
}

TEST(PackedRows, GiveTheSweepsOfTheRowsThemselves) {
  std::mt19937_64 random(43);
  IterativeWorkspace scratch;
  for (int trial = 0; trial < trials(50, 5000); ++trial) {
    ProblemMaker maker = make_heap(random, 4, 12, 0.3, 3);
    GaussSeidelOptions options;
    options.iterations = 10;
    options.block_contacts = trial % 2 == 0;
    std::vector<double> plain(maker.rows().size(), 0.01), packed = plain;
    std::vector<BodyVelocity> u = maker.velocities(), v = u;
    const SolveReport a = solve_gauss_seidel({maker.rows(), u}, options, scratch, plain);
    const SolveReport b = solve_gauss_seidel({maker.rows(), v, maker.inverse_mass()}, options, scratch, packed);
    EXPECT_NEAR(a.residual, b.residual, 1e-9);
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(plain[i], packed[i], 1e-9) << trial;
    for (std::size_t k = 0; k < u.size(); ++k) ASSERT_LT((u[k].linear - v[k].linear).norm(), 1e-9) << trial;
  }
}

// A body that may only turn about y, as in a planar scene: the factor of its inverse inertia is singular.
TEST(PackedRows, KeepLockedAxesLocked) {
  const Vec3 r(0.3, 0, -0.5);
  BodyInverseMass inverse{Vec3(1, 0, 1), Mat3::Zero()};
  inverse.angular(1, 1) = 2;
  std::vector<Row> rows(1);
  rows[0].body_b = 0;
  rows[0].linear_b = Vec3(0.6, 0.64, 0.48);
  rows[0].angular_b = r.cross(rows[0].linear_b);
  rows[0].lower = 0;
  finish_row(rows[0], std::span(&inverse, 1));
  std::vector<BodyVelocity> u{{Vec3(0, 0, -1), Vec3::Zero()}};
  std::vector<double> impulses(1, 0.0);
  IterativeWorkspace scratch;
  (void)solve_gauss_seidel({rows, u, std::span(&inverse, 1)}, {}, scratch, impulses);
  EXPECT_NEAR(impulses[0], 0.48 / rows[0].diagonal, 1e-15);
  EXPECT_NEAR(row_velocity(rows[0], u), 0, 1e-15);
  EXPECT_EQ(u[0].linear.y(), 0);
  EXPECT_EQ(u[0].angular.x(), 0);
  EXPECT_EQ(u[0].angular.z(), 0);
}

}  // namespace
}  // namespace achilles
