// Moving geometries for the tests of continuous collision detection.
#pragma once

#include "collision/continuous/time_of_contact.hpp"
#include "support/draw.hpp"
#include "support/full_size.hpp"

namespace achilles::continuous_test {

inline std::shared_ptr<const Geometry> make_solid(const Shape& shape) { return make_geometry(shape).front().geometry; }

/// At rest at `position`, unturned, its centre of mass at its origin.
inline BallisticMotion make_motion(const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                                   const Vec3& spin = Vec3::Zero()) {
  BallisticMotion motion;
  motion.X_WG.p = position;
  motion.center = position;
  motion.velocity = velocity;
  motion.spin = spin;
  return motion;
}

/// Full size when asked for by the environment, a sample of it otherwise.
inline int choose_count(int full, int sample) { return is_full() ? full : sample; }

using testing::Draw;

/// Of all convex kinds, from a twentieth of a metre to one.
inline Shape draw_shape(Draw& draw) { return draw.shape(0.05, 1); }

}  // namespace achilles::continuous_test
