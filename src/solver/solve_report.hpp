// What every complementarity solver returns.
#pragma once

#include <string_view>

namespace achilles {

enum class SolveStatus {
  kSolved,          // residual at or below the tolerance
  kIterationLimit,  // best iterate kept, residual says how good it is
  kNoSolution,      // proven or met: a secondary ray, an infeasible set
  kNotFinite        // the problem itself holds a NaN or infinity
};

struct SolveReport {
  SolveStatus status = SolveStatus::kSolved;
  int iterations = 0;
  double residual = 0;  // [m/s] largest entry of the natural map, cone rows together
};

[[nodiscard]] std::string_view to_string(SolveStatus status);

}  // namespace achilles
