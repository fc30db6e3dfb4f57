// Time to 1e-8 in FCLIB's measure, ours beside Siconos' solvers where its library was found.
//
//   fclib_times PROBLEM.hdf5...
//
// Each solver has its own idea of a tolerance: it is tightened by tens until the solution is good enough in FCLIB's
// measure, and the time of that solve alone is given (processor time, the best of three).
#include "solver/file/fclib.hpp"
#include "solver/solver.hpp"

#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>

#ifdef ACHILLES_BENCH_SICONOS
extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
}
#endif

namespace achilles {
namespace {

constexpr double kGoal = 1e-8;

struct Try {
  double seconds = 0, residual = 0;
  int iterations = 0;
};

template <class Work>
double time_of(Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void race(const char* name, const std::function<Try(double)>& solve_to) {
  for (double tolerance = 1e-6; tolerance > 1e-14; tolerance *= 0.1) {
    const Try one = solve_to(tolerance);
    if (one.residual <= kGoal) {
      std::printf("  %-24s %9.2f ms %8d iterations, %.1e\n", name, 1e3 * one.seconds, one.iterations, one.residual);
      return;
    }
  }
  std::printf("  %-24s does not get there\n", name);
}

Try solve_ours(const FclibProblem& problem, SolverOptions options, double tolerance) {
  set_solver_option(options, "tolerance", tolerance);
  SolverWorkspace workspace;
  std::vector<double> impulses;
  SolveReport report;
  Try out;
  out.seconds = time_of([&] {
    impulses.assign(problem.matrix.size(), 0.0);
    report = solve(problem.matrix, options, workspace, impulses);
  });
  out.iterations = report.iterations;
  out.residual = compute_fclib_residual(problem, impulses);
  return out;
}

void race_ours(const FclibProblem& problem) {
  const auto one = [&](const char* name, const SolverOptions& options) {
    race(name, [&](double tolerance) { return solve_ours(problem, options, tolerance); });
  };
  constexpr int kMany = 200000;
  one("gauss-seidel", GaussSeidelOptions{.iterations = kMany});
  one("gauss-seidel, blocks", GaussSeidelOptions{.iterations = kMany, .block_contacts = true});
  one("sor", SorOptions{.iterations = kMany});
  one("nonsmooth-cg", NonsmoothCgOptions{.iterations = kMany});
  one("nonsmooth-cg, blocks", NonsmoothCgOptions{.iterations = kMany, .block_contacts = true});
  one("newton", NewtonOptions{});
}

#ifdef ACHILLES_BENCH_SICONOS
Try solve_siconos(const FclibProblem& problem, int solver, double tolerance) {
  const int n = 3 * problem.contacts;
  std::vector<double> q(problem.matrix.b.data(), problem.matrix.b.data() + n);
  std::vector<double> mu, reaction, velocity;
  for (int c = 0; c < problem.contacts; ++c) {
    mu.push_back(problem.matrix.rows[3 * static_cast<std::size_t>(c) + 1].friction);
  }
  ::SolverOptions* options = solver_options_create(solver);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = solver == SICONOS_FRICTION_3D_NSN_AC ? 1000 : 200000;
  Try out;
  out.seconds = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    NumericsMatrix* M = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(M, problem.matrix.A.nonZeros());
    using Column = Eigen::SparseMatrix<double>::InnerIterator;
    for (int j = 0; j < n; ++j) {
      for (Column it(problem.matrix.A, j); it; ++it) NM_entry(M, static_cast<int>(it.row()), j, it.value());
    }
    FrictionContactProblem* theirs = frictionContactProblem_new_with_data(3, problem.contacts, M, q.data(), mu.data());
    reaction.assign(q.size(), 0.0);
    velocity.assign(q.size(), 0.0);
    const std::clock_t start = std::clock();
    (void)fc3d_driver(theirs, reaction.data(), velocity.data(), options);
    out.seconds = std::min(out.seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  out.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  out.residual = compute_fclib_residual(problem, reaction);
  return out;
}

void race_siconos(const FclibProblem& problem) {
  if (problem.equations > 0 || problem.dimension != 3) {
    std::printf("  siconos: left out, the problem is planar or has equations\n");
    return;
  }
  const auto one = [&](const char* name, int solver) {
    race(name, [&](double tolerance) { return solve_siconos(problem, solver, tolerance); });
  };
  one("siconos NSGS", SICONOS_FRICTION_3D_NSGS);
  one("siconos NSN_AC", SICONOS_FRICTION_3D_NSN_AC);
  one("siconos ADMM", SICONOS_FRICTION_3D_ADMM);
}
#else
void race_siconos(const FclibProblem&) {}
#endif

}  // namespace
}  // namespace achilles

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  for (int k = 1; k < argc; ++k) {
    const achilles::FclibProblem problem = achilles::read_fclib(argv[k]);
    std::printf("%s: %d contacts\n", argv[k], problem.contacts);
    achilles::race_ours(problem);
    achilles::race_siconos(problem);
  }
  return 0;
}
