// Solids for the tests of queries.
#pragma once

#include "geometry/geometry.hpp"
#include "support/draw.hpp"

namespace achilles::queries_test {

inline std::shared_ptr<const Geometry> make_solid(const Shape& shape) { return make_geometry(shape).front().geometry; }

using testing::Draw;

/// Of all bounded convex kinds, from a quarter of a metre to two and a half.
inline Shape draw_shape(Draw& draw) { return draw.shape(0.25, 2.5); }

/// The box with these full edges as twelve triangles.
inline Mesh make_box_mesh(const Vec3& size) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back((i & 1 ? 0.5 : -0.5) * size.x(), (i & 2 ? 0.5 : -0.5) * size.y(),
                               (i & 4 ? 0.5 : -0.5) * size.z());
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// z = slope.x x + slope.y y over a grid of unit cells, centred.
inline Heightfield make_slope(const Vec2& slope, int rows, int columns) {
  Heightfield field;
  field.rows = rows;
  field.columns = columns;
  field.cell = {1, 1};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      field.heights.push_back(slope.x() * (j - 0.5 * (columns - 1)) + slope.y() * (i - 0.5 * (rows - 1)));
    }
  }
  return field;
}

}  // namespace achilles::queries_test
