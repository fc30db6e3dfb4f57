// Top-down load propagation: what the contacts of every layer must carry so that nothing is set in motion, from the top
// to the ground.
//
// The impulses of the last step, applied at this step's contact points, no longer balance: loads change, and a wall
// that leans presses farther out. A body needs an upward impulse F and level torques T₁, T₂ that take the change of its
// velocity back and answer what it gives to bodies above. Of all impulses that give them the smallest are taken,
//
//   G λ = (F, T₁, T₂),  λ = Gᵀ (G Gᵀ)⁻¹ (F, T₁, T₂),  column of G: (d·up, (r×d)·e₁, (r×d)·e₂)
//
// which press affinely over the supports: one pass in place of the hundreds of sweeps that carry a load through a stack
// [Erleben04, figs. 6.14-6.17]. λ is a normal impulse, d = n + what friction adds of it, as nearly upright as friction
// lets: along normals alone a wall that leans as a whole would seem to be pressed along itself, and buckles. No point
// is left with a pull.
//
// The energy of the bodies after the share s of these impulses is E(s) = a s + b s²; the share of least energy is
// taken, so that what cannot be held, a stack in free fall or a body that tips, is not. In a heap, where bodies rest on
// each other in cycles, the impulses grow from layer to layer and nearly no share is left. With D the energy that is to
// be taken out, s ≤ √(D/b); b is known to be 100 D when the bodies of the layers so far are left with as much, and the
// pass ends.
#pragma once

#include "methods/shock_propagation/island.hpp"

#include <achilles/world.hpp>

namespace achilles {

struct LoadOptions {
  double touching = 0;  // [m] points with larger gaps carry nothing
  double fraction = 1;  // of the imbalance that is propagated
};

/// Adds what the stack must carry to the impulses of the manifolds of one island, which have been applied, and to the
/// velocities. Contacts of bodies of one height carry nothing.
void propagate_loads(World& world, const LoadOptions& options, const ShockIsland& island, ShockWorkspace& work);

}  // namespace achilles
