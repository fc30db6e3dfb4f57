#include "record/draw/triangles.hpp"

#include "geometry/hull.hpp"

#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>

namespace achilles {
namespace {

using Point = std::array<float, 3>;

Point to_point(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

class Builder {
 public:
  Builder(TriangleMesh& mesh, int segments, double plane_reach)
      : mesh_(mesh), segments_(segments), plane_reach_(plane_reach) {}

  /// The part is placed by `pose` in the mesh.
  void add(const Shape& shape, const Transform& pose) {
    pose_ = pose;
    std::visit([this](const auto& kind) { this->add_kind(kind); }, shape.kind);
  }

 private:
  /// A point of an outline that turns about z, and the direction that faces out there.
  struct Outline {
    double radius, z;                // [m]
    double normal_radial, normal_z;  // unit together
  };

  std::uint32_t vertex(const Vec3& position, const Vec3& normal) {
    mesh_.positions.push_back(to_point(pose_ * position));
    mesh_.normals.push_back(to_point(pose_.R * normal));
    return static_cast<std::uint32_t>(mesh_.positions.size() - 1);
  }

  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { mesh_.triangles.push_back({a, b, c}); }

  /// A flat polygon, counter-clockwise seen from where its normal points.
  void polygon(std::span<const Vec3> corners, const Vec3& normal) {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
    for (const Vec3& corner : corners) vertex(corner, normal);
    for (std::uint32_t k = 2; k < corners.size(); ++k) triangle(first, first + k - 1, first + k);
  }

  /// Turns an outline, listed so that outside is on its right seen with z up, about z.
  void revolve(std::span<const Outline> outline) {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
    const auto around = static_cast<std::uint32_t>(segments_ + 1);
    for (const Outline& point : outline) {
      for (std::uint32_t k = 0; k < around; ++k) {
        const double angle = 2 * std::numbers::pi * k / segments_;
        const Vec3 out(std::cos(angle), std::sin(angle), 0);
        vertex(point.radius * out + point.z * Vec3::UnitZ(),
               point.normal_radial * out + point.normal_z * Vec3::UnitZ());
      }
    }
    for (std::uint32_t ring = 0; ring + 1 < outline.size(); ++ring) {
      for (std::uint32_t k = 0; k + 1 < around; ++k) {
        const std::uint32_t a = first + ring * around + k;
        if (outline[ring].radius > 0) triangle(a, a + 1, a + around + 1);
        if (outline[ring + 1].radius > 0) triangle(a, a + around + 1, a + around);
      }
    }
  }

  /// A ball whose upper half is moved up and whose lower half is moved down by `half_length`.
  void add_pill(double radius, double half_length) {
    std::vector<Outline> outline;
    const int quarter = std::max(2, segments_ / 4);
    const auto put = [&](int k, double shift) {
      const double angle = 0.5 * std::numbers::pi * k / quarter;
      const double c = std::abs(k) == quarter ? 0.0 : std::cos(angle);
      outline.push_back({radius * c, radius * std::sin(angle) + shift, c, std::sin(angle)});
    };
    for (int k = -quarter; k <= 0; ++k) put(k, -half_length);
    for (int k = half_length > 0 ? 0 : 1; k <= quarter; ++k) put(k, half_length);
    revolve(outline);
  }

  void add_disc(double radius, double z, double side) {
    const Outline rim{radius, z, 0, side};
    const Outline middle{0, z, 0, side};
    revolve(side > 0 ? std::array{rim, middle} : std::array{middle, rim});
  }

  void add_kind(const Sphere& sphere) { add_pill(sphere.radius, 0); }
  void add_kind(const Capsule& capsule) { add_pill(capsule.radius, 0.5 * capsule.length); }

  void add_kind(const Cylinder& cylinder) {
    const double top = 0.5 * cylinder.height;
    revolve(std::array{Outline{cylinder.radius, -top, 1, 0}, Outline{cylinder.radius, top, 1, 0}});
    add_disc(cylinder.radius, top, 1);
    add_disc(cylinder.radius, -top, -1);
  }

  void add_kind(const Cone& cone) {
    const double top = 0.5 * cone.height;
    const double slant = std::hypot(cone.radius, cone.height);
    const double radial = cone.height / slant;
    const double up = cone.radius / slant;
    revolve(std::array{Outline{cone.radius, -top, radial, up}, Outline{0, top, radial, up}});
    add_disc(cone.radius, -top, -1);
  }

  void add_kind(const Box& box) {
    const Vec3 half = 0.5 * box.size;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        const int u = (axis + 1) % 3;
        const int v = (axis + 2) % 3;
        std::array<Vec3, 4> corners;
        for (std::size_t k = 0; k < 4; ++k) {
          // Counter-clockwise from +axis; from -axis the second coordinate runs the other way.
          const double s = k == 1 || k == 2 ? 1 : -1;
          const double t = k >= 2 ? 1 : -1;
          corners[k][axis] = side * half[axis];
          corners[k][u] = s * half[u];
          corners[k][v] = side * t * half[v];
        }
        polygon(corners, side * Vec3::Unit(axis));
      }
    }
  }

