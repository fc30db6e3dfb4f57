// Seeded random inputs and meshes made by rule, for the tests of geometry.
#pragma once

#include "support/full_size.hpp"

#include <achilles/shape.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace achilles::sample {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  // Not std::uniform_real_distribution: its bits differ between standard libraries.
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint32_t>(high - low + 1));
  }
  Vec3 in_cube(double half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
  Vec3 in_ball() {
    for (;;) {
      const Vec3 x = in_cube(1);
      if (const double n = x.norm(); n <= 1 && n > 1e-3) return x;
    }
  }
  Vec3 direction() { return in_ball().normalized(); }
  Quat rotation() {
    for (;;) {
      const Eigen::Vector4d q(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      if (const double n = q.norm(); n <= 1 && n > 1e-3) return Quat(q / n);
    }
  }
  Pose pose(double reach) { return {in_cube(reach), rotation()}; }

 private:
  std::mt19937 engine_;
};

inline std::vector<Vec3> box_corners(const Vec3& size) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back(0.5 * size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  }
  return corners;
}

/// Surface of a box with every face cut into n × n squares of two triangles: 6n² + 2 vertices, 12n² triangles.
inline Mesh box_mesh(const Vec3& size, int n) {
  Mesh mesh;
  std::map<std::array<int, 3>, int> number;
  const auto vertex = [&](const std::array<int, 3>& grid) {
    const auto [found, is_new] = number.try_emplace(grid, static_cast<int>(mesh.vertices.size()));
    if (is_new) {
      mesh.vertices.push_back(size.cwiseProduct(Vec3(grid[0], grid[1], grid[2]) / n - Vec3::Constant(0.5)));
    }
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          std::array<int, 4> corner{};
          for (int k = 0; k < 4; ++k) {
            std::array<int, 3> grid{};
            grid[axis] = side * n;
            grid[u] = i + (k == 1 || k == 2 ? 1 : 0);
            grid[v] = j + (k >= 2 ? 1 : 0);
            corner[static_cast<std::size_t>(k)] = vertex(grid);
          }
          if (side == 0) std::swap(corner[1], corner[3]);
          mesh.triangles.push_back({corner[0], corner[1], corner[2]});
          mesh.triangles.push_back({corner[0], corner[2], corner[3]});
        }
      }
    }
  }
  return mesh;
}

/// Octahedron with its triangles cut in four `levels` times and pushed out to the unit sphere.
inline Mesh sphere_mesh(int levels, double radius = 1) {
  Mesh mesh;
  mesh.vertices = {Vec3::UnitX(), -Vec3::UnitX(), Vec3::UnitY(), -Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitZ()};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middle;
    const auto halfway = [&](int a, int b) {
      const auto [found, is_new] =
          middle.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(mesh.vertices.size()));
      if (is_new) {
        const Vec3 sum = mesh.vertices[static_cast<std::size_t>(a)] + mesh.vertices[static_cast<std::size_t>(b)];
        mesh.vertices.push_back(sum.normalized());
      }
      return found->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = halfway(a, b), bc = halfway(b, c), ca = halfway(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  for (Vec3& vertex : mesh.vertices) vertex *= radius;
  return mesh;
}

/// A torus about z with triangles of two sizes: m around, n across the tube.
inline Mesh torus_mesh(double large, double small, int m, int n) {
  Mesh mesh;
  const double turn = 2 * 3.14159265358979323846;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const double u = turn * i / m, v = turn * j / n;
      const double r = large + small * std::cos(v);
      mesh.vertices.emplace_back(r * std::cos(u), r * std::sin(u), small * std::sin(v));
      const int a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n, d = i * n + (j + 1) % n;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

/// Triangles anywhere, some without area: no surface at all, only good for finding mistakes.
inline Mesh soup(Random& random, int count) {
  Mesh mesh;
  for (int t = 0; t < count; ++t) {
    const Vec3 center = random.in_cube(1);
    const double size = std::pow(10, random.uniform(-3, 0));
    const Vec3 a = center + random.in_cube(size), b = center + random.in_cube(size);
    const int kind = random.integer(0, 9);
    const Vec3 c = kind == 0 ? a : kind == 1 ? Vec3(0.25 * a + 0.75 * b) : Vec3(center + random.in_cube(size));
    for (const Vec3& corner : {a, b, c}) mesh.vertices.push_back(corner);
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

inline void append(Mesh& mesh, const Mesh& other, const Vec3& shift = Vec3::Zero(), bool is_inverted = false) {
  const auto base = static_cast<int>(mesh.vertices.size());
  for (const Vec3& v : other.vertices) mesh.vertices.push_back(v + shift);
  for (const auto& [a, b, c] : other.triangles) {
    if (is_inverted) {
      mesh.triangles.push_back({base + a, base + c, base + b});
    } else {
      mesh.triangles.push_back({base + a, base + b, base + c});
    }
  }
}

}  // namespace achilles::sample
