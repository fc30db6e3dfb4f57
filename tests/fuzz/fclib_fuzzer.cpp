// Feeds the reader of FCLIB problems what the library would not have written. It may refuse with ProblemFileError, and
// with nothing else; what it accepts has sizes that fit.
#include "hdf5_mutator.hpp"

#include "solver/file/fclib.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace achilles;

const fuzz::Hdf5Mutator& mutator() {
  static const fuzz::Hdf5Mutator kMutator(ACHILLES_SOURCE_FOLDER
                                          "/tests/solver/data/fclib/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5");
  return kMutator;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kPath = fuzz::make_scratch_path("problem.hdf5");
  mutator().write(kPath, {data, size});
  try {
    const FclibProblem problem = read_fclib(kPath);
    const std::vector<double> impulses(problem.matrix.size(), 0.0);
    (void)compute_fclib_residual(problem, impulses);
    if (fclib_reactions(problem, impulses).size() != static_cast<std::size_t>(problem.contacts * problem.dimension)) {
      std::abort();
    }
  } catch (const ProblemFileError&) {
  }
  return 0;
}
