// `position-optimal`: collision synchronization, one quadratic program per frame, [Erleben04, sec. 2.4.4].
#pragma once

#include "impact/impact_law.hpp"
#include "stepping/implicit_positions.hpp"

#include <achilles/report.hpp>

namespace achilles {

struct PositionOptimalOptions {
  ImplicitOptions implicit{.friction = false};
  ImpactLaw impact = NewtonLaw{};
  double touching = 1e-6;  // [m] gaps up to this collide at the end of the frame
};

struct PositionOptimalScratch : StepWorkspace {
  ImplicitWorkspace implicit;
  std::vector<BodyVelocity> end;  // per body: of free flight, at the end of the frame
};

/// One frame of length h. The positions at its end are the admissible ones nearest to where free flight would lead,
///
///   min ½ (s⁺ − s_free)ᵀ M (s⁺ − s_free)  subject to  gap(s⁺) ≥ 0,
///
/// whose optimality conditions are the complementarity problem of normal rows, solved by fix-point iteration. All
/// collisions of the frame then happen at once at its end: what touches and approaches there goes through the impact
/// law with the velocity of free flight, and rebound from the speed that they had at the touch, friction included. The
/// thesis leaves that part open ("a plausible motion agreeing with the solution"). Approaches slower than twice what
/// gravity adds in a frame do not bounce: they end in one plastic impact of all points. The records hold the impulses
/// by which the positions were found.
[[nodiscard]] StepReport advance_position_optimal(World& world, const PositionOptimalOptions& options,
                                                  PositionOptimalScratch& scratch, double h);

}  // namespace achilles
