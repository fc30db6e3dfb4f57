// Signed distance between convex shapes and surfaces of triangles.
#pragma once

#include "collision/contact/collide.hpp"

namespace achilles {

/// `b` must be a mesh or a height field, `a` bounded and convex. Apart, the least distance over all triangles.
/// Overlapping, a translation that separates the two need not exist or be unique: the depth is that of the deepest
/// contact point. `scratch` is overwritten.
[[nodiscard]] SignedDistance compute_surface_distance(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                                      const Transform& X_WB, std::vector<ContactPoint>& scratch);

}  // namespace achilles