  void add_kind(const Plane& plane) {
    const Vec3 n = plane.normal;
    const Vec3 u = n.unitOrthogonal();
    const Vec3 v = n.cross(u);
    const Vec3 foot = plane.offset * n;
    const double r = plane_reach_;
    polygon(std::array<Vec3, 4>{foot - r * u - r * v, foot + r * u - r * v, foot + r * u + r * v, foot - r * u + r * v},
            n);
  }

  void add_kind(const Hull& hull) {
    HullGeometry solid;
    try {
      solid = make_hull(hull.points);
    } catch (const std::invalid_argument&) {
      return;
    }
    std::vector<Vec3> corners;
    for (std::size_t face = 0; face < solid.face_normals.size(); ++face) {
      corners.clear();
      for (std::uint32_t k = solid.face_start[face]; k < solid.face_start[face + 1]; ++k) {
        corners.push_back(solid.vertices[solid.face_vertices[k]]);
      }
      polygon(corners, solid.face_normals[face]);
    }
  }

  void add_kind(const Mesh& mesh) {
    for (const std::array<int, 3>& corner : mesh.triangles) {
      const std::array<Vec3, 3> at{mesh.vertices[static_cast<std::size_t>(corner[0])],
                                   mesh.vertices[static_cast<std::size_t>(corner[1])],
                                   mesh.vertices[static_cast<std::size_t>(corner[2])]};
      const Vec3 area = (at[1] - at[0]).cross(at[2] - at[0]);
      if (area.norm() > 0) polygon(at, area.normalized());
    }
  }

  void add_kind(const DistanceMap& map) { add_kind(map.mesh); }

  void add_kind(const Heightfield& field) {
    const auto corner = [&field](int row, int column) {
      const auto at =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(field.columns) + static_cast<std::size_t>(column);
      return Vec3((column - 0.5 * (field.columns - 1)) * field.cell.x(),
                  (row - 0.5 * (field.rows - 1)) * field.cell.y(), field.heights[at]);
    };
    for (int row = 0; row + 1 < field.rows; ++row) {
      for (int column = 0; column + 1 < field.columns; ++column) {
        const Vec3 a = corner(row, column);
        const Vec3 b = corner(row, column + 1);
        const Vec3 c = corner(row + 1, column + 1);
        const Vec3 d = corner(row + 1, column);
        polygon(std::array{a, b, c}, (b - a).cross(c - a).normalized());
        polygon(std::array{a, c, d}, (c - a).cross(d - a).normalized());
      }
    }
  }

  void add_kind(const Compound& compound) {
    const Transform frame = pose_;
    for (const CompoundPart& part : compound.parts) add(part.shape, frame * to_transform(part.pose));
    pose_ = frame;
  }

  void add_kind(const NoShape& /*none*/) {}

  TriangleMesh& mesh_;
  int segments_;
  double plane_reach_;
  Transform pose_;
};

}  // namespace

TriangleMesh triangulate(const Shape& shape, int segments, double plane_reach) {
  TriangleMesh mesh;
  Builder(mesh, segments, plane_reach).add(shape, Transform{});
  return mesh;
}

}  // namespace achilles
