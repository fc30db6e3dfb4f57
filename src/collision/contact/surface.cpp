#include "collision/contact/surface.hpp"

namespace achilles {

// The sum of the normals on both sides of an edge has a positive product with every outward direction there; at a
// vertex the triangle whose plane the point is furthest from decides.
bool is_inside(const MeshGeometry& mesh, const Vec3& x, const SurfacePoint& nearest) {
  if (nearest.triangle == kNoTriangle) return false;
  const Vec3 away = x - nearest.point;
  Vec3 normal = mesh.normals[nearest.triangle];
  if (is_edge(nearest.feature)) {
    const std::uint32_t other = mesh.across[nearest.triangle][feature_number(nearest.feature)];
    if (other != kNoTriangle) normal += mesh.normals[other];
  } else if (is_vertex(nearest.feature)) {
    const std::uint32_t v = mesh.triangles[nearest.triangle][feature_number(nearest.feature)];
    // Walk around the vertex across the edges that start there, as far as the surface goes.
    double furthest = 0;
    std::uint32_t t = nearest.triangle;
    for (int turn = 0; turn < 64 && t != kNoTriangle; ++turn) {
      const double height = away.dot(mesh.normals[t]);
      if (std::abs(height) > std::abs(furthest)) furthest = height;
      const auto& corners = mesh.triangles[t];
      const std::size_t k = corners[0] == v ? 0 : (corners[1] == v ? 1 : 2);
      t = mesh.across[t][k];
      if (t == nearest.triangle) break;
    }
    return furthest < 0;
  }
  return away.dot(normal) < 0;
}

bool is_inside(const HeightfieldGeometry& field, const Vec3& x, const SurfacePoint&) {
  const std::optional<double> height = compute_height(field, x.x(), x.y());
  return height && x.z() < *height;
}

}  // namespace achilles
