// Triangle meshes prepared for collision: connected by position, with a bounding volume tree.
#pragma once

#include "geometry/geometry.hpp"
#include "geometry/mesh/bvh.hpp"
#include "geometry/mesh/triangle.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace achilles {

inline constexpr std::uint32_t kNoTriangle = std::numeric_limits<std::uint32_t>::max();

/// How two triangles meet, seen from outside. A border has no one triangle on its other side: the mesh ends there, or
/// several triangles or one wound the other way share the edge.
enum class MeshEdgeKind : std::uint8_t { kBorder, kConvex, kFlat, kConcave };

/// Edges bent by less than this are flat: well above what single-precision files do to coplanar triangles. [rad]
inline constexpr double kFlatAngle = 1e-5;

/// A triangle as collision detection reads it. `id` is its number in the mesh or height field.
struct SurfaceTriangle {
  std::array<Vec3, 3> corners;  // [m] counter-clockwise seen from outside
  Vec3 normal;                  // unit, outward; zero for a triangle without area
  std::uint32_t id;
};

struct MeshGeometry {
  std::vector<Vec3> vertices;                           // [m] no two at the same place
  std::vector<std::array<std::uint32_t, 3>> triangles;  // in the order of the input
  std::vector<Vec3> normals;                            // unit; zero for a triangle without area
  std::vector<std::array<std::uint32_t, 3>>
      across;  // triangle beyond edge k (corner k to k+1), kNoTriangle at a border
  std::vector<std::array<MeshEdgeKind, 3>> edge_kinds;
  std::vector<std::uint32_t> neighbor_start;  // vertices joined to v by an edge: neighbors[neighbor_start[v] ..)
  std::vector<std::uint32_t> neighbors;
  Bvh tree;  // over the triangles
  bool is_closed = false;

  [[nodiscard]] SurfaceTriangle triangle(std::uint32_t id) const {
    const auto& [a, b, c] = triangles[id];
    return {{vertices[a], vertices[b], vertices[c]}, normals[id], id};
  }
};

/// Connects the triangles and builds the tree; O(n log n). Throws std::invalid_argument for a mesh without triangles,
/// with an index out of range or a vertex that is not finite. Triangles without area are kept, as the edges they are.
[[nodiscard]] MeshGeometry make_mesh_geometry(const Mesh& mesh);

/// Calls visit(const SurfaceTriangle&) for each triangle whose own box overlaps `box` [m], in the shape's frame.
template <typename Visit>
void visit_triangles(const MeshGeometry& mesh, const Aabb& box, Visit&& visit) {
  visit_overlaps(mesh.tree, box, [&](std::uint32_t id) {
    const SurfaceTriangle triangle = mesh.triangle(id);
    const auto& [a, b, c] = triangle.corners;
    const bool overlaps = (a.cwiseMin(b).cwiseMin(c).array() <= box.upper.array()).all() &&
                          (a.cwiseMax(b).cwiseMax(c).array() >= box.lower.array()).all();
    if (overlaps) visit(triangle);
  });
}

/// Where a surface is nearest to a point.
struct SurfacePoint {
  Vec3 point = Vec3::Zero();                                  // [m]
  double distance = std::numeric_limits<double>::infinity();  // [m] unsigned
  std::uint32_t triangle = kNoTriangle;                       // kNoTriangle: nothing within the limit
  TriangleFeature feature = TriangleFeature::kFace;
};

/// The point of the mesh nearest to x, if it is nearer than `limit` [m]. A good limit makes the search short.
[[nodiscard]] SurfacePoint find_closest_point(const MeshGeometry& mesh, const Vec3& x,
                                              double limit = std::numeric_limits<double>::infinity());

struct RayHit {
  double t = 0;  // at origin + t direction
  std::uint32_t triangle = kNoTriangle;
};

/// The first triangle that the ray meets for t in [0, limit], from either side.
[[nodiscard]] std::optional<RayHit> cast_ray(const MeshGeometry& mesh, const Ray& ray,
                                             double limit = std::numeric_limits<double>::infinity());

/// Whether a contact with the unit normal n_out, pointing away from the surface, can really arise at this feature. What
/// touches an edge or a vertex from outside touches the surface nowhere nearer, so n_out must make no acute angle with
/// any direction along the surface there. Normals that fail this are ghosts: bumps at internal edges of a flat floor,
/// for which the triangle's own normal is the right one. `tolerance` is a sine.
[[nodiscard]] bool is_possible_normal(const MeshGeometry& mesh, std::uint32_t triangle, TriangleFeature feature,
                                      const Vec3& n_out, double tolerance = kFlatAngle);

/// From the corners of two triangles that share the edge from `tail` to `head` (as the first is wound).
[[nodiscard]] MeshEdgeKind classify_edge(const Vec3& tail, const Vec3& head, const Vec3& normal,
                                         const Vec3& normal_across);

}  // namespace achilles
