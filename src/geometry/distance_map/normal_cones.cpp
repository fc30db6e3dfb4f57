// Which directions the surface can be touched from at its samples.
#include "geometry/distance_map_geometry.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kSameNormal = 1e-10;  // 1 - cosine

/// The triangles about each vertex of a mesh.
class VertexTriangles {
 public:
  explicit VertexTriangles(const MeshGeometry& mesh) : start_(mesh.vertices.size() + 1, 0) {
    for (const auto& corners : mesh.triangles) {
      for (const std::uint32_t v : corners) ++start_[v + 1];
    }
    for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
    triangles_.resize(start_.back());
    std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      for (const std::uint32_t v : mesh.triangles[t]) triangles_[next[v]++] = t;
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> about(std::uint32_t vertex) const {
    return std::span(triangles_).subspan(start_[vertex], start_[vertex + 1] - start_[vertex]);
  }

 private:
  std::vector<std::uint32_t> start_, triangles_;
};

void add_normal(const Vec3& normal, std::vector<Vec3>& normals, std::size_t first) {
  if (normal.isZero(0)) return;
  const bool known = std::any_of(normals.begin() + static_cast<std::ptrdiff_t>(first), normals.end(),
                                 [&](const Vec3& other) { return normal.dot(other) > 1 - kSameNormal; });
  if (!known) normals.push_back(normal);
}

/// Appends the normals about a sample; false where the surface is not convex there.
bool append_cone(const MeshGeometry& mesh, const VertexTriangles& vertices, const Vec3& sample,
                 std::vector<Vec3>& normals) {
  const std::size_t first = normals.size();
  const SurfacePoint at = find_closest_point(mesh, sample);
  const auto bends_in = [&](std::uint32_t t, std::size_t k) {
    return mesh.edge_kinds[t][k] == MeshEdgeKind::kConcave || mesh.edge_kinds[t][k] == MeshEdgeKind::kBorder;
  };
  const auto& corners = mesh.triangles[at.triangle];
  for (std::size_t k = 0; k < 3; ++k) {
    if ((mesh.vertices[corners[k]] - sample).squaredNorm() > kSameNormal * kSameNormal) continue;
    for (const std::uint32_t t : vertices.about(corners[k])) {
      for (std::size_t e = 0; e < 3; ++e) {
        const bool is_here = mesh.triangles[t][e] == corners[k] || mesh.triangles[t][(e + 1) % 3] == corners[k];
        if (is_here && bends_in(t, e)) return false;
      }
      add_normal(mesh.normals[t], normals, first);
    }
    return normals.size() > first;
  }
  add_normal(mesh.normals[at.triangle], normals, first);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 tail = mesh.vertices[corners[k]], side = mesh.vertices[corners[(k + 1) % 3]] - tail;
    const double off = side.cross(sample - tail).norm() / side.norm();
    if (off > 1e-9 * side.norm()) continue;
    if (bends_in(at.triangle, k)) return false;
    add_normal(mesh.normals[mesh.across[at.triangle][k]], normals, first);
  }
  return normals.size() > first;
}

}  // namespace

NormalCones make_normal_cones(const MeshGeometry& mesh, std::span<const Vec3> samples) {
  NormalCones cones;
  const VertexTriangles vertices(mesh);
  cones.start.push_back(0);
  for (const Vec3& sample : samples) {
    const std::size_t first = cones.normals.size();
    if (!append_cone(mesh, vertices, sample, cones.normals)) cones.normals.resize(first);
    cones.start.push_back(static_cast<std::uint32_t>(cones.normals.size()));
  }
  return cones;
}

Vec3 project_onto_cone(std::span<const Vec3> normals, const Vec3& d) {
  Vec3 best = Vec3::Zero();
  double error = d.squaredNorm();
  const auto offer = [&](const Vec3& candidate) {
    const double off = (candidate - d).squaredNorm();
    if (off < error) best = candidate, error = off;
  };
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vec3& a = normals[i];
    offer(std::max(0.0, a.dot(d)) * a);
    for (std::size_t j = i + 1; j < normals.size(); ++j) {
      const Vec3& b = normals[j];
      const double cosine = a.dot(b), sine2 = 1 - cosine * cosine;
      const double s = (a.dot(d) - cosine * b.dot(d)) / sine2, t = (b.dot(d) - cosine * a.dot(d)) / sine2;
      if (s > 0 && t > 0) offer(s * a + t * b);
      for (std::size_t k = j + 1; k < normals.size(); ++k) {
        Mat3 sides;
        sides << a, b, normals[k];
        const double volume = sides.determinant();
        if (std::abs(volume) > kSameNormal && (sides.inverse() * d).minCoeff() >= 0) return d;
      }
    }
  }
  return best;
}

}  // namespace achilles
