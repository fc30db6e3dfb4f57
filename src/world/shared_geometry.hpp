// Bodies of one shape share what collision detection prepares of it.
#pragma once

#include "geometry/geometry.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// The geometry of body number `body`, which is about to get its pieces: that of the body before when both have the
/// same hull, mesh, height field or distance map, else a new one. Throws what make_geometry throws.
[[nodiscard]] std::vector<GeometryPiece> make_or_share_geometry(const World& world, std::size_t body,
                                                                const Shape& shape);

}  // namespace achilles
