// Whether a shape can be the body it is meant to be: volume, mass, inertia.
#pragma once

#include "scene/build/build.hpp"

#include "geometry/geometry.hpp"

#include <optional>
#include <vector>

namespace achilles::scene_file {

/// The inertia a body gives; complains when it is not symmetric or not positive definite, warns when no solid has it.
[[nodiscard]] std::optional<Mat3> read_inertia(Build& build, const Node& node, const std::string& field);

/// The shape prepared for collision; complains, and returns nothing, when it cannot collide.
[[nodiscard]] std::vector<GeometryPiece> check_shape_use(Build& build, const Node& shape, const Shape& made,
                                                         const std::string& field);

/// The mass of a dynamic body [kg], 0 for others; complains when it has neither mass and inertia of its own nor a shape
/// that gives them.
double check_mass(Build& build, const Node& shape, const BodyDescription& body, const std::string& field);

inline constexpr double kStandardDensity = 1000;  // [kg/m³] where a body gives neither mass nor density

/// Memory the shape takes beyond the description itself.
[[nodiscard]] std::size_t count_bytes(const Shape& shape);

}  // namespace achilles::scene_file
