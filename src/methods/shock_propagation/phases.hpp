// Parallel phases of `shock-propagation`: what is done to an island, in order; the parts of one phase share no movable
// body and run at the same time.
#pragma once

#include "parallel/blocks.hpp"
#include "solver/manifold/contact_manifold.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace achilles {

struct Phase {
  enum class Work : std::uint8_t {
    kApplyWarmStart,  // the blocks of one colour
    kSumWarmStart,
    kSweep,     // the blocks of one colour
    kEndSweep,  // joints, and whether the sweeps have converged
    kMeasure,   // all blocks: the objective along the impulses
    kChooseShare,
    kScale,        // all blocks
    kCorrectLayer  // the components of one layer
  };

  Work work;
  std::size_t count = 1;      // parts
  std::size_t part_size = 1;  // parts that a thread takes at a time
  std::size_t index = 0;      // the colour or layer
  SweepDirection direction = SweepDirection::kUp;
};

/// The phases that run now.
struct PhaseList {
  std::vector<Phase> phases;
  std::vector<StageSize> sizes;

  void clear() {
    phases.clear();
    sizes.clear();
  }
  void add(const Phase& phase) {
    phases.push_back(phase);
    sizes.push_back({phase.count, phase.part_size});
  }
};

}  // namespace achilles
