// What all solvers have in common: the same problem in, the same solution out, and an honest report when there is none.
#include "solver/file/problem_collection.hpp"
#include "solver/problems.hpp"
#include "solver/solver.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

namespace achilles {
namespace {

using namespace testing_problems;

// Every solver with room to converge.
std::vector<SolverOptions> patient_solvers(double tolerance) {
  std::vector<SolverOptions> all;
  for (const SolverInfo& info : solver_infos()) {
    all.push_back(info.standard);
    set_solver_option(all.back(), "tolerance", tolerance);
    if (!info.direct && info.name != "newton") set_solver_option(all.back(), "iterations", 200000.0);
  }
  return all;
}

bool is_exact(const SolverOptions& options) {
  const std::string_view name = solver_name(options);
  return name == "lemke" || name == "dantzig" || name == "newton";
}

struct Solution {
  SolveReport report;
  std::vector<double> impulses;
  std::vector<BodyVelocity> velocities;
  double residual = 0;  // judged here, not by the solver
};

Solution solve_with(const SolverOptions& options, const ProblemMaker& maker, SolverWorkspace& scratch,
                    bool packed = true) {
  Solution out;
  out.impulses.assign(maker.rows().size(), 0.0);
  out.velocities = maker.velocities();
  RowProblem problem{maker.rows(), out.velocities};
  if (packed) problem.inverse_mass = maker.inverse_mass();
  out.report = solve(problem, options, scratch, out.impulses);
  out.residual = compute_residual(problem, out.impulses);
  return out;
}

void expect_same_velocities(const Solution& a, const Solution& b, double tolerance, std::string_view what) {
  for (std::size_t k = 0; k < a.velocities.size(); ++k) {
    EXPECT_LT((a.velocities[k].linear - b.velocities[k].linear).norm(), tolerance) << what << " body " << k;
    EXPECT_LT((a.velocities[k].angular - b.velocities[k].angular).norm(), tolerance) << what << " body " << k;
  }
}

/// A point of 1 kg that can only move in x and z slides along x at 1 m/s with µ = 0.3, gravity of one step on it.
StoredProblem make_planar_block() {
  StoredProblem problem;
  problem.inverse_mass = {{Vec3(1, 0, 1), Mat3::Zero()}};
  problem.velocities = {{Vec3(1, 0, -kGravityStep), Vec3::Zero()}};
  for (const Vec3& axis : {Vec3(Vec3::UnitZ()), Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())}) {
    Row row;
    row.body_b = 0;
    row.linear_b = axis;
    finish_row(row, problem.inverse_mass);
    row.normal_row = axis.z() == 1 ? -1 : 0;
    row.friction = axis.z() == 1 ? 0 : 0.3;
    if (axis.z() == 1) row.lower = 0;
    problem.rows.push_back(row);
  }
  return problem;
}

// Softness makes A positive definite and the impulses unique: |λ − λ*| ≤ residual · (1 + cond), both of order one here.
TEST(AllSolvers, FindTheSameImpulsesWhereTheProblemIsStrictlyConvex) {
  std::mt19937_64 random(11);
  SolverWorkspace scratch;
  for (int trial = 0; trial < trials(20, 2000); ++trial) {
    ProblemMaker maker = make_heap(random, 3 + trial % 5, 4 + trial % 9, 0, 3);
    for (Row& row : maker.rows()) {
      row.softness = 0.1 * row.diagonal;
      row.diagonal += row.softness;
    }
    const Solution reference = solve_with(DantzigOptions{}, maker, scratch);
    ASSERT_LT(reference.residual, 1e-12);
    for (const SolverOptions& options : patient_solvers(1e-11)) {
      const Solution found = solve_with(options, maker, scratch);
      ASSERT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options) << " trial " << trial;
      ASSERT_LT(found.residual, 1.01e-11) << solver_name(options);
      for (std::size_t i = 0; i < found.impulses.size(); ++i) {
        const double scale = maker.rows()[i].diagonal;
        ASSERT_NEAR(found.impulses[i] * scale, reference.impulses[i] * scale, 1e-8) << solver_name(options);
      }
    }
  }
}

