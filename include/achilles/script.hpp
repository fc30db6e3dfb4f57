// The motion that a script prescribes for its body at any time, [Erleben04, ch. 3].
#pragma once

#include <achilles/scene.hpp>

namespace achilles {

struct WorldScript;

/// Motion of a scripted body's frame at one time, world axes.
struct ScriptMotion {
  Pose pose;
  Vec3 velocity = Vec3::Zero();              // [m/s] of the frame's origin
  Vec3 acceleration = Vec3::Zero();          // [m/s²]
  Vec3 spin = Vec3::Zero();                  // [rad/s]
  Vec3 angular_acceleration = Vec3::Zero();  // [rad/s²]
};

/// Where a script of World::scripts has its body at time t [s], and the exact derivatives of that. Within a step
/// methods move the body at the constant velocity that takes it from one such place to the next.
[[nodiscard]] ScriptMotion evaluate_script(const WorldScript& script, double t);

}  // namespace achilles
