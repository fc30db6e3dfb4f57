// The kept problems: 2,000 of real steps, each also with four other sets of velocities. 10,000 with ACHILLES_FULL.
#include "solver/file/problem_collection.hpp"
#include "solver/problems.hpp"
#include "solver/solver.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace achilles {
namespace {

using namespace testing_problems;

constexpr int kVariants = 5;

const ProblemCollection& kept() {
  static const ProblemCollection all = read_problem_collection(source_folder() / "tests/solver/data/problems.h5");
  return all;
}

/// Calls use(problem, name) for the kept problems and their variants, by default for one in twenty.
template <class Use>
void for_each_problem(Use&& use) {
  const int stride = trials(20, 1);
  int count = 0;
  for (std::size_t k = 0; k < kept().problems.size(); ++k) {
    for (int variant = 0; variant < kVariants; ++variant, ++count) {
      if (count % stride != 0) continue;
      use(make_variant(kept().problems[k], variant), std::to_string(k).append("/").append(std::to_string(variant)));
    }
  }
}

struct Solution {
  SolveReport report;
  std::vector<double> impulses;
  std::vector<BodyVelocity> velocities;
  double residual = 0;  // judged here, not by the solver
};

Solution solve_with(const SolverOptions& options, const StoredProblem& stored, SolverWorkspace& scratch) {
  Solution out;
  out.impulses.assign(stored.rows.size(), 0.0);
  out.velocities = stored.velocities;
  const RowProblem problem{stored.rows, out.velocities, stored.inverse_mass};
  out.report = solve(problem, options, scratch, out.impulses);
  out.residual = compute_residual(problem, out.impulses);
  return out;
}

SolverOptions patient(const SolverInfo& info) {
  SolverOptions options = info.standard;
  if (!info.direct && info.name != "newton") set_solver_option(options, "iterations", 10000.0);
  return options;
}

TEST(ProblemCollection, IsReadAsItWasWritten) {
  ProblemCollection some;
  some.sources = {"one", "two"};
  some.problems.assign(kept().problems.begin() + 100, kept().problems.begin() + 110);
  for (StoredProblem& problem : some.problems) problem.source = 1;
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "problems_test.h5";
  write_problem_collection(file, some);
  ASSERT_TRUE(is_problem_collection(file));
  const ProblemCollection read = read_problem_collection(file);
  std::filesystem::remove(file);
  ASSERT_EQ(read.sources, some.sources);
  ASSERT_EQ(read.problems.size(), some.problems.size());
  for (std::size_t k = 0; k < read.problems.size(); ++k) {
    const StoredProblem &a = read.problems[k], &b = some.problems[k];
    EXPECT_EQ(a.source, 1);
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      EXPECT_EQ(a.rows[i].angular_a, b.rows[i].angular_a);
      EXPECT_EQ(a.rows[i].mass_linear_b, b.rows[i].mass_linear_b);
      EXPECT_EQ(a.rows[i].target, b.rows[i].target);
      EXPECT_EQ(a.rows[i].normal_row, b.rows[i].normal_row);
      EXPECT_EQ(a.rows[i].diagonal, b.rows[i].diagonal);
    }
    for (std::size_t i = 0; i < a.velocities.size(); ++i) EXPECT_EQ(a.velocities[i].angular, b.velocities[i].angular);
  }
}

TEST(ProblemCollection, NamesAFileThatIsNone) {
  EXPECT_THROW((void)read_problem_collection("/no/such/file.h5"), ProblemFileError);
  const std::filesystem::path other =
      source_folder() / "tests/solver/data/fclib/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5";
  EXPECT_FALSE(is_problem_collection(other));
  EXPECT_THROW((void)read_problem_collection(other), ProblemFileError);
}

// What a solver calls solved is solved, judged from velocities that it did not compute; and few are left. Those are
// hard for all that sweep: friction that is about to slip in a patch of more points than it needs.
TEST(KeptProblems, EverySolverEndsAndItsWordCanBeTrusted) {
  for (const SolverInfo& info : solver_infos()) {
    if (info.name == "jacobi" && trials(0, 1) == 0) continue;  // half of the time of all
    SolverWorkspace scratch;
    const SolverOptions options = patient(info);
    const double tolerance = std::get<double>(get_solver_option(options, "tolerance"));
    int count = 0, solved = 0;
    double worst = 0;
    for_each_problem([&](const StoredProblem& problem, const std::string& name) {
      const Solution found = solve_with(options, problem, scratch);
      ++count;
      const double judged = info.friction == FrictionModel::kCone ? found.residual : found.report.model_residual;
      worst = std::max(worst, judged);
      EXPECT_NEAR(found.residual, found.report.residual, 1e-9 + 1e-6 * found.residual) << info.name << ' ' << name;
      if (found.report.status != SolveStatus::kSolved) return;
      ++solved;
      EXPECT_LE(judged, 2 * tolerance) << info.name << ' ' << name;  // velocities are summed in another order
    });
    std::printf("%-13s %d of %d solved, largest residual %.1e m/s\n", std::string(info.name).c_str(), solved, count,
                worst);
    const double share = info.direct ? 0.999 : info.name == "jacobi" ? 0.9 : 0.98;
    EXPECT_GE(solved, share * count) << info.name;
  }
}

// Without friction the velocities are the one minimizer of a strictly convex function, [Moreau85].
TEST(KeptProblems, LemkeDantzigAndNewtonAgreeToTenToTheMinusNineWithoutFriction) {
  SolverWorkspace scratch;
  double worst = 0;
  for_each_problem([&](StoredProblem problem, const std::string& name) {
    for (Row& row : problem.rows) row.friction = 0;
    const Solution reference = solve_with(DantzigOptions{}, problem, scratch);
    double speed = 1;
    for (const BodyVelocity& u : reference.velocities) speed = std::max(speed, u.linear.norm());
    for (const SolverOptions& options : {SolverOptions(LemkeOptions{}), SolverOptions(NewtonOptions{})}) {
      const Solution found = solve_with(options, problem, scratch);
      ASSERT_EQ(found.report.status, SolveStatus::kSolved) << solver_name(options) << ' ' << name;
      for (std::size_t k = 0; k < found.velocities.size(); ++k) {
        worst = std::max(worst, (found.velocities[k].linear - reference.velocities[k].linear).norm() / speed);
      }
    }
  });
  std::printf("largest difference %.1e of the speed\n", worst);
  EXPECT_LT(worst, 1e-9);
}

}  // namespace
}  // namespace achilles
