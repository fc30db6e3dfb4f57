#include "solver/row_problem.hpp"

#include "solver/access.hpp"
#include "solver/solve_report.hpp"

namespace achilles {

double compute_residual(const RowProblem& problem, std::span<const double> impulses) {
  return natural_map_residual(RowAccess(problem), impulses);
}

double row_coupling(const Row& i, const Row& j) {
  double sum = 0;
  if (i.body_a != kImmovable) {
    if (i.body_a == j.body_a) sum += i.linear_a.dot(j.mass_linear_a) + i.angular_a.dot(j.mass_angular_a);
    if (i.body_a == j.body_b) sum += i.linear_a.dot(j.mass_linear_b) + i.angular_a.dot(j.mass_angular_b);
  }
  if (i.body_b != kImmovable) {
    if (i.body_b == j.body_a) sum += i.linear_b.dot(j.mass_linear_a) + i.angular_b.dot(j.mass_angular_a);
    if (i.body_b == j.body_b) sum += i.linear_b.dot(j.mass_linear_b) + i.angular_b.dot(j.mass_angular_b);
  }
  return sum;
}

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::kSolved:
      return "solved";
    case SolveStatus::kIterationLimit:
      return "iteration-limit";
    case SolveStatus::kStagnated:
      return "stagnated";
    case SolveStatus::kCycling:
      return "cycling";
    case SolveStatus::kNoSolution:
      return "no-solution";
    case SolveStatus::kNotFinite:
      return "not-finite";
  }
  return "unknown";
}

}  // namespace achilles
