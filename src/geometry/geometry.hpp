// Shapes prepared for collision: immutable, shared by every body that uses them, in their own frame.
#pragma once

#include <achilles/math.hpp>
#include <achilles/shape.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace achilles {

struct SphereGeometry {
  double radius = 0;  // [m]
};
struct BoxGeometry {
  Vec3 half = Vec3::Zero();  // [m] half edges
};
struct CapsuleGeometry {
  double radius = 0;       // [m]
  double half_length = 0;  // [m] of the segment along z
};
struct CylinderGeometry {
  double radius = 0;       // [m]
  double half_height = 0;  // [m]
};
struct ConeGeometry {
  double radius = 0;       // [m]
  double half_height = 0;  // [m]
};
struct PlaneGeometry {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0;  // [m]
};

/// A convex polyhedron with its full incidence. Faces are planar polygons (coplanar facets merged), wound
/// counter-clockwise seen from outside.
struct HullGeometry {
  std::vector<Vec3> vertices;             // [m]
  std::vector<Vec3> face_normals;         // unit, outward
  std::vector<double> face_offsets;       // [m] normal·x = offset on the face
  std::vector<std::uint32_t> face_start;  // loops of face f: face_vertices[face_start[f] .. face_start[f + 1])
  std::vector<std::uint32_t> face_vertices;
  struct Edge {
    std::uint32_t tail, head;   // vertices; tail → head is the direction of the left face's loop
    std::uint32_t left, right;  // faces
  };
  std::vector<Edge> edges;
  std::vector<std::uint32_t> neighbor_start;  // vertices adjacent to v: neighbors[neighbor_start[v] ..)
  std::vector<std::uint32_t> neighbors;
  std::array<std::uint32_t, 6> axis_extremes{};  // vertices farthest along +x, -x, +y, -y, +z, -z
  Vec3 center = Vec3::Zero();                    // [m] the centroid of the solid
  /// The vertices four at a time, x x x x y y y y z z z z, the last four filled up with vertex 0: for vector units.
  std::vector<double> vertex_lanes;
};

struct MeshGeometry;         // triangles with a bounding volume tree
struct HeightfieldGeometry;  // grid of heights
struct DistanceMapGeometry;  // sampled signed distance of a closed mesh

using GeometryKind =
    std::variant<SphereGeometry, BoxGeometry, CapsuleGeometry, CylinderGeometry, ConeGeometry, PlaneGeometry,
                 std::shared_ptr<const HullGeometry>, std::shared_ptr<const MeshGeometry>,
                 std::shared_ptr<const HeightfieldGeometry>, std::shared_ptr<const DistanceMapGeometry>>;

struct Geometry {
  GeometryKind kind;
  Aabb bounds;  // in the shape's frame; infinite for a plane
  double radius =
      0;  // [m] of the smallest known ball about the frame's origin that holds the shape; infinite for a plane
};

/// One piece of a body: compound shapes are flattened into several.
struct GeometryPiece {
  std::shared_ptr<const Geometry> geometry;
  Pose pose;  // in the body's frame
};

/// Prepares a checked shape for collision. Throws std::invalid_argument with a sentence that names the defect (no
/// volume, too few points, a hull that is flat, a mesh that is not closed where it must be).
[[nodiscard]] std::vector<GeometryPiece> make_geometry(const Shape& shape);

/// Box of a placed geometry, tight for round shapes and boxes. Infinite for a plane (in all directions but, where the
/// plane faces an axis, that one).
[[nodiscard]] Aabb compute_bounds(const Geometry& geometry, const Transform& X_WG);

[[nodiscard]] bool is_convex(const Geometry& geometry);  // false for mesh, heightfield, distance map; true for plane

}  // namespace achilles