// Without friction the velocities are the minimizer of the kinetic energy distance to u* [Moreau85]: unique, however
// redundant the contacts. The rate of plain sweeps is one less a multiple of the ratio of A's smallest eigenvalue above
// zero to its largest, which nothing bounds here: they may run out, and must say so.
TEST(AllSolvers, FindTheSameVelocitiesOfRedundantFrictionlessContacts) {
  std::mt19937_64 random(12);
  int unfinished = 0;
  SolverWorkspace scratch;
  for (int trial = 0; trial < trials(10, 500); ++trial) {
    const ProblemMaker maker = make_heap(random, 2 + trial % 3, 12 + trial % 8, 0, 2);
    const Solution reference = solve_with(DantzigOptions{.tolerance = 1e-13}, maker, scratch);
    ASSERT_LT(reference.residual, 1e-12);
    for (const SolverOptions& options : patient_solvers(1e-10)) {
      const Solution found = solve_with(options, maker, scratch);
      const bool ran_out = found.report.status == SolveStatus::kIterationLimit && found.residual > 1e-10;
      if (!is_exact(options) && ran_out) {
        ++unfinished;
        continue;
      }
      ASSERT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options) << " trial " << trial;
      expect_same_velocities(found, reference, 1e-6, solver_name(options));
    }
  }
  std::printf("%d solves by sweeps ran out\n", unfinished);
}

// In the plane the disc is an interval: polygon, box and cone are the same law, and direct solvers and Newton must
// agree.
TEST(ExactSolvers, AgreeOnPlanarFriction) {
  std::mt19937_64 random(13);
  SolverWorkspace scratch;
  for (int trial = 0; trial < trials(50, 2000); ++trial) {
    // A ball in a wedge, pushed and spun in the xz plane: two contacts, µ small enough for one solution.
    ProblemMaker maker;
    std::uniform_real_distribution<double> unit(-1, 1);
    const std::uint32_t ball = maker.add_ball(Vec3::Zero(), 2, 1);
    maker.velocities()[0] = {Vec3(unit(random), 0, -1 + 0.5 * unit(random)), Vec3(0, unit(random), 0)};
    for (const double side : {-1.0, 1.0}) {
      const Vec3 normal = Vec3(side * 0.6, 0, 0.8);
      maker.add_contact(kImmovable, ball, -normal, normal, 0.2);
    }
    const Solution reference = solve_with(NewtonOptions{100, 1e-13, 5}, maker, scratch);
    ASSERT_LT(reference.residual, 1e-12);
    for (const SolverOptions& options : {SolverOptions(LemkeOptions{}), SolverOptions(DantzigOptions{})}) {
      const Solution found = solve_with(options, maker, scratch);
      ASSERT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options) << trial;
      // Four impulses on three degrees of freedom: where both points stick only the velocity is unique.
      expect_same_velocities(found, reference, 1e-9, solver_name(options));
    }
  }
}

// The tangent across the plane of a locked body moves nothing and sees no velocity: it gets no impulse, which would use
// up what friction there is.
TEST(AllSolvers, LeaveTheTangentAcrossThePlaneAlone) {
  SolverWorkspace scratch;
  for (const SolverOptions& options : patient_solvers(1e-10)) {
    StoredProblem problem = make_planar_block();
    std::vector<double> impulses(problem.rows.size(), 0.0);
    const RowProblem rows{problem.rows, problem.velocities, problem.inverse_mass};
    const SolveReport report = solve(rows, options, scratch, impulses);
    EXPECT_EQ(report.status, SolveStatus::kSolved) << solver_name(options);
    EXPECT_LT(compute_residual(rows, impulses), 1e-9) << solver_name(options);
    EXPECT_NEAR(impulses[1], -0.3 * impulses[0], 1e-12) << solver_name(options);
    EXPECT_EQ(impulses[2], 0) << solver_name(options);
  }
}

