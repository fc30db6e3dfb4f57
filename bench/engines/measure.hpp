// What a scene looks like after a run, measured from the poses by our own geometry for every engine alike.
#pragma once

#include "engines/engine.hpp"

namespace achilles::bench {

struct Measured {
  double mean_depth = 0;  // [m] over the pairs of bodies that overlap
  double max_depth = 0;   // [m]
  double drift = 0;       // [m] farthest that a body came from its start
  double height = 0;      // [m] mean of the movable bodies
  double energy = 0;      // [J/kg] mean kinetic energy by mass of the movable bodies, from two poses a step apart
  bool finite = true;
};

/// Makes one more step to see how fast bodies move.
[[nodiscard]] Measured measure(const Scene& scene, Engine& engine);

}  // namespace achilles::bench
