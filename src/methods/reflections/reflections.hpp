// `reflections`: symplectic free motion, then the impact of all contacts found, resolved at one frozen instant,
// [Vouga17, secs. 2 and 8].
#pragma once

#include "impact/impact_law.hpp"
#include "methods/reflections/workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct ReflectionsOptions {
  ImpactLaw impact = GeneralizedReflectionsLaw{};
  double rest_speed = 0;    // [m/s] slower approaches do not bounce; at least twice what gravity adds in a step
  double tolerance = 1e-9;  // [m] a predicted gap of at most this is a contact
};

/// One step of length h. Contacts are the points where s touches or free motion over h would penetrate; rows, inertia
/// and velocities are those of s. An impact acts on u there. Then the bodies fly on from the velocities after it: the
/// parabola, and the rotation that keeps energy and angular momentum. Joints and contacts that the forces of the step
/// press together bear them without bounce (flight.hpp). An elastic impact so happens at most one step early instead of
/// inside the other body, and keeps energy to rounding also under gravity, since forces do their work along the way
/// taken after it. The paper leaves the step around its operators open; [Smith12] resolves impacts on u + h M⁻¹ f,
/// which gives a bouncing ball 2 m g h v with every bounce.
[[nodiscard]] StepReport advance_reflections(World& world, const ReflectionsOptions& options,
                                             ReflectionsScratch& scratch, double h);

}  // namespace achilles
