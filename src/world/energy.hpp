// Energy of a World followed from step to step: what sleeps is not summed anew.
#pragma once

#include <achilles/world.hpp>

#include <cstddef>
#include <vector>

namespace achilles {

struct Energy {
  double kinetic = 0;    // [J]
  double potential = 0;  // [J]

  [[nodiscard]] double total() const { return kinetic + potential; }
};

/// Sums over blocks of bodies, so that a block which sleeps need not be looked at again; the bits are those of
/// World::kinetic_energy and World::potential_energy, which sum in the same order.
class EnergyMeter {
 public:
  /// Costs one look at what is awake, and one byte of each sleeper. What slept at the last look and sleeps now must not
  /// have moved in between: look after every step.
  [[nodiscard]] Energy measure(const World& world);

 private:
  struct Block {
    Energy energy;
    bool sleeps = false;  // all of it
  };
  std::vector<Block> blocks_;
  std::size_t bodies_ = 0;
  Vec3 gravity_ = Vec3::Zero();  // [m/s²]
};

}  // namespace achilles
