// `lcp-fixed`: one complementarity problem per step, [Erleben04, fig. 4.15, eq. 6.76].
#pragma once

#include "methods/lcp_fixed/substeps.hpp"
#include "motion/integrate.hpp"
#include "solver/solver.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/sleep_stage.hpp"
#include "stepping/speed_ups.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct LcpFixedOptions {
  // Sweeps of Gauss-Seidel with conjugate directions: a stack of ten boxes is at rest to 1e-9 m/s in a dozen of them.
  SolverOptions solver = NonsmoothCgOptions{.iterations = 100};
  bool eliminate_joints = true;  // see solve_stage.hpp
  Integrator integrator = Integrator::kConserving;
  bool warm_start = true;
  double speculative_distance = 0.01;   // [m] contacts are looked for up to this gap, plus what the speeds can close
  double restitution_threshold = 0.05;  // [m/s] slower approaches do not bounce
  double slop = 1e-4;                   // [m] gaps and penetrations up to this count as touch
  double correction = 0.2;              // share of the penetration beyond the slop that a step takes out
  int correction_iterations = 10;       // sweeps of the position correction
  double reuse_distance = kUnchanged;   // [m] see contact_stage.hpp
  CollideOptions collide;               // all points and old box contacts are for comparison
  SleepOptions sleeping;
  SpeedUps speed_ups;
  DemandOptions substeps;
};

/// One step of length h:
///
///   b = J (u + h M⁻¹ f_ext),  λ = lcp(J M⁻¹ Jᵀ, b),  u⁺ = u + M⁻¹ Jᵀ λ + h M⁻¹ f_ext,  s⁺ = s + h u⁺
///
/// with the contacts found at s. Differs from fig. 4.15, which looks for contacts at a trial position s + h u: rows of
/// contacts still apart carry their gap instead, which sees the same future contacts without the false ones of
/// fig. 4.25. The problem is plastic; what meets with restitution rebounds at the end of the step, see rebound.hpp.
/// Penetration is taken out by projection in the first-order world [Erleben04, sec. 4.16], which adds no
/// velocity.
///
/// With more than one substep these are the parts of a frame of [Erleben04, sec. 2.2.3], and `demand` states what each
/// finds anew. Chosen where the thesis is silent: the position correction belongs to what is found anew, so that lazy
/// parts have none; and collisions, which the thesis leaves to another module, are not repeated as forces.
[[nodiscard]] StepReport advance_lcp_fixed(World& world, const LcpFixedOptions& options, LcpFixedWorkspace& scratch,
                                           double h);

}  // namespace achilles
