// Scratch of impulse-based stepping.
#pragma once

#include "collision/continuous/detect_times.hpp"
#include "impact/impact_workspace.hpp"

#include <achilles/math.hpp>

#include <cstdint>
#include <vector>

namespace achilles {

struct ImpulseWorkspace {
  ContinuousWorkspace continuous;
  std::vector<MovingCollider> moving;  // per collider
  ContactTimeSet times;
  ContactSet touching, active;  // of the pose before a step is tried; of the instant whose impact is resolved
  ImpactWorkspace impact;
  std::vector<Vec3> acceleration;     // per body [m/s²]
  std::vector<Vec3> flight_spin;      // per body [rad/s] that turns it until the next event
  std::vector<std::uint8_t> carried;  // per body: has its forces up to the end of the step, moves at constant velocity
  std::vector<double> restitution;    // per row
  std::vector<Vec3> position;         // per body, before a step is tried
  std::vector<Quat> orientation;
};

}  // namespace achilles
