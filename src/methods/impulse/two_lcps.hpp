// An impact as two complementarity problems: compression, then decompression by Poisson's hypothesis, [Anitescu97].
#pragma once

#include "solver/solver.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct TwoLcpsWorkspace {
  std::vector<Row> rows;         // of decompression
  std::vector<double> impulses;  // per row
};

/// Treats the impact of the rows that build_touch_rows wrote, all points at once, friction in both problems:
///
///   compression    0 ≤ λ_c ⟂ J u_c ≥ 0,            u_c = u + M⁻¹ Jᵀ λ_c
///   decompression  e λ_c ≤ λ_d ⟂ J u⁺ ≥ 0,         u⁺ = u_c + M⁻¹ Jᵀ λ_d
///
/// Each normal impulse of the second is at least e times that of the first, and more where the others would push the
/// bodies into each other. The impulses in the workspace and its records are λ_c + λ_d. The residual of the report is
/// that of the worse of the two.
void resolve_by_two_lcps(World& world, const SolverOptions& solver, TwoLcpsWorkspace& decompression,
                         StepWorkspace& scratch, StepReport& report);

}  // namespace achilles
