// Friction: polygons against the disc, one contact against the definition, energy.
#include "solver/iterative/contact_block.hpp"
#include "solver/problems.hpp"
#include "solver/solver.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace achilles {
namespace {

using namespace testing_problems;

// A block sliding at angle φ: with F corners friction acts along the corner nearest to −v, so its direction is off by
// at most π/F (order 1) and it brakes by 1 − cos of that too little (order 2). Both bounds are attained halfway between
// two corners.
TEST(Friction, PolygonTurnsSlidingByAtMostPiOverFacetsAndTheConeNotAtAll) {
  SolverWorkspace scratch;
  for (const int facets : {4, 8, 16, 32, 64}) {
    double worst = 0, worst_loss = 0;
    for (int k = 0; k <= 360; ++k) {
      const double angle = 2 * std::numbers::pi * k / 360 + 1e-3;
      ProblemMaker maker;
      const std::uint32_t block = maker.add_body(Vec3::Zero(), 2, 1e30);
      maker.add_contact(kImmovable, block, Vec3::Zero(), Vec3::UnitZ(), 0.5);
      const Vec3 slide(3 * std::cos(angle), 3 * std::sin(angle), 0);
      const auto friction_of = [&](const SolverOptions& options) {
        std::vector<BodyVelocity> u{{slide - Vec3(0, 0, kGravityStep), Vec3::Zero()}};
        std::vector<double> impulses(3, 0.0);
        EXPECT_EQ(solve(RowProblem{maker.rows(), u}, options, scratch, impulses).status, SolveStatus::kSolved);
        return Vec3(impulses[1] * maker.rows()[1].linear_b + impulses[2] * maker.rows()[2].linear_b);
      };
      LemkeOptions lemke;
      lemke.facets = facets;
      const double full = 0.5 * 2 * kGravityStep;  // µ m g h
      const Vec3 polygon = friction_of(lemke);
      EXPECT_LE(polygon.norm(), full + 1e-12);
      EXPECT_GE(polygon.norm(), std::cos(std::numbers::pi / facets) * full - 1e-12);
      worst = std::max(worst, std::acos(std::min(1.0, -polygon.dot(slide) / (3 * polygon.norm()))));
      worst_loss = std::max(worst_loss, 1 + polygon.dot(slide) / (3 * full));
      if (facets > 4) continue;
      for (const SolverOptions& cone : {SolverOptions(GaussSeidelOptions{}), SolverOptions(NewtonOptions{})}) {
        // Newton's tolerance of 1e-11 m/s times the mass.
        EXPECT_LT((friction_of(cone) + full / 3 * slide).norm(), 2.1e-11);
      }
    }
    EXPECT_LE(worst, std::numbers::pi / facets + 1e-7);
    EXPECT_GE(worst, 0.8 * std::numbers::pi / facets);
    EXPECT_LE(worst_loss, 1 - std::cos(std::numbers::pi / facets) + 1e-12);
  }
}

// λ of one contact by the definition of the law: the natural map with the contact's own w.
TEST(ContactBlock, ObeysCoulombsLawForRandomMatricesAndVelocities) {
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < trials(20000, 1000000); ++trial) {
    Eigen::Matrix<double, 3, 4> J;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) J(i, j) = normal(random);
    }
    if (trial % 3 == 0) J.row(2).setZero();  // planar: the second tangent moves nothing
    if (trial % 5 == 0) J *= std::pow(10.0, 3 * normal(random));
    const Mat3 B = J * J.transpose();
    Vec3 c(normal(random), normal(random), normal(random));
    if (trial % 3 == 0) c.z() = 0;
    const double friction = std::abs(normal(random));
    ContactBlock block = make_contact_block(B);
    block.slip = trial % 2 == 0 ? 0 : std::abs(normal(random));  // any guess leads to the same root
    const Vec3 impulse = solve_contact(block, c, friction);
    const Vec3 w = B * impulse + c;
    // Cancellation in w = B λ + c is relative to ‖B‖ ‖λ‖.
    const double rounding = 1e-10 * (c.norm() + B.norm() * impulse.norm());
    ASSERT_GE(impulse.x(), 0) << trial;
    ASSERT_GE(w.x(), -rounding) << trial;
    ASSERT_LE(std::min(w.x(), impulse.x() * B(0, 0)), rounding) << trial;
    const double length = impulse.tail<2>().norm(), speed = w.tail<2>().norm();
    ASSERT_LE(length, friction * impulse.x() * (1 + 1e-12)) << trial;
    if (impulse.x() > 0 && speed > rounding) {
      ASSERT_NEAR(length, friction * impulse.x(), 1e-12 * length) << trial;
      ASSERT_LE(impulse.tail<2>().dot(w.tail<2>()), -length * speed * (1 - 1e-6)) << trial;
    }
  }
}

