// Shapes as a scene describes them: plain values, lengths in metres, in the frame of their body.
#pragma once

#include <achilles/math.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace achilles {

struct Sphere {
  double radius = 0;  // [m]
};

struct Box {
  Vec3 size = Vec3::Zero();  // [m] full edges
};

/// All points within `radius` of the segment of `length` along z, centred.
struct Capsule {
  double radius = 0;  // [m]
  double length = 0;  // [m] of the straight part
};

/// Axis along z, centred between the two discs.
struct Cylinder {
  double radius = 0;  // [m]
  double height = 0;  // [m]
};

/// Axis along z, base disc at -height/2, apex at +height/2.
struct Cone {
  double radius = 0;  // [m]
  double height = 0;  // [m]
};

/// Solid where normal·x < offset. Infinite: for fixed and scripted bodies only.
struct Plane {
  Vec3 normal = Vec3::UnitZ();  // unit length
  double offset = 0;            // [m]
};

/// Convex hull of points.
struct Hull {
  std::vector<Vec3> points;  // [m]
  std::string file;          // where the points came from, empty when written in the scene
};

/// Triangles, counter-clockwise seen from outside. Fixed geometry, or closed and turned into a distance map.
struct Mesh {
  std::vector<Vec3> vertices;                 // [m], scale already applied
  std::vector<std::array<int, 3>> triangles;  // indices into vertices
  std::string file;
};

/// Heights over a grid in x and y, centred on the origin; row-major, the row index runs along y.
struct Heightfield {
  std::vector<double> heights;  // [m] rows * columns
  int rows = 0;
  int columns = 0;
  Vec2 cell = Vec2::Zero();  // [m] spacing along x and y
  std::string file;
};

/// A closed mesh that collides through its sampled signed distance.
struct DistanceMap {
  Mesh mesh;
  double cell = 0;      // [m] spacing of the samples of the distance
  double sampling = 0;  // [m] spacing of the points on edges, at least the diagonal of a cell
};

struct CompoundPart;

/// Nothing that could touch or weigh: a body that only carries mass, joints or what is seen.
struct NoShape {};

/// Several shapes that move as one.
struct Compound {
  std::vector<CompoundPart> parts;
};

struct Shape {
  std::variant<Sphere, Box, Capsule, Cylinder, Cone, Plane, Hull, Mesh, Heightfield, DistanceMap, Compound, NoShape>
      kind;
};

struct CompoundPart {
  Shape shape;
  Pose pose;  // of the part in the compound
};

/// Which bodies meet: a pair collides if (a.group & b.mask) or (b.group & a.mask) is not 0.
struct CollisionFilter {
  std::uint32_t group = 1;  // bits
  std::uint32_t mask = 1;
  bool operator==(const CollisionFilter&) const = default;
};
[[nodiscard]] constexpr bool may_meet(const CollisionFilter& a, const CollisionFilter& b) {
  return ((a.group & b.mask) | (b.group & a.mask)) != 0;
}

/// Mass, centre and inertia of a solid. `inertia` is about the centre of mass, in the axes of the shape's frame.
struct MassProperties {
  double mass = 0;              // [kg]
  Vec3 center = Vec3::Zero();   // [m]
  Mat3 inertia = Mat3::Zero();  // [kg m²]
};

}  // namespace achilles
