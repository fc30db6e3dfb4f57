// A body that is pulled by a point of it.
#pragma once

#include <achilles/world.hpp>

namespace achilles::live {

struct Grab {
  BodyHandle body;
  Vec3 point_C = Vec3::Zero();  // [m] from the centre of mass, body axes
  Vec3 target = Vec3::Zero();   // [m] where the point shall go
  bool first_order = false;
};

/// Acts for the step of length h [s] that comes next. A spring, critically damped, as stiff as makes three oscillations
/// a second; or positioning in Aristotle's world, where a force makes a velocity, [Erleben04, sec. 4.16].
void pull(World& world, const Grab& grab, double h);

}  // namespace achilles::live
