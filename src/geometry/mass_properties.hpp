// Mass, centre of mass and inertia of solids.
#pragma once

#include <achilles/shape.hpp>

#include <span>

namespace achilles {

/// Mass properties of a shape of uniform density [kg/m³], in the shape's frame. Closed forms where there is one, exact
/// polyhedral integrals for hulls and closed meshes; parts of a compound add up, overlaps counted twice.
/// Throws std::invalid_argument for a shape without volume (plane, heightfield, open mesh).
[[nodiscard]] MassProperties compute_mass_properties(const Shape& shape, double density);

/// Of the solid bounded by triangles wound counter-clockwise from outside: the exact integral of the polynomials
/// 1, x, x² over signed tetrahedra.
[[nodiscard]] MassProperties compute_polyhedron_mass_properties(std::span<const Vec3> vertices,
                                                                std::span<const std::array<int, 3>> triangles,
                                                                double density);

/// Properties of several solids taken as one, about their common centre.
[[nodiscard]] MassProperties combine(std::span<const MassProperties> parts);

/// The same solid moved to `pose`, seen from the outer frame.
[[nodiscard]] MassProperties transformed(const MassProperties& properties, const Pose& pose);

/// Whether a solid with this inertia can exist: symmetric, positive definite, triangle inequality of the principal
/// moments.
[[nodiscard]] bool is_physical_inertia(const Mat3& inertia);

}  // namespace achilles