// A stack at rest: every velocity is zero afterwards, and the four points at height k carry what lies above.
TEST(ExactSolvers, CarryAStackWithRedundantPointsToRounding) {
  SolverWorkspace scratch;
  const ProblemMaker maker = make_stack(10, 0.5);
  for (const SolverOptions& options : patient_solvers(1e-12)) {
    if (!is_exact(options)) continue;
    const Solution found = solve_with(options, maker, scratch);
    EXPECT_LT(found.residual, 1e-12) << solver_name(options);
    for (std::size_t level = 0; level < 10; ++level) {
      double carried = 0;
      for (std::size_t point = 0; point < 4; ++point) carried += found.impulses[3 * (4 * level + point)];
      EXPECT_NEAR(carried, static_cast<double>(10 - level) * kGravityStep, 1e-11) << solver_name(options);
    }
  }
}

// Each cube ten times as heavy as the one below: 1:10⁴ from floor to top. The lightest cube's velocity is the sum of
// impulses of 10⁴ g h that cancel: rounding of 10⁴ · 10⁻¹⁶ · (points) is all that may be left.
TEST(ExactSolvers, CarryAStackOfMassRatioTenThousand) {
  SolverWorkspace scratch;
  for (const double friction : {0.0, 0.5}) {
    const ProblemMaker maker = make_stack(5, friction, 10);
    for (const SolverOptions& options : patient_solvers(1e-11)) {
      if (!is_exact(options)) continue;
      const Solution found = solve_with(options, maker, scratch);
      EXPECT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options) << " friction " << friction;
      EXPECT_LT(found.residual, 1e-11) << solver_name(options) << " friction " << friction;
    }
  }
}

// A hanging chain of ball joints, the last joint given twice: the second copy changes nothing.
TEST(AllSolvers, IgnoreAJointThatIsGivenTwice) {
  SolverWorkspace scratch;
  const auto make_chain = [](bool twice) {
    ProblemMaker maker;
    std::uint32_t above = kImmovable;
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t link = maker.add_cube(Vec3(k + 0.5, 0, 0), 1 + k, 0.5);
      maker.add_ball_joint(above, link, Vec3(k, 0, 0));
      if (twice && k == 3) maker.add_ball_joint(above, link, Vec3(k, 0, 0));
      above = link;
    }
    return maker;
  };
  const Solution reference = solve_with(DantzigOptions{}, make_chain(false), scratch);
  ASSERT_LT(reference.residual, 1e-12);
  for (const SolverOptions& options : patient_solvers(1e-10)) {
    const Solution found = solve_with(options, make_chain(true), scratch);
    EXPECT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options);
    expect_same_velocities(found, reference, 1e-7, solver_name(options));
  }
}

// Two joints that ask one point for different velocities: no impulse can do that.
TEST(AllSolvers, SayThatContradictingJointsHaveNoSolution) {
  SolverWorkspace scratch;
  ProblemMaker maker;
  const std::uint32_t body = maker.add_cube(Vec3::Zero(), 1, 1);
  maker.add_ball_joint(kImmovable, body, Vec3(1, 0, 0));
  maker.add_ball_joint(kImmovable, body, Vec3(1, 0, 0));
  maker.rows()[5].target = 1;
  for (SolverOptions options : patient_solvers(1e-9)) {
    if (!is_exact(options)) {
      set_solver_option(options, "iterations", 10000.0);
      set_solver_option(options, "patience", 20.0);
    }
    const Solution found = solve_with(options, maker, scratch);
    EXPECT_NE(found.report.status, SolveStatus::kSolved) << solver_name(options);
    // The two targets differ by 1, so one of them is missed by at least a half.
    EXPECT_GE(found.report.residual, 0.49) << solver_name(options);
    if (solver_name(options) == "lemke" || solver_name(options) == "dantzig") {
      EXPECT_EQ(found.report.status, SolveStatus::kNoSolution) << solver_name(options);
    }
  }
}

