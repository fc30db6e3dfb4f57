// Scratch of the fixed-step methods that try a step more than once.
#pragma once

#include "collision/collider.hpp"
#include "collision/contact/contact.hpp"

#include <achilles/math.hpp>

#include <vector>

namespace achilles {

struct FixedStepWorkspace {
  std::vector<Vec3> position;  // per body, before the step
  std::vector<Quat> orientation;
  std::vector<BodyVelocity> free;   // per body: u* = u + h M⁻¹ f_ext
  std::vector<BodyVelocity> guess;  // per body: the velocity that led to the pose the rows are written in
  ContactSet found;                 // at the end of a step that was tried
  ContactSet merged;
  std::vector<Collider> ahead;      // looking as far as the velocities of a solve reach
  std::vector<Vec3> force, torque;  // per body [N], [N m]
};

}  // namespace achilles
