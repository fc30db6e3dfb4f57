// Shapes as triangles, to be drawn: for glTF and for pictures.
#pragma once

#include <achilles/shape.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace achilles {

/// Triangles are wound counter-clockwise seen from outside; a vertex has one normal, so that an edge has its own
/// copies.
struct TriangleMesh {
  std::vector<std::array<float, 3>> positions;  // [m] in the frame of the shape
  std::vector<std::array<float, 3>> normals;    // unit
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Round shapes have `segments` sides. A plane becomes a square of half edge `plane_reach` [m] around the foot of its
/// normal. What has no surface (a hull of points on a line, a mesh without triangles) becomes an empty mesh.
[[nodiscard]] TriangleMesh triangulate(const Shape& shape, int segments, double plane_reach);

}  // namespace achilles
