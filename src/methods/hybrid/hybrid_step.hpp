// `hybrid`: per island, from its contact state, an impulse-based or a constraint method, [Erleben04, secs. 2.4.5, 5.7];
// what [Mirtich95, sec. 5.2] requires, so that hinges and stacks need no microcollisions.
#pragma once

#include "methods/hybrid/hybrid_workspace.hpp"
#include "methods/impulse_conservative/conservative_step.hpp"
#include "methods/lcp_fixed/lcp_fixed.hpp"

namespace achilles {

struct HybridOptions {
  LcpFixedOptions constraint;
  ConservativeOptions impulse;
  double tolerance = 1e-4;   // [m] how deep anything may come
  double rest_speed = 0.05;  // [m/s] contacts that close or open more slowly rest; at least what gravity adds in a step
  int halvings = 6;          // of the step where the constraint method would come deeper
};

/// One step of length h.
///
/// Bodies that can meet within the step, as far as their speeds let them come, make an island. An island with a joint
/// or with a contact that rests goes to the stages of `lcp-fixed`; all others go to `impulse-conservative`. The islands
/// do not meet within the step, so each is advanced alone. Where the constraint method comes deeper than the tolerance
/// on the way (its rows see a rotation as straight), that part of the step is taken back and halved.
[[nodiscard]] StepReport advance_hybrid(World& world, const HybridOptions& options, HybridScratch& scratch, double h);

}  // namespace achilles
