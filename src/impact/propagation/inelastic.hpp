// The nearest feasible velocity: the inelastic outcome of an impact, as one complementarity problem.
//
//   minimize ½ ‖x − x⁻‖_M²  subject to  n_iᵀ x ≥ target_i,     0 ≤ λ ⟂ N^T (x⁻ + M⁻¹ N λ) − target ≥ 0
//
// [Vouga17, sec. 6.2], [Moreau85]. Rows enter the problem when they are found violated, so that a long chain hit at one
// end does not form the products of all its contacts at once.
#pragma once

#include <span>
#include <vector>

#include "impact/part.hpp"

namespace achilles {

struct InelasticWorkspace {
  NonnegativeQpWorkspace qp;
  std::vector<int> in_play;
  std::vector<char> entered;
  std::vector<double> matrix, linear, tolerance, lambda, start;
};

struct InelasticTask {
  std::span<const char> rows;       // per contact, whether to enforce it; empty: all
  std::span<const double> targets;  // per contact, [m/s]; empty: 0
  double tolerance = 0;             // on −w_i / ‖n_i‖, same unit as ‖x‖_M
};

struct InelasticReport {
  bool feasible = true;  // within the tolerance
  int rounds = 0;
};

/// Moves x to the nearest feasible velocity and adds the impulses to `impulses`, one per column. x stays as it is, bit
/// for bit, when it is feasible already. Never raises ‖x − u‖_M for any feasible u. Infeasible targets show as a
/// report.
InelasticReport project_feasible(const ImpactPart& part, const InelasticTask& task, InelasticWorkspace& scratch,
                                 std::span<double> x, std::span<double> impulses);

}  // namespace achilles
