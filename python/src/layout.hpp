// Where the arrays of the state lie in memory.
#pragma once

#include <achilles/world.hpp>

#include <cstddef>

namespace achilles::python {

/// `width` numbers per body, `stride` bytes from body to body.
struct Layout {
  double* data = nullptr;  // null where there are no bodies
  std::size_t width = 0;
  std::size_t stride = 0;
};

using FindLayout = Layout (*)(BodyArrays&);

inline Layout find_position(BodyArrays& bodies) {
  return {bodies.position.empty() ? nullptr : bodies.position[0].data(), 3, sizeof(Vec3)};
}
inline Layout find_orientation(BodyArrays& bodies) {
  return {bodies.orientation.empty() ? nullptr : bodies.orientation[0].coeffs().data(), 4, sizeof(Quat)};
}
inline Layout find_velocity(BodyArrays& bodies) {
  return {bodies.velocity.empty() ? nullptr : bodies.velocity[0].linear.data(), 3, sizeof(BodyVelocity)};
}
inline Layout find_spin(BodyArrays& bodies) {
  return {bodies.velocity.empty() ? nullptr : bodies.velocity[0].angular.data(), 3, sizeof(BodyVelocity)};
}
inline Layout find_force(BodyArrays& bodies) {
  return {bodies.applied_force.empty() ? nullptr : bodies.applied_force[0].data(), 3, sizeof(Vec3)};
}
inline Layout find_torque(BodyArrays& bodies) {
  return {bodies.applied_torque.empty() ? nullptr : bodies.applied_torque[0].data(), 3, sizeof(Vec3)};
}

}  // namespace achilles::python
