#include "live/drag.hpp"

#include <algorithm>
#include <numbers>

namespace achilles::live {

void pull(World& world, const Grab& grab, double h) {
  if (!world.is_alive(grab.body)) return;
  const std::uint32_t k = world.index_of(grab.body);
  const BodyArrays& bodies = world.bodies;
  const Vec3 arm = bodies.orientation[k] * grab.point_C;
  const Vec3 point = bodies.position[k] + arm;
  const Vec3 off = grab.target - point;
  // An explicit force is stable while it changes velocities by less than themselves within a step.
  const double rate = std::min(6 * std::numbers::pi, 0.3 / h);  // [1/s]
  const double mass = bodies.mass[k];
  if (!grab.first_order) {
    const BodyVelocity& u = bodies.velocity[k];
    const Vec3 speed = u.linear + u.angular.cross(arm);
    // Far from the centre a point is lighter than the body: what it feels there is at most half as much damping.
    const Mat3 R = bodies.orientation[k].toRotationMatrix();
    const Mat3 inverse = R * bodies.inverse_inertia_B[k] * R.transpose();
    const Vec3 direction = off.norm() > 0 ? Vec3(off.normalized()) : Vec3::UnitZ();
    const Vec3 lever = arm.cross(direction);
    const double effective = 1 / (1 / mass + lever.dot(inverse * lever));
    const Vec3 force = effective * (rate * rate * off - 2 * rate * speed) - mass * world.gravity;
    world.apply_force(grab.body, force, point);
    return;
  }
  const Vec3 force = mass * rate * off;
  const Mat3 R = bodies.orientation[k].toRotationMatrix();
  world.set_velocity(grab.body, {force / mass, R * bodies.inverse_inertia_B[k] * R.transpose() * arm.cross(force)});
}

}  // namespace achilles::live
