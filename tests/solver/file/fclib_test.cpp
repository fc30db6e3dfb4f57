#include "solver/file/fclib.hpp"

#include "solver/solver.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <utility>

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

/// A copy of a file of the library, open to be damaged.
class DamagedFile {
 public:
  DamagedFile() : path_(std::filesystem::path(testing::TempDir()) / "fclib_damaged.hdf5") {
    const std::filesystem::path whole = data("Capsules-i125-1213");
    matrix_ = read_fclib(whole).is_global ? "/fclib_global/M" : "/fclib_local/W";
    std::filesystem::copy_file(whole, path_, std::filesystem::copy_options::overwrite_existing);
    file_ = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  }
  ~DamagedFile() { close(); }
  DamagedFile(const DamagedFile&) = delete;
  DamagedFile& operator=(const DamagedFile&) = delete;

  [[nodiscard]] std::string matrix() const { return matrix_; }
  void set_integer(const std::string& item, int value) const {
    const hid_t set = H5Dopen2(file_, item.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
    H5Dclose(set);
  }
  /// An array of that many numbers that no number was ever written to.
  void declare_array(const std::string& item, hsize_t count) const {
    EXPECT_GE(H5Ldelete(file_, item.c_str(), H5P_DEFAULT), 0);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t set = H5Dcreate2(file_, item.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(set, 0);
    H5Dclose(set);
    H5Sclose(space);
  }
  [[nodiscard]] std::string error() {
    close();
    try {
      (void)read_fclib(path_);
      return "";
    } catch (const ProblemFileError& error) {
      return error.what();
    }
  }

 private:
  void close() {
    if (file_ >= 0) H5Fclose(std::exchange(file_, -1));
  }
  std::filesystem::path path_;
  std::string matrix_;
  hid_t file_ = -1;
};

// A matrix of 2^30 rows would take 4 GB of column starts alone.
TEST(Fclib, RefusesSizesThatDoNotFitTheVectorsBeforeTakingMemory) {
  DamagedFile file;
  file.set_integer(file.matrix() + "/m", 1 << 30);
  file.set_integer(file.matrix() + "/n", 1 << 30);
  EXPECT_NE(file.error().find(file.matrix() + ": is 1073741824 x 1073741824"), std::string::npos) << file.error();
}

TEST(Fclib, RefusesAnArrayThatClaimsMoreThanTheFileHolds) {
  DamagedFile file;
  file.declare_array(file.matrix() + "/x", hsize_t{1} << 36);
  EXPECT_NE(file.error().find("more than the file holds"), std::string::npos) << file.error();
}

}  // namespace
}  // namespace achilles
