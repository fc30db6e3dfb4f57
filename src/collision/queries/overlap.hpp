// Whether two placed geometries have a point in common.
#pragma once

#include "geometry/geometry.hpp"

namespace achilles {

/// `solid` must be bounded and convex. A closed mesh (that of a distance map too) and a height field are solid: what
/// lies in them entirely (by its middle) overlaps them. An open mesh has no inside: only what crosses its triangles
/// does.
[[nodiscard]] bool do_overlap(const Geometry& geometry, const Transform& X_WG, const Geometry& solid,
                              const Transform& X_WS);

}  // namespace achilles
