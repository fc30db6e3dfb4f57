// Two-body laws on many contacts: one after the other, as if each collision were alone.     [Mirtich95], [Guendelman03]
//
// Sweeps the contacts in the order of their rows and collides those that approach; points of one face (same bodies,
// same normal) collide as one, at the resultant of the impulse that would just stop them all, so that two boxes that
// meet flat do not begin to rock. Below restitution 1 that need not end ([Vouga17, sec. 6.1]); whatever still
// approaches after the last sweep is brought to rest by one inelastic projection, which the report counts.
#pragma once

#include "impact/resolve.hpp"

namespace achilles {

/// An approach below this share of ‖q‖_M counts as none, unitless.
inline constexpr double kSequentialTolerance = 1e-9;

ImpactStatus resolve_sequential(const NewtonLaw& law, ImpactWorkspace& scratch, ImpactReport& report);
ImpactStatus resolve_sequential(const PoissonLaw& law, ImpactWorkspace& scratch, ImpactReport& report);
ImpactStatus resolve_sequential(const MirtichLaw& law, ImpactWorkspace& scratch, ImpactReport& report);
ImpactStatus resolve_sequential(const GuendelmanLaw& law, ImpactWorkspace& scratch, ImpactReport& report);

}  // namespace achilles
