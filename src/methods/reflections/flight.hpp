// The flight of a step: from the velocities after its impact on, with what joints and contacts bear.
//
//   u'    velocity after the impact, at the pose s        v' its linear part
//   a     acceleration by forces                          [m/s²]
//   λ     impulses of rows of s
//   ū     velocity that moves the body over h, s⁺ = s + h ū; its spin ω̄ is the mean of free rotation
//
// An island whose contacts bear nothing follows the parabola, with joints by [Andersen83], second order and symplectic:
//
//   ū = u' + ½ h a + M⁻¹ Jᵀ λ with λ such that the joints hold at s⁺;   v⁺ = v̄ + ½ h a
//
// and the velocities are projected onto the joints before the next impact. An island in which a contact bears follows
//
//   ū = u' + h a + M⁻¹ Jᵀ λ,   0 ≤ λ_n ⟂ J_n ū + φ/h ≥ 0, friction within µ λ_n,   v⁺ = v̄
//
// one complementarity problem for normals, friction, joints, limits and motors, so that the bound of friction is all of
// the normal impulse and normals answer the torque of friction. Its impulses do no positive work on the contacts, and
// the kick-then-drift order takes ½ ‖v⁺ − v'‖²_M per step on top: energy does not grow by contact. In both cases spins
// are kicked at s, with the inertia of s, and the rotation that follows is free.
#pragma once

#include "methods/reflections/workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

/// Flies all bodies that can move through the step; the rows of scratch are those of the present pose, its impulses the
/// first guess in and those of the flight out, the velocities of the World those after the impact. Leaves the poses and
/// velocities after the step in the World.
void fly_step(World& world, double h, ReflectionsScratch& scratch, StepReport& report);

/// Projects the velocities of every island with joints onto what its joints allow; the impulses are added to
/// scratch.reflections.of_impact.
void project_on_joints(World& world, ReflectionsScratch& scratch);

}  // namespace achilles
