// Interpenetration between two instants of a run, found independently of the method that made them.
#pragma once

#include <achilles/world.hpp>

#include <vector>

namespace achilles::reproduce {

/// Where the bodies were at an instant.
struct Places {
  double time = 0;  // [s]
  std::vector<Vec3> position;
  std::vector<Quat> orientation;
  std::vector<BodyVelocity> velocity;

  void take(const World& world);
};

/// How many pairs of bodies come deeper than `depth` [m] somewhere between an instant and the present state of the
/// world, when each body moves from the one to the other with constant velocity and spin. Conservative advancement: no
/// pair is missed between samples; one that comes within a tenth of the depth may be counted.
///
/// With `bends`, for bodies that collide several times in a step, the path need not be straight: with velocities that
/// change by Δv over the step h it stays within |Δv| h/4 of the straight one, which counts in its favour.
[[nodiscard]] int count_violations_between(const Places& before, const World& world, double depth, bool bends = false);

}  // namespace achilles::reproduce
