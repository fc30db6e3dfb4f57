// `impulse-conservative`: impulse-based simulation, [Mirtich95].
//
// Bodies fly ballistically from collision to collision. Per frame, swept boxes decide which pairs can meet at all; for
// each of these a lower bound of its time of impact stands in a heap. The earliest is looked at: either the pair
// collides there, or its distance gives a later bound. What rests, rolls or slides does so by microcollisions.
#pragma once

#include "methods/impulse_conservative/conservative_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct ConservativeOptions {
  ImpactLaw impact = MirtichLaw{};
  double tolerance = 1e-4;  // [m] how far apart surfaces collide, and how deep microcollisions may go
  double micro_speed = 0;  // [m/s] slower approaches are microcollisions; 0: √(4 g tolerance), the fall from ε to −ε
  bool static_friction = true;  // microcollisions are reversed whole where the friction cone allows
  int max_events = 1000000;     // in one step
};

/// One frame of length h.
///
/// With ε nine tenths of the tolerance: what several contacts force below the band of one stays within the tolerance.
/// A pair collides when its gap comes down to ε, at speed; one that is nearer than that already has
/// bounced, or rests, and collides again at −ε. A body that rests so bounces within (−ε, ε), for which it needs no
/// energy that was not its own, and how often it does so in a second has a bound. Only a contact that lies on the
/// bottom of that band without any speed is given one, 0.2 √(2 g ε), by which it rises less than ε/20; the energy so
/// added is in the report.
///
/// Stops with `zeno-point` when a frame takes more than max_events.
[[nodiscard]] StepReport advance_conservative(World& world, const ConservativeOptions& options,
                                              ConservativeScratch& scratch, double h);

}  // namespace achilles
