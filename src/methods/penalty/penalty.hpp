// `penalty`: contacts as springs with dampers, [Erleben04, sec. 2.4.2].
#pragma once

#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <utility>
#include <vector>

namespace achilles {

struct PenaltyOptions {
  double contact_time = 0.02;  // [s] how long a collision lasts at most where the material has no stiffness
  double accuracy = 0.02;      // substeps are this share of the longest stable one
  int max_substeps = 10000;    // a step that needs more is refused
};

struct PenaltyWorkspace {
  std::vector<Vec3> force, torque;                   // per body [N], [N m]: applied in the step
  std::vector<BodyVelocity> velocity;                // per body, before the contacts push
  std::vector<std::pair<double, double>> stiffness;  // per body: Σ k A [1/s²] and Σ d A [1/s]
};

struct PenaltyScratch : StepWorkspace {
  PenaltyWorkspace penalty;
};

/// One step of length h, in substeps. A point with gap φ < 0 and closing speed w pushes with max(0, −k φ + d w).
///
/// k and d are the material's, per point. Where it has none, they are those of the pair, shared by its points: with the
/// reduced mass m = m_a m_b / (m_a + m_b), k = m (π / contact_time)² and d such that the pair parts with e times the
/// speed it met with, which for a force that never pulls is [Schwager07, eqs. 20-22]. e below 0.02 counts as 0.02.
/// Under its own weight such a body sinks in by g (T / π)², T the time of contact: T is as much shorter as it takes for
/// that to be at most 0.5 % of the radius of the smaller shape, so that small bodies keep their shape as large ones do.
///
/// Friction is min(µ f_n, c |v_T|) against the slip v_T, with c as large as the substep allows: what should stick
/// creeps at f/c.
///
/// Kick, then drift: with ω² and R bounds on stiffness and damping over mass, summed over the points of a body and its
/// neighbour, a substep is stable if t² ω² + 2 t R < 4. Points that may be met in the step count as well. When more
/// than `max_substeps` would be needed the run stops with `step-too-long`, and reports how many.
///
/// The impulses of the records are the forces at the end of the step times h.
[[nodiscard]] StepReport advance_penalty(World& world, const PenaltyOptions& options, PenaltyScratch& scratch,
                                         double h);

/// Damping ratio ζ of a spring and damper that never pulls, whose collisions have restitution e.
[[nodiscard]] double find_damping_ratio(double restitution);

}  // namespace achilles
