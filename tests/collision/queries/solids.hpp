// Solids and random numbers for the tests of queries.
#pragma once

#include "geometry/geometry.hpp"

#include <random>

namespace achilles::queries_test {

inline std::shared_ptr<const Geometry> make_solid(const Shape& shape) { return make_geometry(shape).front().geometry; }

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double number(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(random_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(random_), normal(random_), normal(random_)).normalized();
  }
  Quat orientation() {
    std::normal_distribution<double> normal;
    return Quat(normal(random_), normal(random_), normal(random_), normal(random_)).normalized();
  }
  Transform pose(double size) { return {orientation().toRotationMatrix(), vector(size)}; }

  /// Bounded convex shapes of all kinds, edges from a fifth to two metres.
  Shape shape() {
    const auto size = [this] { return number(0.2, 2); };
    switch (index(6)) {
      case 0:
        return {Sphere{0.5 * size()}};
      case 1:
        return {Box{{size(), size(), size()}}};
      case 2:
        return {Capsule{0.5 * size(), size()}};
      case 3:
        return {Cylinder{0.5 * size(), size()}};
      case 4:
        return {Cone{0.5 * size(), size()}};
      default: {
        Hull hull;
        for (int i = 0; i < 12; ++i) hull.points.push_back(size() * direction());
        return {hull};
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

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
