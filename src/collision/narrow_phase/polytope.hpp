// Convex polyhedra as the narrow phase sees them: a hull, a box, a triangle, a segment or a point behind one set of
// spans.
#pragma once

#include "geometry/geometry.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace achilles {

/// Incidence as in HullGeometry.
struct PolytopeView {
  std::span<const Vec3> vertices;
  std::span<const Vec3> face_normals;
  std::span<const double> face_offsets;
  std::span<const std::uint32_t> face_start;
  std::span<const std::uint32_t> face_vertices;
  std::span<const HullGeometry::Edge> edges;
  std::span<const std::uint32_t> neighbor_start;
  std::span<const std::uint32_t> neighbors;
  std::span<const double> vertex_lanes;  // as in HullGeometry, or empty
  Vec3 center = Vec3::Zero();
  double size = 0;  // [m] radius of a ball that holds it, the scale of its tolerances

  [[nodiscard]] std::size_t face_count() const { return face_normals.size(); }
  [[nodiscard]] std::span<const std::uint32_t> loop(std::size_t face) const {
    return face_vertices.subspan(face_start[face], face_start[face + 1] - face_start[face]);
  }
  [[nodiscard]] std::span<const std::uint32_t> neighbors_of(std::size_t vertex) const {
    return neighbors.subspan(neighbor_start[vertex], neighbor_start[vertex + 1] - neighbor_start[vertex]);
  }
};

[[nodiscard]] PolytopeView make_view(const HullGeometry& hull, double size);

/// A box spelled out as a polytope. Vertex i has the sign of bit k of i along axis k; faces are +x, -x, +y, -y, +z, -z.
/// Half edges may be zero: (0, 0, h) is a segment, all zero a point.
class BoxPolytope {
 public:
  explicit BoxPolytope(const Vec3& half);
  [[nodiscard]] PolytopeView view() const;

 private:
  std::array<Vec3, 8> vertices_;
  std::array<double, 6> offsets_;
  double size_;
};

/// A triangle spelled out as a polytope with a front (face 0, sides 0 to 2) and a back (face 1). Its frame has the
/// origin at the triangle's middle, so that tolerances scale with the triangle and not with its place.
class TrianglePolytope {
 public:
  /// `normal` is the unit normal; zero for a triangle without area, which then is its edges.
  TrianglePolytope(const std::array<Vec3, 3>& corners, const Vec3& normal);
  [[nodiscard]] PolytopeView view() const;
  [[nodiscard]] const Vec3& middle() const { return middle_; }

 private:
  Vec3 middle_;
  std::array<Vec3, 3> vertices_;
  std::array<Vec3, 2> normals_;
  std::array<double, 2> offsets_;
  double size_;
};

/// Vertex `i` of the box with these half edges, and the vertices of face `face` in order.
[[nodiscard]] inline Vec3 box_vertex(const Vec3& half, std::uint32_t i) {
  return {i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()};
}
[[nodiscard]] std::span<const std::uint32_t, 4> box_face_loop(std::uint32_t face);

/// Index of a vertex furthest along `direction`. Climbs along edges from the first vertex when there are many.
[[nodiscard]] std::uint32_t support_vertex(const PolytopeView& polytope, const Vec3& direction);

/// The face that faces along `direction`, among those at the furthest vertex: the face that is squarest overall may
/// miss that vertex, and with it the deepest point of a contact. The polytope must have faces.
[[nodiscard]] std::uint32_t facing_face(const PolytopeView& polytope, const Vec3& direction);

}  // namespace achilles
