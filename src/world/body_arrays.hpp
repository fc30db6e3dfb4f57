// The arrays of a body, listed once: copying, saving and removing bodies go through this list.
#pragma once

#include "math/finite.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Calls visit(array...) with the same array of each of `bodies`, for all that a step takes as given.
template <class Visit, class... Bodies>
void visit_model(const Visit& visit, Bodies&... bodies) {
  visit(bodies.kind...);
  visit(bodies.locks...);
  visit(bodies.mass...);
  visit(bodies.inertia_B...);
  visit(bodies.inverse_inertia_B...);
  visit(bodies.center_B...);
  visit(bodies.rotation...);
  visit(bodies.rotation_axis_B...);
  visit(bodies.constant_force...);
  visit(bodies.constant_torque...);
  visit(bodies.filter...);
}

/// The same for all that a step changes.
template <class Visit, class... Bodies>
void visit_state(const Visit& visit, Bodies&... bodies) {
  visit(bodies.position...);
  visit(bodies.orientation...);
  visit(bodies.velocity...);
  visit(bodies.applied_force...);
  visit(bodies.applied_torque...);
  visit(bodies.asleep...);
}

/// Where a body is and how it moves.
[[nodiscard]] inline bool has_finite_state(const BodyArrays& bodies, std::size_t body) {
  return bodies.position[body].allFinite() && is_finite(bodies.orientation[body]) && is_finite(bodies.velocity[body]);
}

static_assert(sizeof(BodyArrays) == 17 * sizeof(std::vector<double>),
              "a new array belongs into one of the lists above");

}  // namespace achilles