// Two walls that close in on a body at half a metre per second each: one of the two is missed by at least as much,
// however large the impulses; and many heavier bodies in between, or friction, change nothing about that.
TEST(AllSolvers, SayThatClosingWallsHaveNoSolution) {
  SolverWorkspace scratch;
  for (const int bodies : {1, 6}) {
    for (const double friction : {0.0, 0.5}) {
      ProblemMaker maker;
      std::uint32_t below = kImmovable;
      for (int k = 0; k < bodies; ++k) {
        const std::uint32_t body = maker.add_cube(Vec3(0, 0, k + 0.5), 1 + k, 1);
        maker.add_contact(below, body, Vec3(0, 0, k), Vec3::UnitZ(), friction);
        below = body;
      }
      maker.add_contact(below, kImmovable, Vec3(0, 0, bodies), Vec3::UnitZ(), friction);
      const std::size_t last = maker.rows().size() - (friction > 0 ? 3 : 1);
      maker.rows()[0].target = maker.rows()[last].target = 0.5;
      for (SolverOptions options : patient_solvers(1e-9)) {
        if (!is_exact(options)) set_solver_option(options, "iterations", 2000.0);
        const Solution found = solve_with(options, maker, scratch);
        EXPECT_NE(found.report.status, SolveStatus::kSolved) << solver_name(options) << ' ' << bodies;
        EXPECT_GE(found.residual, 0.9 / (bodies + 1)) << solver_name(options) << ' ' << bodies;
        if (solver_name(options) == "lemke" || solver_name(options) == "dantzig") {
          EXPECT_EQ(found.report.status, SolveStatus::kNoSolution) << solver_name(options) << ' ' << friction;
        }
      }
    }
  }
}

TEST(AllSolvers, ReportWhatIsNotANumber) {
  SolverWorkspace scratch;
  ProblemMaker maker = make_stack(2, 0.5);
  maker.velocities()[1].linear.y() = std::nan("");
  for (const SolverOptions& options : patient_solvers(1e-9)) {
    const Solution found = solve_with(options, maker, scratch);
    EXPECT_EQ(found.report.status, SolveStatus::kNotFinite) << solver_name(options);
    for (const double impulse : found.impulses) EXPECT_EQ(impulse, 0) << solver_name(options);
  }
}

TEST(AllSolvers, RepeatBitForBitWhateverTheWorkspaceHeldBefore) {
  std::mt19937_64 random(14);
  const ProblemMaker other = make_heap(random, 9, 25, 0.3, 5);
  const ProblemMaker maker = make_heap(random, 5, 12, 0.3, 5);
  for (SolverOptions options : patient_solvers(1e-9)) {
    if (!is_exact(options)) set_solver_option(options, "iterations", 500.0);
    SolverWorkspace fresh, used;
    (void)solve_with(options, other, used);
    const Solution a = solve_with(options, maker, fresh), b = solve_with(options, maker, used);
    EXPECT_EQ(std::memcmp(a.impulses.data(), b.impulses.data(), a.impulses.size() * sizeof(double)), 0)
        << solver_name(options);
    EXPECT_EQ(a.report.iterations, b.report.iterations) << solver_name(options);
  }
}

TEST(AllSolvers, DoNothingToAnEmptyProblem) {
  SolverWorkspace scratch;
  ProblemMaker maker;
  maker.add_cube(Vec3::Zero(), 1, 1);
  for (const SolverOptions& options : patient_solvers(1e-9)) {
    const Solution found = solve_with(options, maker, scratch);
    EXPECT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options);
    EXPECT_EQ(found.velocities[0].linear.z(), -kGravityStep) << solver_name(options);
  }
}

// Velocities out are u* + M⁻¹ Jᵀ λ whichever way a solver kept them.
TEST(AllSolvers, LeaveTheVelocitiesThatTheirImpulsesMake) {
  std::mt19937_64 random(15);
  SolverWorkspace scratch;
  const ProblemMaker maker = make_heap(random, 6, 15, 0.4, 10);
  for (SolverOptions options : patient_solvers(1e-9)) {
    if (!is_exact(options)) set_solver_option(options, "iterations", 100.0);
    for (const bool packed : {false, true}) {
      const Solution found = solve_with(options, maker, scratch, packed);
      Solution applied;
      applied.velocities = maker.velocities();
      for (std::size_t i = 0; i < found.impulses.size(); ++i) {
        apply_impulse(maker.rows()[i], found.impulses[i], applied.velocities);
      }
      expect_same_velocities(found, applied, 1e-11, solver_name(options));
    }
  }
}

}  // namespace
}  // namespace achilles
