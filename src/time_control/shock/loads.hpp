// Weights handed down a stack: what the contacts of every layer must carry, from the top to the ground.
//
// A body at rest needs an upward impulse F and level torques T₁, T₂ from its supports: those that balance its own
// weight and the reactions of what it carries. Of all impulses that give them the smallest are taken,
//
//   G λ = (F, T₁, T₂),  λ = Gᵀ (G Gᵀ)⁻¹ (F, T₁, T₂),  column of G: (n·up, (r×n)·e₁, (r×n)·e₂)
//
// which press affinely over the supports. Where none of them pulls, they hold the whole stack: one pass in place of the
// hundreds of sweeps that carry a weight through it [Erleben04, figs. 6.14-6.17]. Pulls are left out.
#pragma once

#include "solver/patch/patch.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

#include <span>

namespace achilles {

/// Patches of one group and their indices in the order of their layers, lowest first.
struct RisingPatches {
  std::span<Patch> patches;
  std::span<const std::uint32_t> order;
};

/// Sets the loads of the patches of one group. Points with gaps beyond `touching`
/// and contacts of bodies of one height carry nothing. Reads what external forces add to the velocities in this step.
void hand_down_loads(const World& world, double touching, const RisingPatches& rising, StepWorkspace& scratch);

}  // namespace achilles
