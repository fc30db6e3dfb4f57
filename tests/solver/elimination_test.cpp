#include "problems.hpp"
#include "solver/solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace achilles {
namespace {

using testing_problems::ProblemMaker;

/// Largest |J u − target| over rows without bounds, and the natural map over all, computed here from the velocities.
double residual_of(const std::vector<Row>& rows, std::vector<BodyVelocity>& velocities,
                   const std::vector<double>& impulses) {
  return compute_residual({rows, velocities}, impulses);
}

/// A chain of cubes on ball joints, light ones between heavy ones, that lies on the ground with four points each.
ProblemMaker make_lying_chain(int links, double ratio, double friction, bool closed, std::uint32_t seed) {
  ProblemMaker maker;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(-0.05, 0.05);
  std::vector<std::uint32_t> cubes;
  for (int k = 0; k < links; ++k) {
    const Vec3 centre(k, noise(random), noise(random));
    cubes.push_back(maker.add_cube(centre, k % 2 == 0 ? ratio : 1, 0.8));
    for (const double x : {-0.4, 0.4}) {
      for (const double y : {-0.4, 0.4}) {
        maker.add_contact(kImmovable, cubes.back(), centre + Vec3(x, y, -0.4), Vec3::UnitZ(), friction);
      }
    }
    if (k > 0) maker.add_ball_joint(cubes[static_cast<std::size_t>(k) - 1], cubes.back(), Vec3(k - 0.5, 0, 0));
  }
  if (closed) maker.add_ball_joint(cubes.front(), cubes.back(), Vec3(0.5 * links, 3, 0));
  return maker;
}

// The sweeps see contacts alone, and the joints hold exactly: the residual of all rows is that of the tolerance, for
// mass ratios and lengths at which sweeps over all rows are far from it.
TEST(Elimination, SweepsOverContactsSolveJointedProblems) {
  for (const int links : {1, 2, 5, 20}) {
    for (const double ratio : {1.0, 100.0, 1000.0}) {
      for (const bool closed : {false, links > 2}) {
        ProblemMaker maker = make_lying_chain(links, ratio, 0.5, closed, 7);
        std::vector<BodyVelocity> velocities = maker.velocities();
        std::vector<double> impulses(maker.rows().size(), 0.0);
        SolverWorkspace scratch;
        const SolveReport report =
            solve_eliminating({maker.rows(), velocities}, NonsmoothCgOptions{.iterations = 1000}, scratch, impulses);
        EXPECT_LT(residual_of(maker.rows(), velocities, impulses), 1e-8) << links << " links, ratio " << ratio;
        EXPECT_LT(report.residual, 1e-8);
      }
    }
  }
}

// Every joint given twice: A_EE is singular, the velocities are those of the joints given once.
TEST(Elimination, RepeatedJointsChangeNoVelocity) {
  const auto solve_with = [](int copies) {
    ProblemMaker maker;
    const std::uint32_t first = maker.add_cube(Vec3(0, 0, 0), 1, 0.8);
    const std::uint32_t second = maker.add_cube(Vec3(1, 0, 0), 100, 0.8);
    for (int k = 0; k < copies; ++k) {
      maker.add_ball_joint(kImmovable, first, Vec3(-0.5, 0, 0));
      maker.add_ball_joint(first, second, Vec3(0.5, 0, 0));
    }
    std::vector<BodyVelocity> velocities = maker.velocities();
    std::vector<double> impulses(maker.rows().size(), 0.0);
    SolverWorkspace scratch;
    (void)solve_eliminating({maker.rows(), velocities}, NonsmoothCgOptions{}, scratch, impulses);
    EXPECT_LT(residual_of(maker.rows(), velocities, impulses), 1e-9);
    return velocities;
  };
  const std::vector<BodyVelocity> once = solve_with(1), twice = solve_with(2);
  for (std::size_t k = 0; k < once.size(); ++k) {
    EXPECT_LT((once[k].linear - twice[k].linear).norm(), 1e-9);
    EXPECT_LT((once[k].angular - twice[k].angular).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace achilles
