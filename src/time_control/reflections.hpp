// `reflections`: symplectic free motion, then the impact of all contacts found, resolved at one frozen instant,
// [Vouga17, secs. 2 and 8].
#pragma once

#include "impact/impact_law.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct ReflectionsOptions {
  ImpactLaw impact = GeneralizedReflectionsLaw{};
  double rest_speed = 0;    // [m/s] slower approaches do not bounce; at least twice what gravity adds in a step
  double tolerance = 1e-9;  // [m] a predicted gap of at most this is a contact
};

/// One step of length h: u* = u + h M⁻¹ f, contacts where s touches or s + h u* penetrates, their impact on u*, and
/// s⁺ = s + h u⁺. Contacts are also looked for where the bodies would be, and the bodies then go where the velocity
/// after the impact takes them, so that an elastic impact happens at most one step early instead of inside the other
/// body. Energy is kept by
/// an elastic impact to rounding. The paper leaves the step around its operators open; this is the one of [Smith12].
[[nodiscard]] StepReport advance_reflections(World& world, const ReflectionsOptions& options, StepWorkspace& scratch,
                                             double h);

}  // namespace achilles
