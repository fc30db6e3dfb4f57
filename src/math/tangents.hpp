// A frame about a direction.
#pragma once

#include <achilles/math.hpp>

#include <cmath>
#include <utility>

namespace achilles {

/// Two unit vectors that complete the unit vector n to a right-handed frame n, t1, t2.
[[nodiscard]] inline std::pair<Vec3, Vec3> make_tangents(const Vec3& n) {
  const Vec3 seed = std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t1 = n.cross(seed).normalized();
  return {t1, n.cross(t1)};
}

}  // namespace achilles
