// `lcp-retroactive`: contacts found at the end of the step are added to those of its beginning, and the step is taken
// again, [Erleben04, fig. 4.17].
#pragma once

#include "methods/lcp_fixed/lcp_fixed.hpp"
#include "stepping/pose_snapshot.hpp"

#include <achilles/report.hpp>

namespace achilles {

struct LcpRetroactiveOptions {
  LcpFixedOptions fixed;
  int attempts = 20;  // at most
  /// Added contacts count as closed at the beginning of the step, which is fig. 4.17 to the letter: bodies stop short
  /// of what they would hit, as in fig. 4.18. Otherwise they carry the gap they had.
  bool force_field = false;
};

struct RetroactiveWorkspace {
  PoseSnapshot start;
  std::vector<BodyVelocity> free;  // per body: u* = u + h M⁻¹ f_ext
  ContactSet found;                // at the end of a step that was tried
  ContactSet merged;
};

struct RetroactiveScratch : StepWorkspace {
  RetroactiveWorkspace retroactive;
};

/// One step of length h. Starts from the points that touch; each round steps, looks for points that penetrate by more
/// than the slop and are not in the set yet, adds them and steps anew. Ends when a round finds no new one: a finite
/// number of points exists, but the figure's loop would not end where a known point penetrates all the same, at concave
/// boundaries, fig. 4.19. What penetrates then, or after the last attempt, is left to the projection of lcp-fixed.
/// `report.iterations` is that of the last solve.
///
/// Differs from lcp-fixed in that nothing is predicted: no row exists for a pair that does not meet.
[[nodiscard]] StepReport advance_lcp_retroactive(World& world, const LcpRetroactiveOptions& options,
                                                 RetroactiveScratch& scratch, double h);

}  // namespace achilles
