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

namespace {

/// Solves what is left without the equalities. False where there are none or the problem is not finite.
bool eliminate_and_solve(const MatrixProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                         std::span<double> impulses, SolveReport& report) {
  if (!scratch.elimination.start(problem)) return false;
  scratch.elimination.reduce(scratch.reduced);
  scratch.elimination.restrict_to_rest(impulses, scratch.rest);
  if (!scratch.rest.empty()) report = solve(scratch.reduced, options, scratch, scratch.rest);
  scratch.elimination.complete(scratch.rest, impulses);
  scratch.w.resize(impulses.size());
  report.residual = std::max(report.residual, compute_residual(problem, impulses, scratch.w));
  return true;
}

/// The same for rows of which some share impulses.
SolveReport solve_parts(const RowProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                        std::span<double> impulses) {
  SolveReport report;
  scratch.parts.merge(problem.rows, scratch.matrix, scratch.merged);
  scratch.parts.gather(impulses, scratch.combined);
  if (!eliminate_and_solve(scratch.merged, options, scratch, scratch.combined, report)) {
    report = solve(scratch.merged, options, scratch, scratch.combined);
  }
  scratch.parts.scatter(scratch.combined, impulses);
  return report;
}

}  // namespace

SolveReport solve_eliminating(const RowProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                              std::span<double> impulses) {
  assemble(problem, scratch.assemble, scratch.matrix);
  SolveReport report;
  if (has_parts(problem.rows)) {
    report = solve_parts(problem, options, scratch, impulses);
  } else if (!eliminate_and_solve(scratch.matrix, options, scratch, impulses, report)) {
    return solve(problem, options, scratch, impulses);
  }
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    if (impulses[i] != 0) apply_impulse(problem.rows[i], impulses[i], problem.velocities);
  }
  return report;
}

}  // namespace achilles
