#include "solver/direct/box_lcp.hpp"

#include "solver/problems.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace achilles {
namespace {

using testing_problems::trials;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Box {
  Eigen::MatrixXd A;
  Eigen::VectorXd b, lower, upper;
};

double natural_map(const Box& box, const Eigen::VectorXd& x) {
  return (x - (x - box.A * x - box.b).cwiseMin(box.upper).cwiseMax(box.lower)).cwiseAbs().maxCoeff();
}

// Does any assignment of each unknown to lower, upper or inside give a solution?
bool is_feasible(const Box& box, double tolerance) {
  const auto n = static_cast<int>(box.b.size());
  const int sets = static_cast<int>(std::pow(3, n));
  for (int set = 0; set < sets; ++set) {
    Eigen::MatrixXd K = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd rhs(n);
    bool possible = true;
    for (int i = 0, code = set; i < n; ++i, code /= 3) {
      rhs[i] = code % 3 == 0 ? box.lower[i] : box.upper[i];
      if (code % 3 == 2) {
        K.row(i) = box.A.row(i);
        rhs[i] = -box.b[i];
      } else if (!std::isfinite(rhs[i])) {
        possible = false;
      }
    }
    if (!possible) continue;
    // Least squares, as redundant sets are consistent or not at all.
    const Eigen::VectorXd x = K.completeOrthogonalDecomposition().solve(rhs);
    if (natural_map(box, x) <= tolerance) return true;
  }
  return false;
}

SolveReport solve(const Box& box, Eigen::VectorXd& x, int pivots = 10000) {
  const auto n = static_cast<std::size_t>(box.b.size());
  BoxLcp lcp;
  lcp.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    lcp.b[i] = box.b[at];
    lcp.lower[i] = box.lower[at];
    lcp.upper[i] = box.upper[at];
    for (std::size_t j = 0; j < n; ++j) lcp.at(i, j) = box.A(at, static_cast<Eigen::Index>(j));
  }
  BoxWorkspace scratch;
  std::vector<double> out(n);
  const SolveReport report = solve_box_lcp(lcp, pivots, scratch, out);
  x = Eigen::Map<Eigen::VectorXd>(out.data(), box.b.size());
  return report;
}

Box random_box(std::mt19937_64& random, Eigen::Index n, Eigen::Index rank, bool integers) {
  std::normal_distribution<double> normal;
  const auto draw = [&] { return integers ? std::round(normal(random)) : normal(random); };
  Box box;
  const Eigen::MatrixXd J = Eigen::MatrixXd::NullaryExpr(n, rank, draw);
  box.A = J * J.transpose();
  box.b = Eigen::VectorXd::NullaryExpr(n, draw);
  box.lower.resize(n);
  box.upper.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double first = draw(), second = draw();
    box.lower[i] = std::min(first, second);
    box.upper[i] = std::max(first, second);
    switch (random() % 4) {
      case 0:
        box.lower[i] = 0;
        box.upper[i] = kInfinity;
        break;
      case 1:
        box.lower[i] = -kInfinity;
        break;
      case 2:
        if (random() % 2 == 0) box.lower[i] = -kInfinity, box.upper[i] = kInfinity;
        break;
      default:
        break;
    }
  }
  return box;
}

TEST(Dantzig, SolvesEveryRegularBoxProblem) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < trials(20000, 1000000); ++trial) {
    const Box box = random_box(random, 1 + trial % 12, 14, false);
    Eigen::VectorXd x;
    ASSERT_EQ(solve(box, x).status, SolveStatus::kSolved) << trial;
    ASSERT_LT(natural_map(box, x), 1e-11 * (1 + x.norm() * box.A.norm())) << trial;
  }
}

TEST(Dantzig, SolvesOrRefusesSemidefiniteProblemsAsEnumerationDoes) {
  std::mt19937_64 random(5);
  int infeasible = 0;
  for (int trial = 0; trial < trials(2000, 50000); ++trial) {
    const Box box = random_box(random, 1 + trial % 5, 1 + trial % 3, true);
    const bool feasible = is_feasible(box, 1e-9);
    Eigen::VectorXd x;
    const SolveReport report = solve(box, x);
    ASSERT_EQ(report.status, feasible ? SolveStatus::kSolved : SolveStatus::kNoSolution) << trial;
    if (feasible) {
      ASSERT_LT(natural_map(box, x), 1e-12 * (1 + x.norm() * box.A.norm())) << trial;
    }
    infeasible += feasible ? 0 : 1;
  }
  EXPECT_GT(infeasible, 100);
}

TEST(Dantzig, StopsAtItsPivotLimit) {
  std::mt19937_64 random(6);
  Box box = random_box(random, 20, 30, false);
  box.lower.setZero();
  box.upper.setConstant(kInfinity);
  box.b.setConstant(-1);
  Eigen::VectorXd x;
  EXPECT_EQ(solve(box, x, 3).status, SolveStatus::kIterationLimit);
}

}  // namespace
}  // namespace achilles
