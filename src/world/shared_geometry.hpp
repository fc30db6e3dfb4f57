// Bodies of one shape share what collision detection prepares of it.
#pragma once

#include "geometry/geometry.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// The geometry of body number `body`, which is about to get its pieces: that of one of the last few bodies before it
/// where both have the same shape of one piece, else a new one. Throws what make_geometry throws.
[[nodiscard]] std::vector<GeometryPiece> make_or_share_geometry(const World& world, std::size_t body,
                                                                const Shape& shape);

}  // namespace achilles
