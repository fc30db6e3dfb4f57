#include "geometry/mesh_geometry.hpp"

#include "geometry/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace achilles {
namespace {

// Vertices that the triangles use, one for each place, in the order of the input.
void set_vertices(MeshGeometry& geometry, const Mesh& mesh) {
  const std::vector<int> first = weld_equal_vertices(mesh.vertices);
  std::vector<std::uint32_t> number(mesh.vertices.size(), kNoTriangle);
  for (const auto& triangle : mesh.triangles) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto place = static_cast<std::size_t>(first[static_cast<std::size_t>(triangle[k])]);
      if (number[place] == kNoTriangle) {
        number[place] = static_cast<std::uint32_t>(geometry.vertices.size());
        geometry.vertices.push_back(mesh.vertices[place]);
      }
      corners[k] = number[place];
    }
    geometry.triangles.push_back(corners);
  }
}

void set_normals(MeshGeometry& geometry) {
  for (const auto& [a, b, c] : geometry.triangles) {
    const Vec3 ab = geometry.vertices[b] - geometry.vertices[a];
    const Vec3 ac = geometry.vertices[c] - geometry.vertices[a];
    const Vec3 area = ab.cross(ac);
    const double length = area.norm();
    // Below this the direction is made of rounding errors.
    const bool has_area = length > 1e-12 * ab.norm() * ac.norm();
    geometry.normals.emplace_back(has_area ? Vec3(area / length) : Vec3::Zero());
  }
}

struct EdgeUse {
  std::uint32_t low, high, triangle, corner;
  [[nodiscard]] bool is_same_edge(const EdgeUse& other) const { return low == other.low && high == other.high; }
  auto operator<=>(const EdgeUse&) const = default;
};

std::vector<EdgeUse> collect_edges(const MeshGeometry& geometry) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * geometry.triangles.size());
  for (std::uint32_t t = 0; t < geometry.triangles.size(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t tail = geometry.triangles[t][k], head = geometry.triangles[t][(k + 1) % 3];
      if (tail != head) uses.push_back({std::min(tail, head), std::max(tail, head), t, k});
    }
  }
  std::sort(uses.begin(), uses.end());
  return uses;
}

// Pairs the two uses of an edge when there are just two, in opposite directions.
void connect(MeshGeometry& geometry, const EdgeUse& a, const EdgeUse& b) {
  const std::uint32_t tail = geometry.triangles[a.triangle][a.corner];
  const std::uint32_t head = geometry.triangles[b.triangle][b.corner];
  if (tail == head) return;
  geometry.across[a.triangle][a.corner] = b.triangle;
  geometry.across[b.triangle][b.corner] = a.triangle;
  const MeshEdgeKind kind = classify_edge(geometry.vertices[tail], geometry.vertices[head],
                                          geometry.normals[a.triangle], geometry.normals[b.triangle]);
  geometry.edge_kinds[a.triangle][a.corner] = kind;
  geometry.edge_kinds[b.triangle][b.corner] = kind;
}

void set_edges(MeshGeometry& geometry) {
  geometry.across.assign(geometry.triangles.size(), {kNoTriangle, kNoTriangle, kNoTriangle});
  geometry.edge_kinds.assign(geometry.triangles.size(),
                             {MeshEdgeKind::kBorder, MeshEdgeKind::kBorder, MeshEdgeKind::kBorder});
  const std::vector<EdgeUse> uses = collect_edges(geometry);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t end = i;
    while (end < uses.size() && uses[end].is_same_edge(uses[i])) ++end;
    if (end - i == 2) connect(geometry, uses[i], uses[i + 1]);
    joined.emplace_back(uses[i].low, uses[i].high);
    joined.emplace_back(uses[i].high, uses[i].low);
    i = end;
  }
  std::sort(joined.begin(), joined.end());
  geometry.neighbor_start.assign(geometry.vertices.size() + 1, 0);
  for (const auto& [from, to] : joined) {
    ++geometry.neighbor_start[from + 1];
    geometry.neighbors.push_back(to);
  }
  std::partial_sum(geometry.neighbor_start.begin(), geometry.neighbor_start.end(), geometry.neighbor_start.begin());
}