// Without friction a sweep lowers ½ λᵀ A λ + bᵀ λ by ½ d δ² (2/ω − 1) ≥ 0 per row, so it never rises for ω in (0, 2).
TEST(GaussSeidel, NeverRaisesItsEnergyForAnyRelaxationBelowTwo) {
  std::mt19937_64 random(22);
  IterativeWorkspace scratch;
  for (const double relaxation : {0.5, 1.0, 1.5, 1.9}) {
    ProblemMaker maker = make_heap(random, 5, 15, 0, 10);
    const MatrixProblem matrix = maker.matrix();
    std::vector<double> impulses(matrix.size(), 0.0);
    double last = 0;
    for (int sweep = 0; sweep < 200; ++sweep) {
      GaussSeidelOptions options;
      options.iterations = 1;
      options.relaxation = relaxation;
      (void)solve_gauss_seidel(matrix, options, scratch, impulses);
      const Eigen::Map<const Eigen::VectorXd> z(impulses.data(), static_cast<Eigen::Index>(impulses.size()));
      const double energy = 0.5 * z.dot(matrix.A * z) + matrix.b.dot(z);
      ASSERT_LE(energy, last + 1e-14 * (1 + std::abs(last))) << "relaxation " << relaxation << " sweep " << sweep;
      last = energy;
    }
  }
}

// A heavy ball on a light one on the floor [Erleben04, sec. 6.1.7]: A = (1/m) [1, −1; −1, 1 + m/M], so Gauss-Seidel
// gains a factor M / (M + m) = 8000/8001 per sweep, while conjugate directions end after as many steps as there are
// rows, and direct solvers at once.
TEST(TwoBalls, NeedEightThousandSweepsPerDigitInGaussSeidelAndFewOtherwise) {
  ProblemMaker maker;
  const std::uint32_t light = maker.add_ball(Vec3(0, 0, 0.1), 1, 0.1);
  const std::uint32_t heavy = maker.add_ball(Vec3(0, 0, 2.2), 8000, 2);
  maker.add_contact(kImmovable, light, Vec3(0, 0, 0), Vec3::UnitZ(), 0);
  maker.add_contact(light, heavy, Vec3(0, 0, 0.2), Vec3::UnitZ(), 0);
  SolverWorkspace scratch;
  const auto sweeps = [&](SolverOptions options) {
    set_solver_option(options, "tolerance", 1e-6);
    std::vector<BodyVelocity> u = maker.velocities();
    std::vector<double> impulses(2, 0.0);
    const SolveReport report = solve(RowProblem{maker.rows(), u}, options, scratch, impulses);
    EXPECT_EQ(report.status, SolveStatus::kSolved) << solver_name(options);
    return report.iterations;
  };
  GaussSeidelOptions gauss_seidel;
  gauss_seidel.iterations = 1000000;
  SorOptions sor;
  sor.iterations = 1000000;
  const int plain = sweeps(gauss_seidel), relaxed = sweeps(sor), conjugate = sweeps(NonsmoothCgOptions{});
  RecordProperty("gauss_seidel", plain);
  RecordProperty("sor", relaxed);
  RecordProperty("nonsmooth_cg", conjugate);
  // After the first sweep the residual is g h · (8000/8001)^k times a number between ½ and 2.
  const double expected = std::log(kGravityStep / 1e-6) * 8000;
  EXPECT_NEAR(plain, expected, 8000 * std::log(2.0) + 10);
  EXPECT_LT(relaxed, 10000);
  EXPECT_LE(conjugate, 10);
  EXPECT_LE(sweeps(LemkeOptions{}), 4);
  EXPECT_LE(sweeps(DantzigOptions{}), 4);
  EXPECT_LE(sweeps(NewtonOptions{}), 10);
}

}  // namespace
}  // namespace achilles
