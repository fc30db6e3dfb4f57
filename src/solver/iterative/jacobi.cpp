#include "solver/iterative/jacobi.hpp"

#include "solver/iterative/iterate.hpp"

namespace achilles {
namespace {

void split_masses(const RowProblem& problem, IterativeWorkspace& scratch) {
  scratch.counts.assign(problem.velocities.size(), 0);
  for (const Row& row : problem.rows) {
    if (row.body_a != kImmovable) ++scratch.counts[row.body_a];
    if (row.body_b != kImmovable) ++scratch.counts[row.body_b];
  }
  scratch.scale.resize(problem.rows.size());
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const Row& row = problem.rows[i];
    scratch.scale[i] = row.softness;
    if (row.body_a != kImmovable) {
      scratch.scale[i] +=
          scratch.counts[row.body_a] * (row.linear_a.dot(row.mass_linear_a) + row.angular_a.dot(row.mass_angular_a));
    }
    if (row.body_b != kImmovable) {
      scratch.scale[i] +=
          scratch.counts[row.body_b] * (row.linear_b.dot(row.mass_linear_b) + row.angular_b.dot(row.mass_angular_b));
    }
  }
}

void sum_columns(const MatrixProblem& problem, IterativeWorkspace& scratch) {
  scratch.scale.resize(problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    scratch.scale[i] = 0;
    using Column = Eigen::SparseMatrix<double>::InnerIterator;
    for (Column it(problem.A, static_cast<Eigen::Index>(i)); it; ++it) scratch.scale[i] += std::abs(it.value());
  }
}

// New impulses of all rows into scratch.before, from velocities that no row has changed yet. Friction already sees its
// new normal impulse where that row came first.
template <class Access>
void propose(const Access& problem, double relaxation, std::span<const double> impulses, IterativeWorkspace& scratch) {
  std::vector<double>& next = scratch.before;
  next.assign(impulses.begin(), impulses.end());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const auto& row = problem.row(i);
    const double w = problem.velocity(i, impulses[i]);
    if (row.normal_row < 0) {
      next[i] = scratch.scale[i] > 0
                    ? std::max(std::min(impulses[i] - relaxation * w / scratch.scale[i], row.upper), row.lower)
                    : settle_immovable(impulses[i], w, row.lower, row.upper);
    } else {
      const Vec2 velocity(w, problem.velocity(i + 1, impulses[i + 1]));
      PairBlock block;  // isotropic and singular: friction_step then takes the projected gradient step
      block.largest = std::max(scratch.scale[i], scratch.scale[i + 1]);
      const Vec2 moved = friction_step(block, Vec2(impulses[i], impulses[i + 1]), velocity,
                                       friction_limit(problem, i, next), relaxation);
      next[i] = moved.x();
      next[i + 1] = moved.y();
      ++i;
    }
  }
}

template <class Access>
SolveReport run(Access& access, const JacobiOptions& options, IterativeWorkspace& scratch, std::span<double> impulses) {
  const StopRule stop{options.iterations, options.minimum_iterations, options.tolerance, options.patience};
  return iterate(access, stop, impulses, [&] {
    propose(access, options.relaxation, impulses, scratch);
    double largest = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      const double delta = scratch.before[i] - impulses[i];
      impulses[i] = scratch.before[i];
      if (delta != 0) access.apply(i, delta);
      keep_largest(largest, std::abs(delta) * access.row(i).diagonal);
    }
    return largest;
  });
}

}  // namespace

SolveReport solve_jacobi(const RowProblem& problem, const JacobiOptions& options, IterativeWorkspace& scratch,
                         std::span<double> impulses) {
  RowAccess access(problem);
  apply_warm_start(access, impulses);
  split_masses(problem, scratch);
  return run(access, options, scratch, impulses);
}

SolveReport solve_jacobi(const MatrixProblem& problem, const JacobiOptions& options, IterativeWorkspace& scratch,
                         std::span<double> impulses) {
  MatrixAccess access = warm_access(problem, impulses, scratch);
  sum_columns(problem, scratch);
  return run(access, options, scratch, impulses);
}

}  // namespace achilles
