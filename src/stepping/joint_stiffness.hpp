// Geometric stiffness of loaded joints, kept slower than a step.
#pragma once

#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

#include <span>
#include <vector>

namespace achilles {

/// A joint that pulls with force f at the arm r of a body turns the body back when it leans by δθ: the torque r × f
/// changes by −K δθ,
///
///   K = (f·r) 1 − sym(r fᵀ),                                                           [Andrews17, eq. 13]
///
/// which makes light links under tension swing at ω² ≤ λ_max(I⁻¹ K). Steps that read f at their beginning diverge for
/// hω > 2: a chain tears although every row of every step is solved. Sums K over the joints of each body and replaces
///
///   Ĩ = I^½ max(1, |I^−½ h² K I^−½|) I^½          (eigenvalues of the bracket count by their size, below 1 become 1)
///
/// for I in scratch.inverse_mass, so that no such mode is faster than 1/h, be it the swing of a link that is pulled or
/// the fold of one that is pressed (negative eigenvalues); modes that the step resolves keep their inertia to the bit.
/// The inertia acts on changes of the spin alone, Ĩ (ω⁺ − ω) = I (ω* − ω) + Jᵀλ: a steady rotation
/// feels nothing of it. f is that of the last step.
///
/// Call after integrate_velocities, which has taken ω to ω*; scratch.velocity_before holds ω.
void limit_geometric_stiffness(World& world, double h, BodyWorkspace& scratch);

/// The same for a step of length h that is taken in substeps, each of which must resolve the modes.
void limit_geometric_stiffness(World& world, double h, double substep, BodyWorkspace& scratch);

/// The same for a solve that is repeated until u stays: Ĩ = I + h² K⁺ with the positive part of K and
///
///   Ĩ (ω − ω') = I (ω* − ω') + Jᵀλ,
///
/// ω' being the spin of the last round. That is Newton's method on implicit forces; where ω = ω' nothing of K is left
/// in the solution. The bodies must be where ω' leads to, with the velocities ω*; `start` has the poses before the
/// step.
void linearize_geometric_stiffness(World& world, double h, const PoseSnapshot& start,
                                   std::span<const BodyVelocity> guess, BodyWorkspace& scratch);

/// K per body from the joints' impulses of the last step, over a step h [N m/rad].
void sum_geometric_stiffness(const World& world, double h, std::vector<Mat3>& stiffness);

}  // namespace achilles
