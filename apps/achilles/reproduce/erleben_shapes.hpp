// Meshes that stand for those of Erleben's experiments.
#pragma once

#include "geometry/distance_map_geometry.hpp"

#include <achilles/shape.hpp>

namespace achilles::reproduce {

/// A unit cube with each side cut into n × n squares of two triangles.
[[nodiscard]] Mesh make_box_mesh(int n);

/// A ring about z: m corners around, n across.
[[nodiscard]] Mesh make_ring_mesh(double large, double small, int m, int n);

/// A ball with poles on z: m corners around, n bands from pole to pole.
[[nodiscard]] Mesh make_ball_mesh(double radius, int m, int n);

}  // namespace achilles::reproduce
