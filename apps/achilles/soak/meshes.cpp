#include "soak/meshes.hpp"

#include "record/output_file.hpp"

#include <achilles/math.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <vector>

namespace achilles::program::soak {
namespace {

struct Mesh {
  std::vector<Vec3> points;
  std::vector<std::array<std::size_t, 3>> triangles;  // counter-clockwise from outside

  void add_quad(std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    triangles.push_back({a, b, c});
    triangles.push_back({a, c, d});
  }
};

/// Along z from -1/2 to 1/2 over a section that is listed counter-clockwise and cut into convex quadrilaterals.
Mesh make_prism(const std::vector<Vec2>& section, const std::vector<std::array<std::size_t, 4>>& faces) {
  Mesh mesh;
  const std::size_t n = section.size();
  for (const double z : {-0.5, 0.5}) {
    for (const Vec2& p : section) mesh.points.emplace_back(p.x(), p.y(), z);
  }
  for (std::size_t k = 0; k < n; ++k) mesh.add_quad(k, (k + 1) % n, n + (k + 1) % n, n + k);
  for (const auto& [a, b, c, d] : faces) {
    if (c == d) {
      mesh.triangles.push_back({n + a, n + b, n + c});
      mesh.triangles.push_back({c, b, a});
    } else {
      mesh.add_quad(n + a, n + b, n + c, n + d);
      mesh.add_quad(d, c, b, a);
    }
  }
  return mesh;
}

Mesh make_tetrahedron() {
  Mesh mesh;
  mesh.points = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0, 0.5, -0.5}, {0, -0.1, 0.5}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return mesh;
}

Mesh make_torus() {
  Mesh mesh;
  constexpr std::size_t kAround = 12, kAcross = 8;
  for (std::size_t i = 0; i < kAround; ++i) {
    for (std::size_t j = 0; j < kAcross; ++j) {
      const double u = 2 * std::numbers::pi * static_cast<double>(i) / kAround;
      const double v = 2 * std::numbers::pi * static_cast<double>(j) / kAcross;
      const double r = 0.35 + 0.15 * std::cos(v);
      mesh.points.emplace_back(r * std::cos(u), r * std::sin(u), 0.15 * std::sin(v));
    }
  }
  for (std::size_t i = 0; i < kAround; ++i) {
    for (std::size_t j = 0; j < kAcross; ++j) {
      const std::size_t i1 = (i + 1) % kAround, j1 = (j + 1) % kAcross;
      mesh.add_quad(i * kAcross + j, i1 * kAcross + j, i1 * kAcross + j1, i * kAcross + j1);
    }
  }
  return mesh;
}

/// A surface over [-1, 1]², with a slit of width 0.1 along y where requested.
Mesh make_surface(bool is_cracked) {
  Mesh mesh;
  constexpr std::size_t kCells = 16;
  for (std::size_t j = 0; j <= kCells; ++j) {
    for (std::size_t i = 0; i <= kCells; ++i) {
      double x = -1 + 2.0 * static_cast<double>(i) / kCells;
      const double y = -1 + 2.0 * static_cast<double>(j) / kCells;
      if (is_cracked && i == kCells / 2) x = -0.05;
      if (is_cracked && i == kCells / 2 + 1) x = 0.05;
      mesh.points.emplace_back(x, y, is_cracked ? 0 : 0.03 * std::sin(5 * x) * std::cos(4 * y));
    }
  }
  for (std::size_t j = 0; j < kCells; ++j) {
    for (std::size_t i = 0; i < kCells; ++i) {
      if (is_cracked && i == kCells / 2) continue;
      const std::size_t at = j * (kCells + 1) + i;
      mesh.add_quad(at, at + 1, at + kCells + 2, at + kCells + 1);
    }
  }
  return mesh;
}

void write_mesh(const Mesh& mesh, const std::string& path) {
  std::string text;
  for (const Vec3& p : mesh.points) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x(), p.y(), p.z());
  for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  OutputFile file(path);
  file.write(text);
  file.close();
}

}  // namespace

void write_meshes(const std::string& folder) {
  const std::filesystem::path meshes = std::filesystem::path(folder) / "meshes";
  std::filesystem::create_directories(meshes);
  const std::vector<Vec2> square{{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  const std::vector<Vec2> corner{{-0.5, -0.5}, {0.5, -0.5}, {0.5, -0.1}, {-0.1, -0.1}, {-0.1, 0.5}, {-0.5, 0.5}};
  const std::vector<Vec2> triangle{{-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}};
  write_mesh(make_prism(square, {{0, 1, 2, 3}}), (meshes / "cube.obj").string());
  write_mesh(make_prism(corner, {{0, 1, 2, 3}, {0, 3, 4, 5}}), (meshes / "beam.obj").string());
  write_mesh(make_prism(triangle, {{0, 1, 2, 2}}), (meshes / "wedge.obj").string());
  write_mesh(make_tetrahedron(), (meshes / "tetrahedron.obj").string());
  write_mesh(make_torus(), (meshes / "torus.obj").string());
  write_mesh(make_surface(false), (meshes / "bumps.obj").string());
  write_mesh(make_surface(true), (meshes / "crack.obj").string());
}

}  // namespace achilles::program::soak
