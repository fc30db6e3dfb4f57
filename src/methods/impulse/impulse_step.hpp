// Impulse-based stepping: free motion from impact to impact, [Drumwright10].
//
// `impulse-naive` is algorithm 1: whenever anything touches, back up to that time and treat it. It stands still where a
// contact rests, recognizes that and stops. `impulse-zeno-free` is algorithms 2 to 4: of all times of contact over the
// interval, those at which nothing approaches are skipped, so that resting contact costs no infinite loop. `lcp-event`,
// [Erleben04, figs. 4.23-4.24], and `anitescu-potra`, [Drumwright10, sec. IV], stop at the same impacts and treat them
// by compression and decompression problems; contacts that rest are implicit in the step. Times of impact come from
// continuous detection in place of the bisection of fig. 4.24.
#pragma once

#include "impact/impact_law.hpp"
#include "methods/impulse/impulse_workspace.hpp"
#include "solver/solver.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <optional>

namespace achilles {

struct ImpulseOptions {
  bool skip_resting = true;  // false: impulse-naive
  ImpactLaw impact = GuendelmanLaw{};
  bool ballistic = true;     // free bodies fly exact parabolas; false: Euler, as in the paper
  double tolerance = 1e-7;   // [m] surfaces this near touch; also how deep they may come
  double rest_speed = 1e-3;  // [m/s] slower approaches do not bounce: where infinitely many bounces would pile up
  double approach = 1e-8;    // [m/s] a contact approaches when it closes faster than this
  int max_events = 10000;    // impacts in one step before it counts as a Zeno point
  int iterations = 200;      // sweeps at most for the contacts that rest
  /// Bodies that an event does not reach go on without it; false: all of them stop there, as in the paper.
  bool independent = true;
  /// Impacts by two complementarity problems in place of the law, and resting contacts by the same solver: `lcp-event`
  /// and `anitescu-potra`.
  std::optional<SolverOptions> lcp;
};

/// One step of length h.
///
/// Forces enter as algorithm 3 has it: they are applied anew to treated bodies. A body with a contact that rests gets
/// the impulse of its forces over the rest of the step at once, the contacts carry what of it points into them, and it
/// moves at constant velocity from there; a body without moves on its parabola. So a resting body has no acceleration
/// that would start another impact within the step.
///
/// Restitution of contacts slower than `rest_speed`, or too slow to rise above the tolerance, is zero: a bouncing body
/// makes infinitely many bounces in finite time, and this is how the step gets past that. It takes away at most
/// ½ m max(rest_speed², 2 g tolerance) per contact.
///
/// With `independent`, bodies have clocks of their own within the step, [Erleben04, sec. 5.5]: an event concerns the
/// bodies that touch each other there, all others fly on and meet them at the end of the step. What an island does then
/// depends on the island alone, to the last bit.
///
/// Stops with `zeno-point` when time does not advance, with `impact-does-not-end` when an impact law does not end.
[[nodiscard]] StepReport advance_impulse(World& world, const ImpulseOptions& options, ImpulseScratch& scratch,
                                         double h);

}  // namespace achilles
