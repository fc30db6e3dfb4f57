// Weights handed down a stack: what the contacts of every layer must carry so that nothing is set in motion, from the
// top to the ground.
//
// The impulses of the last step, applied at this step's contact points, no longer balance: weights come and go, and a
// wall that leans presses farther out. A body needs an upward impulse F and level torques T₁, T₂ that take the change
// of its velocity back, and those with which it answers what it gives to bodies above. Of all pushes that give them the
// smallest are taken,
//
//   G λ = (F, T₁, T₂),  λ = Gᵀ (G Gᵀ)⁻¹ (F, T₁, T₂),  column of G: (d·up, (r×d)·e₁, (r×d)·e₂)
//
// which press affinely over the supports: one pass in place of the hundreds of sweeps that carry a weight through a
// stack [Erleben04, figs. 6.14-6.17]. λ is a normal impulse, d = n + what friction adds of it, as nearly upright as it
// can: along normals alone a wall that leans as a whole would seem to be pressed along itself, and buckles. No point is
// left with a pull.
//
// With the pushes goes an energy E(s) = a s + b s², s the share that is taken; it is the one at the least energy, so
// that what cannot be held, a stack in free fall or a body that tips, is not. In a heap, where bodies rest on each
// other anyhow, pushes grow from layer to layer and next to no share is left: then nothing is handed down. With D the
// energy that is to be taken out, s ≤ √(D/b); b is known to be 100 D when the layers asked so far are left with as
// much.
#pragma once

#include "time_control/shock/group.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct LoadOptions {
  double touching = 0;  // [m] points with larger gaps carry nothing
  double share = 1;     // of the imbalance that is handed down
};

/// Adds what the stack must carry to the impulses of the patches of one group, which have been applied, and to the
/// velocities. Contacts of bodies of one height carry nothing.
void hand_down_loads(World& world, const LoadOptions& options, const ShockGroup& group, StepWorkspace& scratch);

}  // namespace achilles
