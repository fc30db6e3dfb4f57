#include "solver/file/fclib.hpp"

#include "solver/solver.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace achilles {
namespace {

std::filesystem::path data(const std::string& name) {
  return source_folder() / "tests/solver/data/fclib" / (name + ".hdf5");
}

class FclibFile : public testing::TestWithParam<const char*> {};

TEST_P(FclibFile, IsSolvedByNewtonToTenDigitsInTheMeasureOfTheLibrary) {
  const FclibProblem problem = read_fclib(data(GetParam()));
  SolverWorkspace scratch;
  std::vector<double> impulses(problem.matrix.size(), 0.0);
  const SolveReport report = solve(problem.matrix, NewtonOptions{}, scratch, impulses);
  EXPECT_EQ(report.status, SolveStatus::kSolved);
  EXPECT_LT(compute_fclib_residual(problem, impulses), 1e-10);
  RecordProperty("systems", report.iterations);
}

TEST_P(FclibFile, IsSolvedBySweepsOfEveryKind) {
  const FclibProblem problem = read_fclib(data(GetParam()));
  SolverWorkspace scratch;
  GaussSeidelOptions gauss_seidel;
  NonsmoothCgOptions conjugate;
  gauss_seidel.iterations = conjugate.iterations = 20000;
  gauss_seidel.block_contacts = conjugate.block_contacts = true;
  for (const SolverOptions& options : {SolverOptions(gauss_seidel), SolverOptions(conjugate)}) {
    std::vector<double> impulses(problem.matrix.size(), 0.0);
    const SolveReport report = solve(problem.matrix, options, scratch, impulses);
    EXPECT_EQ(report.status, SolveStatus::kSolved) << solver_name(options);
    EXPECT_LT(compute_fclib_residual(problem, impulses), 1e-8) << solver_name(options);
  }
}

INSTANTIATE_TEST_SUITE_P(Library, FclibFile,
                         testing::Values("Box_Stacks-i0122-82-5", "LMGC_100_PR_PerioBox-i00361-60-03000",
                                         "Capsules-i125-1213"));

TEST(Fclib, CountsContactsAndFrictionAsTheFilesDo) {
  const FclibProblem boxes = read_fclib(data("Box_Stacks-i0122-82-5"));
  EXPECT_EQ(boxes.contacts, 82);
  EXPECT_EQ(boxes.matrix.rows[1].friction, 0.3);
  EXPECT_EQ(read_fclib(data("Capsules-i125-1213")).contacts, 286);
  EXPECT_EQ(read_fclib(data("LMGC_100_PR_PerioBox-i00361-60-03000")).contacts, 60);
}

TEST(Fclib, NamesAFileThatIsMissingOrNoProblem) {
  EXPECT_THROW((void)read_fclib(data("nowhere")), ProblemFileError);
  const std::filesystem::path text = std::filesystem::path(testing::TempDir()) / "fclib_text.hdf5";
  std::ofstream(text) << "not a problem";
  try {
    (void)read_fclib(text);
    FAIL();
  } catch (const ProblemFileError& error) {
    EXPECT_NE(std::string(error.what()).find("fclib_text.hdf5"), std::string::npos);
  }
}

}  // namespace
}  // namespace achilles
