// One part of an impact, for any law: what the files of law/ and propagation/ are put together to. Internal; from
// outside it is instant.hpp (bodies and contacts) or impact_law.hpp (rows).
#pragma once

#include "impact/impact_law.hpp"
#include "impact/impact_workspace.hpp"

namespace achilles {

// Each resolves `scratch.part`, whose joints are equality constraints already. In: `scratch.start`, the velocity
// before, seen from a frame in which scripted motion stands still. Out: `scratch.x`, the velocity after, and
// `scratch.impulses`, one per column but for what equality constraints do.

ImpactStatus resolve_propagation(ElasticTask task, ImpactWorkspace& scratch, ImpactReport& report);

/// `scratch.targets`, if not empty, are the contacts' own velocities that no common frame brings to rest.
ImpactStatus resolve_inelastic(const InelasticLaw& law, ImpactWorkspace& scratch, ImpactReport& report);

/// Splits the displacement along equality constraints, which the operators do not see, into `scratch.extra`: impulses
/// of the contacts (not negative) and joints that make it up. Returns what could not be explained, in ‖·‖_M.
double distribute_equalities(ImpactWorkspace& scratch);

}  // namespace achilles