// Unit direction in the triangle's plane, across its edge k and into the triangle.
Vec3 inward(const MeshGeometry& mesh, std::uint32_t triangle, std::size_t k) {
  const auto& corners = mesh.triangles[triangle];
  const Vec3 edge = (mesh.vertices[corners[(k + 1) % 3]] - mesh.vertices[corners[k]]).stableNormalized();
  return mesh.normals[triangle].cross(edge);
}

}  // namespace

MeshGeometry make_mesh_geometry(const Mesh& mesh) {
  check_mesh(mesh.vertices, mesh.triangles);
  MeshGeometry geometry;
  set_vertices(geometry, mesh);
  set_normals(geometry);
  set_edges(geometry);
  std::vector<Aabb> boxes(geometry.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t) {
    for (const std::uint32_t v : geometry.triangles[t]) boxes[t].include(geometry.vertices[v]);
  }
  geometry.tree = build_bvh(boxes);
  geometry.is_closed = compute_closedness(mesh.vertices, mesh.triangles).is_closed();
  return geometry;
}

SurfacePoint find_closest_point(const MeshGeometry& mesh, const Vec3& x, double limit) {
  SurfacePoint best;
  double squared_limit = limit * limit;
  visit_nearest(mesh.tree, x, squared_limit, [&](std::uint32_t id, double& squared) {
    const auto& [a, b, c] = mesh.triangles[id];
    const TrianglePoint candidate = closest_point_on_triangle(x, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
    const double distance = (x - candidate.point).squaredNorm();
    if (distance >= squared) return;
    squared = distance;
    best = {candidate.point, 0, id, candidate.feature};
  });
  if (best.triangle != kNoTriangle) best.distance = (x - best.point).norm();
  return best;
}

std::optional<RayHit> cast_ray(const MeshGeometry& mesh, const Ray& ray, double limit) {
  std::optional<RayHit> best;
  visit_along(mesh.tree, ray, limit, [&](std::uint32_t id, double& nearest) {
    const auto& [a, b, c] = mesh.triangles[id];
    const auto t = intersect_ray(ray.origin, ray.direction, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
    if (!t || *t > nearest || (best && *t >= best->t)) return;
    nearest = *t;
    best = {*t, id};
  });
  return best;
}

bool is_possible_normal(const MeshGeometry& mesh, std::uint32_t triangle, TriangleFeature feature, const Vec3& n_out,
                        double tolerance) {
  const std::size_t k = feature_number(feature);
  if (is_vertex(feature)) {
    const std::uint32_t v = mesh.triangles[triangle][k];
    for (std::uint32_t i = mesh.neighbor_start[v]; i < mesh.neighbor_start[v + 1]; ++i) {
      const Vec3 along = (mesh.vertices[mesh.neighbors[i]] - mesh.vertices[v]).stableNormalized();
      if (n_out.dot(along) > tolerance) return false;
    }
    return true;
  }
  if (is_edge(feature)) {
    if (n_out.dot(inward(mesh, triangle, k)) > tolerance) return false;
    const std::uint32_t other = mesh.across[triangle][k];
    if (other == kNoTriangle) return true;
    const auto& corners = mesh.triangles[other];
    const std::uint32_t head = mesh.triangles[triangle][(k + 1) % 3];
    const auto j = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), head) - corners.begin());
    return n_out.dot(inward(mesh, other, j)) <= tolerance;
  }
  return n_out.cross(mesh.normals[triangle]).norm() <= tolerance;
}

MeshEdgeKind classify_edge(const Vec3& tail, const Vec3& head, const Vec3& normal, const Vec3& normal_across) {
  if (normal.isZero(0) || normal_across.isZero(0)) return MeshEdgeKind::kBorder;
  // Where the surface bends away, the turn from the first normal to the second is right-handed about the edge.
  const double sine = (head - tail).stableNormalized().dot(normal.cross(normal_across));
  const bool is_folded = normal.dot(normal_across) < 0;
  if (std::abs(sine) <= kFlatAngle && !is_folded) return MeshEdgeKind::kFlat;
  return sine > 0 || (is_folded && std::abs(sine) <= kFlatAngle) ? MeshEdgeKind::kConvex : MeshEdgeKind::kConcave;
}

}  // namespace achilles
