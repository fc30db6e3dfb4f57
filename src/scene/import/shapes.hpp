// Shapes of robot files: as the scene writes them, and what they weigh.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"

#include <vector>

namespace achilles::scene_file {

/// The scene's shape, in its own frame: what is collided with where `collides`, otherwise what is seen.
[[nodiscard]] Node write_shape(ImportContext& context, const ModelShape& shape, bool collides);

/// Mass, centre and inertia of a solid of that density [kg/m³], in the link's frame; zero for what has no volume. A
/// mesh that is open or inside out counts as its convex hull.
[[nodiscard]] MassProperties weigh(ImportContext& context, const ModelShape& shape, double density);

/// The lowest point of the shapes of all links [m], world; nothing where there is none.
[[nodiscard]] std::optional<double> find_lowest_point(ImportContext& context, const Model& model);

/// Points on an ellipsoid, whose hull stands for it: those of a sphere of 162 points, scaled so that the hull has the
/// ellipsoid's volume.
[[nodiscard]] std::vector<Vec3> make_ellipsoid_points(const Vec3& half_axes);

}  // namespace achilles::scene_file
