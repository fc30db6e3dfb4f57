// Meshes and height fields behind one set of functions.
#pragma once

#include "geometry/heightfield_geometry.hpp"
#include "geometry/mesh_geometry.hpp"

namespace achilles {

[[nodiscard]] inline MeshEdgeKind edge_kind(const MeshGeometry& mesh, std::uint32_t triangle, std::uint32_t k) {
  return mesh.edge_kinds[triangle][k];
}
[[nodiscard]] inline MeshEdgeKind edge_kind(const HeightfieldGeometry& field, std::uint32_t triangle, std::uint32_t k) {
  return compute_edge_kind(field, triangle, k);
}

[[nodiscard]] inline std::uint32_t triangle_across(const MeshGeometry& mesh, std::uint32_t triangle, std::uint32_t k) {
  return mesh.across[triangle][k];
}

[[nodiscard]] inline Vec3 normal_across(const MeshGeometry& mesh, std::uint32_t triangle, std::uint32_t k) {
  return mesh.normals[mesh.across[triangle][k]];
}
[[nodiscard]] inline Vec3 normal_across(const HeightfieldGeometry& field, std::uint32_t triangle, std::uint32_t k) {
  return field.triangle(triangle_across(field, triangle, k)).normal;
}

/// Calls visit(const SurfaceTriangle&, squared_limit) near triangles first, skipping those that are at least
/// √squared_limit [m] away from x. The visitor lowers the limit.
template <typename Visit>
void visit_near_triangles(const MeshGeometry& mesh, const Vec3& x, double squared_limit, Visit&& visit) {
  visit_nearest(mesh.tree, x, squared_limit, [&](std::uint32_t id, double& limit) { visit(mesh.triangle(id), limit); });
}
template <typename Visit>
void visit_near_triangles(const HeightfieldGeometry& field, const Vec3& x, double squared_limit, Visit&& visit) {
  visit_nearest(field.tree, x, squared_limit, [&](std::uint32_t tile, double& limit) {
    const CellRange cells = tile_cells(field, tile);
    for (int i = cells.first_row; i < cells.last_row; ++i) {
      for (int j = cells.first_column; j < cells.last_column; ++j) {
        const auto cell = static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(field.columns - 1) +
                          static_cast<std::uint32_t>(j);
        visit(field.triangle(2 * cell), limit);
        visit(field.triangle(2 * cell + 1), limit);
      }
    }
  });
}

/// Whether x lies in the solid that the surface bounds. `nearest` is the surface's point nearest to x. An open mesh is
/// solid behind its triangles as far as they reach.
[[nodiscard]] bool is_inside(const MeshGeometry& mesh, const Vec3& x, const SurfacePoint& nearest);
[[nodiscard]] bool is_inside(const HeightfieldGeometry& field, const Vec3& x, const SurfacePoint& nearest);

}  // namespace achilles
