// Separating axes remembered from step to step.
#pragma once

#include "geometry/geometry.hpp"

namespace achilles {

/// A direction along which two shapes were apart, in world axes, from a to b; zero when none is known. Bodies that
/// move little stay apart along it, which two support points prove: far less than finding out anew.
struct SeparatingAxis {
  Vec3 n_AB = Vec3::Zero();
};

/// Whether the pair is of a kind for which remembering pays: both bounded and convex, neither a sphere, not both boxes,
/// for which finding out anew costs as little.
[[nodiscard]] bool can_remember_axis(const Geometry& a, const Geometry& b);

/// Whether the shapes are further apart than `margin` along the axis. Then `collide` finds no contact.
[[nodiscard]] bool is_separated_along(const SeparatingAxis& axis, const Geometry& a, const Transform& X_WA,
                                      const Geometry& b, const Transform& X_WB, double margin);

/// An axis along which the shapes are further apart than `margin`, or none.
[[nodiscard]] SeparatingAxis find_separating_axis(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                                  const Transform& X_WB, double margin);

}  // namespace achilles
