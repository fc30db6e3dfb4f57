#include "geometry/hull/triangles.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace achilles {
namespace {

// Qhull talks to a FILE; this one keeps the words in memory so that they end up in the error and not on the terminal.
class MemoryFile {
 public:
  MemoryFile() : file_(open_memstream(&text_, &size_)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(text_);
  }
  [[nodiscard]] FILE* get() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* file_ = nullptr;
};

class Qhull {
 public:
  Qhull() { qh_zero(&qh_, log_.get()); }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int long_blocks = 0, long_bytes = 0;
    qh_memfreeshort(&qh_, &long_blocks, &long_bytes);
  }

  bool run(std::span<double> coordinates, const char* command) {
    std::string text = command;
    const int count = static_cast<int>(coordinates.size() / 3);
    return qh_new_qhull(&qh_, 3, count, coordinates.data(), False, text.data(), nullptr, log_.get()) == 0;
  }

  void append_triangles(std::vector<IndexTriangle>& triangles) {
    qhT* qh = &qh_;  // the name that Qhull's macros expect
    facetT* facet = nullptr;
    FORALLfacets {
      setT* corners = qh_facet3vertex(qh, facet);
      IndexTriangle triangle{};
      std::size_t count = 0;
      vertexT *vertex = nullptr, **vertexp = nullptr;
      FOREACHvertex_(corners) {
        if (count < 3) triangle[count] = static_cast<std::uint32_t>(qh_pointid(qh, vertex->point));
        ++count;
      }
      qh_settempfree(qh, &corners);
      if (count == 3) triangles.push_back(triangle);  // anything else leaves a hole, which compute_adjacency finds
    }
  }

  [[nodiscard]] std::string complaint() const { return log_.text(); }

 private:
  MemoryFile log_;
  qhT qh_;
};

// Six times the volume enclosed, as a sum over tetrahedra from the first corner.
double signed_volume(std::span<const Vec3> points, std::span<const IndexTriangle> triangles) {
  const Vec3 origin = points[triangles[0][0]];
  double volume = 0;
  for (const auto& [a, b, c] : triangles) {
    volume += (points[a] - origin).cross(points[b] - origin).dot(points[c] - origin);
  }
  return volume;
}

}  // namespace

std::vector<IndexTriangle> compute_hull_triangles(std::span<const Vec3> points, HullTies ties, std::string& complaint) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& point : points) coordinates.insert(coordinates.end(), {point.x(), point.y(), point.z()});

  std::vector<IndexTriangle> triangles;
  Qhull hull;
  if (!hull.run(coordinates, ties == HullTies::kMerge ? "qhull Qt Pp" : "qhull QJ Pp")) {
    complaint = hull.complaint();
    return triangles;
  }
  hull.append_triangles(triangles);
  if (triangles.empty() || compute_adjacency(triangles).empty()) {
    complaint = "the facets do not close";
    return {};
  }
  if (signed_volume(points, triangles) < 0) {
    for (IndexTriangle& triangle : triangles) std::swap(triangle[1], triangle[2]);
  }
  return triangles;
}

std::vector<IndexTriangle> compute_adjacency(std::span<const IndexTriangle> triangles) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // tail, head
  std::vector<std::pair<Key, std::uint32_t>> edges;
  edges.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) edges.push_back({{triangles[t][k], triangles[t][(k + 1) % 3]}, t});
  }
  std::sort(edges.begin(), edges.end());
  const auto same_edge = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::adjacent_find(edges.begin(), edges.end(), same_edge) != edges.end()) return {};

  std::vector<IndexTriangle> across(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Key twin{triangles[t][(k + 1) % 3], triangles[t][k]};
      const auto found = std::lower_bound(edges.begin(), edges.end(), twin,
                                          [](const auto& edge, const Key& key) { return edge.first < key; });
      if (found == edges.end() || found->first != twin) return {};
      across[t][k] = found->second;
    }
  }
  return across;
}

}  // namespace achilles
