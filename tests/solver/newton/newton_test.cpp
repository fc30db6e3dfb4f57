#include "solver/newton/newton.hpp"

#include "solver/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace achilles {
namespace {

using namespace testing_problems;

// Residuals after 1, 2, 3, … linear systems, from the same start.
std::vector<double> residuals(const MatrixProblem& problem) {
  std::vector<double> out;
  NewtonWorkspace scratch;
  for (int k = 1; k <= 40; ++k) {
    std::vector<double> impulses(problem.size(), 0.0);
    const SolveReport report = solve_newton(problem, {k, 1e-14, 0}, scratch, impulses);
    out.push_back(report.residual);
    if (report.residual < 1e-13) break;
  }
  return out;
}

// Quadratic: r⁺ = C r² once the residual is small, so that log(r₂/r₁) / log(r₁/r₀) of three residuals in a row is 2.
// Triples that end in rounding are left out; the median is not moved by the few that straddle a change of the active
// set.
TEST(Newton, ConvergesQuadraticallyNearTheSolution) {
  std::mt19937_64 random(31);
  std::vector<double> orders;
  for (int trial = 0; trial < trials(100, 5000); ++trial) {
    ProblemMaker maker = make_heap(random, 4, 6, 0.3, 3);
    const std::vector<double> r = residuals(maker.matrix());
    for (std::size_t k = 2; k < r.size(); ++k) {
      const bool is_near = r[k - 2] < 1e-2 && r[k - 1] < 0.5 * r[k - 2] && r[k] > 1e-14;
      if (is_near) orders.push_back(std::log(r[k] / r[k - 1]) / std::log(r[k - 1] / r[k - 2]));
    }
  }
  ASSERT_GT(orders.size(), 50U);
  std::nth_element(orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(orders.size() / 2), orders.end());
  const double median = orders[orders.size() / 2];
  RecordProperty("median_order", std::to_string(median));
  EXPECT_GT(median, 1.8);
}

TEST(Newton, EndsBelowTenToTheMinusTwelveOnHeapsOfAllMassRatios) {
  std::mt19937_64 random(32);
  NewtonWorkspace scratch;
  std::vector<double> w;
  int solved = 0;
  const int count = trials(100, 10000);
  for (int trial = 0; trial < count; ++trial) {
    ProblemMaker maker = make_heap(random, 2 + trial % 8, 3 + trial % 12, 0.2, std::pow(10.0, trial % 3));
    const MatrixProblem problem = maker.matrix();
    std::vector<double> impulses(problem.size(), 0.0);
    const SolveReport report = solve_newton(problem, {200, 1e-12, 5}, scratch, impulses);
    w.resize(problem.size());
    const double residual = compute_residual(problem, impulses, w);
    EXPECT_NEAR(residual, report.residual, 1e-13 + 1e-10 * residual);  // the report is honest, solved or not
    solved += residual < 1e-12 ? 1 : 0;
  }
  RecordProperty("unsolved", count - solved);
  // Smoothing Newton has no proof of convergence for Coulomb's law; a heap in a hundred may be left to other solvers.
  EXPECT_GE(solved, 0.99 * count);
}

}  // namespace
}  // namespace achilles
