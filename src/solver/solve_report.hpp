// What every complementarity solver returns.
#pragma once

#include <string_view>

namespace achilles {

enum class SolveStatus {
  kSolved,          // model_residual at or below the tolerance
  kIterationLimit,  // best iterate kept, residual gives its accuracy
  kStagnated,       // ended early: the iterates no longer improve
  kCycling,         // a direct solver came back to a basis it had been in
  kNoSolution,      // proven or met: a secondary ray, an infeasible set
  kNotFinite        // the problem itself holds a NaN or infinity
};

struct SolveReport {
  SolveStatus status = SolveStatus::kSolved;
  int iterations = 0;
  double residual = 0;  // [m/s] largest entry of the natural map, cone rows together: the same for all solvers
  /// [m/s] The same for the problem that was in fact solved: solvers that replace the friction disc by a polygon or a
  /// box are done when this is small, and `residual` then gives the error of the replacement. Else equal to `residual`.
  double model_residual = 0;
};

[[nodiscard]] std::string_view to_string(SolveStatus status);

}  // namespace achilles
