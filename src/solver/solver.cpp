#include "solver/solver.hpp"

#include <algorithm>

namespace achilles {
namespace {

SolveReport dispatch(const MatrixProblem& problem, const LemkeOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_lemke(problem, options, scratch.lemke, impulses);
}
SolveReport dispatch(const MatrixProblem& problem, const DantzigOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_dantzig(problem, options, scratch.dantzig, impulses);
}
SolveReport dispatch(const MatrixProblem& problem, const NewtonOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_newton(problem, options, scratch.newton, impulses);
}
template <class Problem>
SolveReport dispatch(const Problem& problem, const GaussSeidelOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_gauss_seidel(problem, options, scratch.iterative, impulses);
}
template <class Problem>
SolveReport dispatch(const Problem& problem, const JacobiOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_jacobi(problem, options, scratch.iterative, impulses);
}
template <class Problem>
SolveReport dispatch(const Problem& problem, const SorOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_sor(problem, options, scratch.iterative, impulses);
}
template <class Problem>
SolveReport dispatch(const Problem& problem, const NonsmoothCgOptions& options, SolverWorkspace& scratch,
                     std::span<double> impulses) {
  return solve_nonsmooth_cg(problem, options, scratch.iterative, impulses);
}

template <class Options>
constexpr bool kNeedsMatrix = std::is_same_v<Options, LemkeOptions> || std::is_same_v<Options, DantzigOptions> ||
                              std::is_same_v<Options, NewtonOptions>;

}  // namespace

SolveReport solve(const MatrixProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                  std::span<double> impulses) {
  return std::visit([&](const auto& chosen) { return dispatch(problem, chosen, scratch, impulses); }, options);
}

SolveReport solve(const RowProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                  std::span<double> impulses) {
  return std::visit(
      [&]<class Options>(const Options& chosen) {
        if constexpr (kNeedsMatrix<Options>) {
          assemble(problem, scratch.assemble, scratch.matrix);
          const SolveReport report = dispatch(scratch.matrix, chosen, scratch, impulses);
          for (std::size_t i = 0; i < impulses.size(); ++i) {
            if (impulses[i] != 0) apply_impulse(problem.rows[i], impulses[i], problem.velocities);
          }
          return report;
        } else {
          return dispatch(problem, chosen, scratch, impulses);
        }
      },
      options);
}

}  // namespace achilles
