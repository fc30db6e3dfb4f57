// What the benchmark asks of a collision engine.
#pragma once

#include "collision/workload.hpp"

#include <memory>
#include <string>

namespace achilles::bench {

/// One engine with one workload loaded. Loading is not timed.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Finds the contacts of every pair, or of every frame of the pile; returns how many contact points there were.
  virtual std::size_t run() = 0;
};

using MakePairEngine = std::unique_ptr<Engine>(const PairWorkload&);
using MakePileEngine = std::unique_ptr<Engine>(const PileWorkload&);

MakePairEngine make_achilles_pairs;
MakePileEngine make_achilles_pile;
MakePairEngine make_bullet_pairs;
MakePileEngine make_bullet_pile;
MakePairEngine make_ode_pairs;
MakePileEngine make_ode_pile;

}  // namespace achilles::bench
