#include "geometry/mesh/topology.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

namespace achilles {

void check_mesh(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles) {
  if (triangles.empty()) throw std::invalid_argument("A mesh must have at least one triangle.");
  const auto count = static_cast<int>(vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const int v : triangles[t]) {
      if (v >= 0 && v < count) continue;
      throw std::invalid_argument(
          fmt::format("Triangle {} of a mesh names vertex {}, but there are {} vertices.", t, v, count));
    }
  }
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (!vertices[v].allFinite()) throw std::invalid_argument(fmt::format("Vertex {} of a mesh is not finite.", v));
  }
}

std::vector<int> weld_equal_vertices(std::span<const Vec3> vertices) {
  const auto place = [&](int v) {
    const Vec3& x = vertices[static_cast<std::size_t>(v)];
    return std::tuple(x.x(), x.y(), x.z());
  };
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::tuple(place(a), a) < std::tuple(place(b), b); });
  std::vector<int> first(vertices.size());
  int representative = -1;
  for (const int v : order) {
    if (representative < 0 || place(representative) != place(v)) representative = v;
    first[static_cast<std::size_t>(v)] = representative;
  }
  return first;
}

std::string Closedness::complaint() const {
  return fmt::format("The mesh is not closed: {} of its edges have no partner, the first between vertices {} and {}.",
                     open_edges, first[0], first[1]);
}

Closedness compute_closedness(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles) {
  const std::vector<int> weld = weld_equal_vertices(vertices);
  struct Use {
    int low, high, direction;
  };
  std::vector<Use> uses;
  uses.reserve(3 * triangles.size());
  for (const auto& triangle : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int tail = weld[static_cast<std::size_t>(triangle[k])];
      const int head = weld[static_cast<std::size_t>(triangle[(k + 1) % 3])];
      if (tail != head) uses.push_back({std::min(tail, head), std::max(tail, head), tail < head ? 1 : -1});
    }
  }
  const auto key = [](const Use& use) { return std::pair(use.low, use.high); };
  std::sort(uses.begin(), uses.end(), [&](const Use& a, const Use& b) { return key(a) < key(b); });
  Closedness result;
  for (std::size_t i = 0; i < uses.size();) {
    const Use& edge = uses[i];
    int balance = 0;
    for (; i < uses.size() && key(uses[i]) == key(edge); ++i) balance += uses[i].direction;
    if (balance == 0) continue;
    if (result.open_edges++ == 0) result.first = {edge.low, edge.high};
  }
  return result;
}

double compute_six_volumes(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles) {
  const auto at = [&](int v) -> const Vec3& { return vertices[static_cast<std::size_t>(v)]; };
  const Vec3 origin = at(triangles[0][0]);
  double sum = 0;
  for (const auto& [a, b, c] : triangles) sum += (at(a) - origin).dot((at(b) - origin).cross(at(c) - origin));
  return sum;
}

}  // namespace achilles
