#include "reproduce/erleben_shapes.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace achilles::reproduce {

Mesh make_box_mesh(int n) {
  Mesh mesh;
  std::map<std::array<int, 3>, int> number;
  const auto vertex = [&](std::size_t axis, int level, int i, int j) {
    std::array<int, 3> grid{};
    grid[axis] = level;
    grid[(axis + 1) % 3] = i;
    grid[(axis + 2) % 3] = j;
    const auto [found, is_new] = number.try_emplace(grid, static_cast<int>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(Vec3(grid[0], grid[1], grid[2]) / n - Vec3::Constant(0.5));
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const auto square = [&](int level) {
          return std::array{vertex(axis, level, i, j), vertex(axis, level, i + 1, j), vertex(axis, level, i + 1, j + 1),
                            vertex(axis, level, i, j + 1)};
        };
        const auto [a, b, c, d] = square(n);
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
        const auto [e, f, g, h] = square(0);
        mesh.triangles.push_back({e, g, f});
        mesh.triangles.push_back({e, h, g});
      }
    }
  }
  return mesh;
}

Mesh make_ring_mesh(double large, double small, int m, int n) {
  Mesh mesh;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const double u = 2 * std::numbers::pi * i / m, v = 2 * std::numbers::pi * j / n;
      const double r = large + small * std::cos(v);
      mesh.vertices.emplace_back(r * std::cos(u), r * std::sin(u), small * std::sin(v));
      const int a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n, d = i * n + (j + 1) % n;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

Mesh make_ball_mesh(double radius, int m, int n) {
  Mesh mesh;
  const auto vertex = [m, n](int i, int j) { return j == 0 ? 0 : j == n ? 1 : 2 + (j - 1) * m + i % m; };
  mesh.vertices = {radius * Vec3::UnitZ(), -radius * Vec3::UnitZ()};
  for (int j = 1; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      const double u = 2 * std::numbers::pi * i / m, v = std::numbers::pi * j / n;
      mesh.vertices.emplace_back(radius * Vec3(std::cos(u) * std::sin(v), std::sin(u) * std::sin(v), std::cos(v)));
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      if (j > 0) mesh.triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j)});
      if (j < n - 1) mesh.triangles.push_back({vertex(i + 1, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
    }
  }
  return mesh;
}

}  // namespace achilles::reproduce
