// `lcp-fixpoint`: implicit positions by fix-point iteration, [Erleben04, fig. 4.22].
#pragma once

#include "stepping/implicit_positions.hpp"
#include "stepping/overlap_release.hpp"

#include <achilles/report.hpp>

namespace achilles {

struct LcpFixpointOptions {
  ImplicitOptions implicit;
  double slop = 1e-4;  // [m] gaps up to this count as touch
};

struct LcpFixpointScratch : StepWorkspace {
  ImplicitWorkspace implicit;
  OverlapRelease release;
};

/// One step of length h: u⁺ by solve_implicit_positions, s⁺ = s + h u⁺, then the rebound of what met. Contacts and
/// joints are fulfilled at the end of the step up to what the last round changed, so nothing is projected. Where the
/// rounds did not reach the fix-point the report's residual is at least the last change of pose over h.
[[nodiscard]] StepReport advance_lcp_fixpoint(World& world, const LcpFixpointOptions& options,
                                              LcpFixpointScratch& scratch, double h);

}  // namespace achilles
