// Poses of all bodies, kept while a step is tried.
#pragma once

#include "math/refill.hpp"

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

struct PoseSnapshot {
  std::vector<Vec3> position;  // per body
  std::vector<Quat> orientation;

  void take(const BodyArrays& bodies) {
    copy_to(bodies.position, position);
    copy_to(bodies.orientation, orientation);
  }
  void restore(BodyArrays& bodies) const {
    copy_to(position, bodies.position);
    copy_to(orientation, bodies.orientation);
  }
};

}  // namespace achilles
