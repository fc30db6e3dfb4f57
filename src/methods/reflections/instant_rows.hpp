// The rows of one step: contacts and joints of each island, as the flight and as the impact see them.
#pragma once

#include "methods/reflections/workspace.hpp"
#include "stepping/touch_stage.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Rows of scratch.contacts and of the joints, island after island, contacts first; normal_row counts from the first
/// row of the island. The velocities of the World are those before the impact, by which contacts that approach slowly
/// lose their restitution; scratch.reflections.free those after the forces, by which limits far away are left out.
void build_instant_rows(World& world, const TouchOptions& touch, double h, ReflectionsScratch& scratch);

/// The same rows at a frozen instant, in scratch.reflections.impact_rows: normal_row counts from the first of all rows;
/// joints are equalities and limits that are reached unilateral, while springs, motors of bounded strength and joint
/// friction, whose impulse over an instant is nil, are left out.
void list_impact_rows(const World& world, double tolerance, ReflectionsScratch& scratch);

}  // namespace achilles
