// What the contacts and joints of an island took out of it in a step: what a correction and a rebound may give back.
#pragma once

#include "methods/shock_propagation/island.hpp"

#include <achilles/world.hpp>

#include <cstdint>

namespace achilles {

/// Calls visit(body) for the movable bodies of an island, each once.
template <class Visit>
void for_each_body(const ShockIsland& island, const ShockWorkspace& work, const Visit& visit) {
  for (const ManifoldBlock& block : island.blocks) {
    for (std::uint32_t k = block.first_body; k < block.last_body; ++k) visit(work.partition.bodies[k]);
  }
}

/// Force that external impulses of a step of length h amount to [N].
[[nodiscard]] inline Vec3 mean_force(const BodyArrays& bodies, std::uint32_t body, double h,
                                     const ShockWorkspace& work) {
  return bodies.mass[body] / h * (work.rebound.free[body].linear - work.velocity_before[body].linear);
}

/// Energy that the island has less than at the start of the step of length h, with the work of external forces along
/// the way gone so far and that of scripts [J]. External torques, motors and springs are not included.
[[nodiscard]] double measure_energy_lost(const World& world, const ShockIsland& island, double h,
                                         const ShockWorkspace& work);

}  // namespace achilles
