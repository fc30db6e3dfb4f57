#include "solver/gauss_seidel.hpp"

#include "solver/iterative/iterate.hpp"

namespace achilles {
namespace {

template <class Access>
SolveReport run(Access& access, const GaussSeidelOptions& options, IterativeWorkspace& scratch,
                std::span<double> impulses) {
  const StopRule stop{options.iterations, options.minimum_iterations, options.tolerance, options.patience};
  list_units(access, options.block_contacts, scratch);
  SmallRandom random(options.seed);
  bool first = true;
  return iterate(access, stop, impulses, [&] {
    if (!first) order_units(options.order, random, scratch.units);
    first = false;
    return sweep_units(access, options.relaxation, scratch, impulses);
  });
}

}  // namespace

SolveReport solve_gauss_seidel(const RowProblem& problem, const GaussSeidelOptions& options,
                               IterativeWorkspace& scratch, std::span<double> impulses) {
  return with_rows(problem, scratch, impulses, [&](auto& access) { return run(access, options, scratch, impulses); });
}

SolveReport solve_gauss_seidel(const RowProblem& problem, const GaussSeidelOptions& options,
                               std::span<double> impulses) {
  IterativeWorkspace scratch;
  return solve_gauss_seidel(problem, options, scratch, impulses);
}

SolveReport solve_gauss_seidel(const MatrixProblem& problem, const GaussSeidelOptions& options,
                               IterativeWorkspace& scratch, std::span<double> impulses) {
  MatrixAccess access = warm_access(problem, impulses, scratch);
  return run(access, options, scratch, impulses);
}

}  // namespace achilles
