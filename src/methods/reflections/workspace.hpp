// Scratch of `reflections`.
#pragma once

#include "stepping/pose_snapshot.hpp"
#include "stepping/step_workspace.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

/// One body's way through the step after the impact.
struct BodyFlight {
  BodyVelocity after;                  // after the impact
  Vec3 acceleration = Vec3::Zero();    // [m/s²] by forces
  Vec3 free_mean_spin = Vec3::Zero();  // [rad/s] that turns the body over the step if nothing bears
  Vec3 free_end_spin = Vec3::Zero();   // [rad/s] that it ends with
  BodyVelocity drift;                  // that moves the body over the step
  BodyVelocity end;                    // after the step
};

struct ReflectionsWorkspace {
  PoseSnapshot start;
  ContactSet predicted;                 // where free motion leads
  ContactSet active;                    // of the instant
  std::vector<BodyVelocity> free;       // per body: u*, after the forces of the step
  std::vector<Vec3> force, torque;      // per body, applied for this step [N], [N m]
  std::vector<BodyFlight> flight;       // per body
  std::vector<Row> impact_rows;         // as the impact sees them
  std::vector<double> of_impact;        // per row: impulses before the forces act
  std::vector<double> flight_impulses;  // per row: first guess of the flight's, while the impact is resolved
  std::vector<std::uint32_t> bodies;    // movable ones of an island, each once
  std::vector<std::uint8_t> listed;     // per body
};

struct ReflectionsScratch : StepWorkspace {
  ReflectionsWorkspace reflections;
};

}  // namespace achilles
