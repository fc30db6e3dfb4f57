// The stages of methods that treat impacts at one frozen instant: rows of what touches, the impact law, the records.
#pragma once

#include "impact/impact_law.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

/// Which approaches count.
struct TouchOptions {
  double approach = 1e-8;  // [m/s] a contact approaches when it closes faster than this
  double rest_speed = 0;   // [m/s] slower approaches do not bounce
};

/// Rows of every point of scratch.contacts at the present pose (normal, and two tangents with friction), the row of
/// each point, and the restitution of each row. A contact that does not approach keeps its restitution: an impact may
/// reach it through its neighbours. Returns the energy that those which are too slow to bounce give up by that, at
/// most: Σ ½ (e v)² over the row's effective mass [J].
double build_touch_rows(const World& world, const TouchOptions& options, StepWorkspace& scratch);

/// The same in parts: no rows yet; then those of one contact after the other, in any order, with other rows in between.
/// `island_start` is the index of the row that normal_row counts from.
void begin_touch_rows(StepWorkspace& scratch);
double append_touch_contact(const World& world, const TouchOptions& options, const Contact& contact,
                            std::size_t island_start, StepWorkspace& scratch);

/// Speed at which a normal row closes; its target holds the velocity of what cannot be moved.
[[nodiscard]] inline double approach_of(const Row& row, std::span<const BodyVelocity> u) {
  return row.target - row_velocity(row, u);
}

/// Does any point approach? With `bouncing`, only those that would bounce.
[[nodiscard]] bool has_approach(const World& world, const TouchOptions& options, bool bouncing,
                                const StepWorkspace& scratch);

/// Treats the impact of all rows by a law; counts it, and stops the run when the law does not end.
void resolve_touch_impact(World& world, const ImpactLaw& law, StepWorkspace& scratch, StepReport& report);

/// The impulses of the rows as records of their points.
void record_touch_impulses(StepWorkspace& scratch);

}  // namespace achilles
