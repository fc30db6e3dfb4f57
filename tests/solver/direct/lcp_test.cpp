#include "solver/direct/lcp.hpp"

#include "solver/problems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace achilles {
namespace {

using testing_problems::trials;

DenseLcp make_lcp(const Eigen::MatrixXd& M, const Eigen::VectorXd& q) {
  DenseLcp lcp;
  lcp.resize(static_cast<std::size_t>(q.size()));
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    lcp.q[static_cast<std::size_t>(i)] = q[i];
    for (Eigen::Index j = 0; j < q.size(); ++j) {
      lcp.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = M(i, j);
    }
  }
  return lcp;
}

// All solutions with a regular active set, by trying every set.
std::vector<Eigen::VectorXd> enumerate(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, double tolerance) {
  std::vector<Eigen::VectorXd> solutions;
  const auto n = static_cast<int>(q.size());
  for (int set = 0; set < (1 << n); ++set) {
    Eigen::MatrixXd K = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < n; ++i) {
      if ((set >> i & 1) == 0) continue;
      K.row(i) = M.row(i);
      rhs[i] = -q[i];
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
    if (!lu.isInvertible()) continue;
    const Eigen::VectorXd z = lu.solve(rhs);
    const Eigen::VectorXd w = M * z + q;
    if (z.minCoeff() >= -tolerance && w.minCoeff() >= -tolerance) solutions.push_back(z);
  }
  return solutions;
}

SolveReport solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, Eigen::VectorXd& z, int pivots = 10000) {
  LcpWorkspace scratch;
  std::vector<double> out(static_cast<std::size_t>(q.size()));
  const SolveReport report = solve_lcp_lemke(make_lcp(M, q), pivots, scratch, out);
  z = Eigen::Map<Eigen::VectorXd>(out.data(), q.size());
  return report;
}

double natural_map(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const Eigen::VectorXd& z) {
  return (M * z + q).cwiseMin(z).cwiseAbs().maxCoeff();
}

Eigen::MatrixXd random_matrix(std::mt19937_64& random, Eigen::Index rows, Eigen::Index columns) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

TEST(Lemke, FindsTheOneSolutionThatEnumerationFindsForPositiveDefiniteMatrices) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < trials(2000, 100000); ++trial) {
    const Eigen::Index n = 1 + trial % 8;
    const Eigen::MatrixXd J = random_matrix(random, n, n + 2);
    const Eigen::MatrixXd skew = random_matrix(random, n, n);
    const Eigen::MatrixXd M = J * J.transpose() / 4 + 0.5 * (skew - skew.transpose());
    const Eigen::VectorXd q = random_matrix(random, n, 1);
    Eigen::VectorXd z;
    ASSERT_EQ(solve(M, q, z).status, SolveStatus::kSolved);
    ASSERT_LT(natural_map(M, q, z), 1e-12);
    const std::vector<Eigen::VectorXd> all = enumerate(M, q, 1e-13);
    ASSERT_EQ(all.size(), 1U);
    // Positive definite: unique. Its condition multiplies the rounding of both.
    ASSERT_LT((z - all[0]).norm(), 1e-9 * (1 + z.norm()));
  }
}

TEST(Lemke, SolvesOrRefusesSemidefiniteProblemsAsEnumerationDoes) {
  std::mt19937_64 random(2);
  int infeasible = 0;
  for (int trial = 0; trial < trials(2000, 100000); ++trial) {
    const Eigen::Index n = 2 + trial % 7;
    // Integer entries of low rank: many exact ties and dependent rows, as in symmetric stacks.
    const Eigen::MatrixXd J = random_matrix(random, n, 1 + trial % 3).array().round().matrix();
    const Eigen::MatrixXd M = J * J.transpose();
    const Eigen::VectorXd q = random_matrix(random, n, 1).array().round().matrix();
    const bool feasible = !enumerate(M, q, 1e-10).empty();
    Eigen::VectorXd z;
    const SolveReport report = solve(M, q, z);
    ASSERT_EQ(report.status, feasible ? SolveStatus::kSolved : SolveStatus::kNoSolution) << trial;
    if (feasible) {
      ASSERT_LT(natural_map(M, q, z), 1e-12);
    }
    infeasible += feasible ? 0 : 1;
  }
  EXPECT_GT(infeasible, 100);
}

// All three rows tie in every step of Lemke's path [Cottle92, ch. 4]: without a rule against it pivots go round in a
// circle. z = 1/3 by symmetry.
TEST(Lemke, EndsOnTheCyclingExampleOfCircularTies) {
  Eigen::MatrixXd M(3, 3);
  M << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  Eigen::VectorXd z;
  const SolveReport report = solve(M, Eigen::VectorXd::Constant(3, -1), z);
  EXPECT_EQ(report.status, SolveStatus::kSolved);
  EXPECT_LT((z - Eigen::VectorXd::Constant(3, 1.0 / 3)).norm(), 1e-15);
}

// Murty's problem: M unit lower triangular with twos below, q_i = −(2ⁿ + … ): the solution is z = (q₁…, 0, …, 0) and
// the path visits exponentially many bases, yet each only once.
TEST(Lemke, EndsOnProblemsWithExponentiallyLongPaths) {
  for (int n = 2; n <= 12; ++n) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd q(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) M(i, j) = 2;
      q[i] = -std::pow(2.0, n + 1) + std::pow(2.0, n - i);
    }
    Eigen::VectorXd z;
    ASSERT_EQ(solve(M, q, z, 1 << 20).status, SolveStatus::kSolved);
    ASSERT_LT(natural_map(M, q, z), 1e-9);
  }
}

TEST(Lemke, NamesTheRayOfAnInfeasibleProblem) {
  Eigen::MatrixXd M(2, 2);
  M << 1, -1, -1, 1;  // w₁ + w₂ = −2 whatever z
  Eigen::VectorXd z;
  EXPECT_EQ(solve(M, Eigen::VectorXd::Constant(2, -1), z).status, SolveStatus::kNoSolution);
}

TEST(Lemke, StopsAtItsPivotLimit) {
  std::mt19937_64 random(3);
  const Eigen::MatrixXd J = random_matrix(random, 20, 30);
  Eigen::VectorXd z;
  const SolveReport report = solve(J * J.transpose(), random_matrix(random, 20, 1), z, 3);
  EXPECT_EQ(report.status, SolveStatus::kIterationLimit);
  EXPECT_EQ(report.iterations, 3);
}

TEST(BasisLog, RemembersEveryBasisAndForgetsWhenCleared) {
  BasisLog log;
  log.clear();
  for (std::uint64_t k = 0; k < 5000; ++k) {
    log.toggle(k);
    ASSERT_TRUE(log.record());
  }
  log.toggle(4999);  // back to the basis before the last
  EXPECT_FALSE(log.record());
  log.clear();
  EXPECT_TRUE(log.record());
}

}  // namespace
}  // namespace achilles
