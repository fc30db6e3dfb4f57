#include "geometry/mesh/winding.hpp"

#include <cmath>
#include <numbers>

namespace achilles {
namespace {

constexpr double kFar = 3;  // radii

double solid_angle(const MeshGeometry& mesh, std::uint32_t id, const Vec3& x) {
  const auto& [a, b, c] = mesh.triangles[id];
  return compute_solid_angle(x, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
}

// Items below a node are contiguous in the tree's list: from the leftmost leaf's first to the rightmost leaf's last.
std::pair<std::uint32_t, std::uint32_t> item_range(const Bvh& tree, std::uint32_t n) {
  std::uint32_t left = n, right = n;
  while (tree.nodes[left].count == 0) ++left;
  while (tree.nodes[right].count == 0) right = tree.nodes[right].index;
  return {tree.nodes[left].index, tree.nodes[right].index + tree.nodes[right].count};
}

WindingTree::Dipole make_dipole(const MeshGeometry& mesh, std::uint32_t n) {
  const auto [first, last] = item_range(mesh.tree, n);
  WindingTree::Dipole dipole;
  double weight = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const auto& [a, b, c] = mesh.triangle(mesh.tree.items[i]).corners;
    const Vec3 vector_area = 0.5 * (b - a).cross(c - a);
    const double area = vector_area.norm();
    dipole.vector_area += vector_area;
    dipole.center += area * (a + b + c) / 3;
    weight += area;
  }
  if (weight > 0) {
    dipole.center /= weight;
  } else {
    dipole.center = mesh.triangle(mesh.tree.items[first]).corners[0];
  }
  for (std::uint32_t i = first; i < last; ++i) {
    for (const Vec3& corner : mesh.triangle(mesh.tree.items[i]).corners) {
      dipole.radius = std::max(dipole.radius, (corner - dipole.center).norm());
    }
  }
  return dipole;
}

}  // namespace

WindingTree make_winding_tree(const MeshGeometry& mesh) {
  WindingTree tree;
  tree.dipoles.reserve(mesh.tree.nodes.size());
  for (std::uint32_t n = 0; n < mesh.tree.nodes.size(); ++n) tree.dipoles.push_back(make_dipole(mesh, n));
  return tree;
}

double compute_winding_number(const MeshGeometry& mesh, const WindingTree& tree, const Vec3& x) {
  std::array<std::uint32_t, Bvh::kMaxDepth> stack;
  std::size_t depth = 0;
  std::uint32_t n = 0;
  double sum = 0;  // [sr]
  for (;;) {
    const BvhNode& node = mesh.tree.nodes[n];
    const WindingTree::Dipole& dipole = tree.dipoles[n];
    const Vec3 arm = dipole.center - x;
    const double distance = arm.norm();
    if (distance > kFar * dipole.radius) {
      sum += dipole.vector_area.dot(arm) / (distance * distance * distance);
    } else if (node.count == 0) {
      stack[depth++] = node.index;
      ++n;
      continue;
    } else {
      for (std::uint32_t i = 0; i < node.count; ++i) sum += solid_angle(mesh, mesh.tree.items[node.index + i], x);
    }
    if (depth == 0) return sum / (4 * std::numbers::pi);
    n = stack[--depth];
  }
}

double compute_exact_winding_number(const MeshGeometry& mesh, const Vec3& x) {
  double sum = 0;
  for (std::uint32_t id = 0; id < mesh.triangles.size(); ++id) sum += solid_angle(mesh, id, x);
  return sum / (4 * std::numbers::pi);
}

}  // namespace achilles
