// Height fields prepared for collision: the surface z(x, y) over a grid, solid below, two triangles to a cell.
#pragma once

#include "geometry/mesh_geometry.hpp"

namespace achilles {

/// Vertex (row i, column j) stands at x = (j - (columns - 1)/2) cell.x, y = (i - (rows - 1)/2) cell.y. The cell between
/// (i, j) and (i+1, j+1) is cut along that diagonal: triangle 2 c lies on its right, 2 c + 1 on its left, where
/// c = i (columns - 1) + j. Nothing but heights and a tree over tiles of 8 × 8 cells is stored.
struct HeightfieldGeometry {
  static constexpr int kTile = 8;  // cells
  std::vector<double> heights;     // [m]
  int rows = 0;
  int columns = 0;
  Vec2 cell = Vec2::Zero();  // [m]
  Bvh tree;                  // over tiles; tile number = tile row * tile columns + tile column

  [[nodiscard]] Vec3 vertex(int i, int j) const {
    return {(j - 0.5 * (columns - 1)) * cell.x(), (i - 0.5 * (rows - 1)) * cell.y(),
            heights[static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j)]};
  }
  [[nodiscard]] int tile_columns() const { return (columns - 2) / kTile + 1; }
  [[nodiscard]] int tile_rows() const { return (rows - 2) / kTile + 1; }
  [[nodiscard]] std::uint32_t triangle_count() const {
    return 2U * static_cast<std::uint32_t>(rows - 1) * static_cast<std::uint32_t>(columns - 1);
  }
  [[nodiscard]] SurfaceTriangle triangle(std::uint32_t id) const;
};

/// Throws std::invalid_argument when there are fewer than 2 × 2 heights, their number does not fit rows and columns,
/// one is not finite or a cell has no size.
[[nodiscard]] HeightfieldGeometry make_heightfield_geometry(const Heightfield& field);

/// Calls visit(const SurfaceTriangle&) for each triangle whose own box overlaps `box` [m].
template <typename Visit>
void visit_triangles(const HeightfieldGeometry& field, const Aabb& box, Visit&& visit);

/// Height of the surface [m] over (x, y), or nothing beside the grid.
[[nodiscard]] std::optional<double> compute_height(const HeightfieldGeometry& field, double x, double y);

[[nodiscard]] SurfacePoint find_closest_point(const HeightfieldGeometry& field, const Vec3& x,
                                              double limit = std::numeric_limits<double>::infinity());

[[nodiscard]] std::optional<RayHit> cast_ray(const HeightfieldGeometry& field, const Ray& ray,
                                             double limit = std::numeric_limits<double>::infinity());

/// The triangle beyond edge k, kNoTriangle at the rim.
[[nodiscard]] std::uint32_t triangle_across(const HeightfieldGeometry& field, std::uint32_t triangle, std::uint32_t k);

[[nodiscard]] MeshEdgeKind compute_edge_kind(const HeightfieldGeometry& field, std::uint32_t triangle, std::uint32_t k);

/// As for a mesh.
[[nodiscard]] bool is_possible_normal(const HeightfieldGeometry& field, std::uint32_t triangle, TriangleFeature feature,
                                      const Vec3& n_out, double tolerance = kFlatAngle);

/// Cells [first_row, last_row) × [first_column, last_column).
struct CellRange {
  int first_row, last_row, first_column, last_column;
};
[[nodiscard]] CellRange tile_cells(const HeightfieldGeometry& field, std::uint32_t tile);
/// Cells whose x and y overlap the box.
[[nodiscard]] CellRange overlapping_cells(const HeightfieldGeometry& field, const Aabb& box);

template <typename Visit>
void visit_triangles(const HeightfieldGeometry& field, const Aabb& box, Visit&& visit) {
  const CellRange near = overlapping_cells(field, box);
  visit_overlaps(field.tree, box, [&](std::uint32_t tile) {
    const CellRange cells = tile_cells(field, tile);
    for (int i = std::max(cells.first_row, near.first_row); i < std::min(cells.last_row, near.last_row); ++i) {
      for (int j = std::max(cells.first_column, near.first_column); j < std::min(cells.last_column, near.last_column);
           ++j) {
        const auto id = 2U * (static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(field.columns - 1) +
                              static_cast<std::uint32_t>(j));
        for (const std::uint32_t half : {id, id + 1}) {
          const SurfaceTriangle triangle = field.triangle(half);
          const auto& [a, b, c] = triangle.corners;
          const bool overlaps = (a.cwiseMin(b).cwiseMin(c).array() <= box.upper.array()).all() &&
                                (a.cwiseMax(b).cwiseMax(c).array() >= box.lower.array()).all();
          if (overlaps) visit(triangle);
        }
      }
    }
  });
}

}  // namespace achilles
