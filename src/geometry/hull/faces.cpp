#include "geometry/hull/faces.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Grows one planar region at a time over the triangulated surface.
class RegionGrower {
 public:
  RegionGrower(std::span<const Vec3> points, std::span<const IndexTriangle> triangles,
               std::span<const IndexTriangle> across)
      : points_(points),
        triangles_(triangles),
        across_(across),
        region_of_(triangles.size(), kNone),
        next_(points.size(), kNone) {}

  [[nodiscard]] bool is_taken(std::uint32_t triangle) const { return region_of_[triangle] != kNone; }

  // The loop around the region of the seed; empty when even the seed alone has none.
  std::vector<std::uint32_t> grow(std::uint32_t seed, double tolerance) {
    // A shallow cap on a flat face leaves a ring around it, which is no polygon: then only what is flatter is joined.
    constexpr int kAttempts = 6;
    for (int attempt = 0; attempt < kAttempts; ++attempt, tolerance *= 0.125) {
      collect(seed, tolerance);
      std::vector<std::uint32_t> loop = trace();
      if (!loop.empty()) {
        ++region_;
        return loop;
      }
      for (const std::uint32_t t : members_) region_of_[t] = kNone;
    }
    region_of_[seed] = region_++;
    return {triangles_[seed].begin(), triangles_[seed].end()};
  }

 private:
  void collect(std::uint32_t seed, double tolerance) {
    const Vec3 origin = points_[triangles_[seed][0]];
    const Vec3 normal = compute_vector_area(points_, triangles_[seed]).stableNormalized();
    const auto is_near = [&](std::uint32_t v) { return std::abs(normal.dot(points_[v] - origin)) <= tolerance; };
    members_.assign(1, seed);
    region_of_[seed] = region_;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const std::uint32_t t : across_[members_[i]]) {
        if (region_of_[t] != kNone || !std::all_of(triangles_[t].begin(), triangles_[t].end(), is_near)) continue;
        region_of_[t] = region_;
        members_.push_back(t);
      }
    }
  }

  // The boundary of the region as one simple loop, or empty.
  std::vector<std::uint32_t> trace() {
    std::vector<std::uint32_t> loop, tails;
    bool is_simple = true;
    for (const std::uint32_t t : members_) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (region_of_[across_[t][k]] == region_) continue;
        const std::uint32_t tail = triangles_[t][k];
        is_simple = is_simple && next_[tail] == kNone;
        next_[tail] = triangles_[t][(k + 1) % 3];
        tails.push_back(tail);
      }
    }
    if (is_simple && !tails.empty()) {
      std::uint32_t v = tails.front();
      do {
        loop.push_back(v);
        v = next_[v];
      } while (v != tails.front() && loop.size() < tails.size());
      if (v != tails.front() || loop.size() != tails.size()) loop.clear();
    }
    for (const std::uint32_t tail : tails) next_[tail] = kNone;
    return loop;
  }

  std::span<const Vec3> points_;
  std::span<const IndexTriangle> triangles_;
  std::span<const IndexTriangle> across_;
  std::vector<std::uint32_t> region_of_;
  std::vector<std::uint32_t> next_;     // along the boundary being traced
  std::vector<std::uint32_t> members_;  // triangles of the region being grown
  std::uint32_t region_ = 0;
};

std::vector<std::uint32_t> largest_first(std::span<const Vec3> points, std::span<const IndexTriangle> triangles) {
  std::vector<double> areas(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) areas[t] = compute_vector_area(points, triangles[t]).norm();
  std::vector<std::uint32_t> order(triangles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return areas[a] > areas[b]; });
  return order;
}

// A vertex in two loops lies inside their common edge. Taking such vertices out may leave a loop of two, a sliver whose
// sides have become one edge; taking that out may leave further vertices in two loops. Every round but the last removes
// at least one vertex, so it ends.
void drop_needless_vertices(FaceLoops& loops, std::size_t point_count) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::uint32_t> uses(point_count, 0);
    for (const auto& loop : loops) {
      for (const std::uint32_t v : loop) ++uses[v];
    }
    for (auto& loop : loops) {
      changed = std::erase_if(loop, [&](std::uint32_t v) { return uses[v] < 3; }) > 0 || changed;
    }
    std::erase_if(loops, [](const auto& loop) { return loop.size() < 3; });
  }
}

}  // namespace

Vec3 compute_vector_area(std::span<const Vec3> points, std::span<const std::uint32_t> loop) {
  using WideVec3 = Eigen::Matrix<long double, 3, 1>;
  const WideVec3 origin = points[loop[0]].cast<long double>();
  WideVec3 sum = WideVec3::Zero();
  WideVec3 previous = points[loop[1]].cast<long double>() - origin;
  for (std::size_t i = 2; i < loop.size(); ++i) {
    const WideVec3 current = points[loop[i]].cast<long double>() - origin;
    sum += previous.cross(current);
    previous = current;
  }
  return (0.5L * sum).cast<double>();
}

std::optional<FaceLoops> merge_into_faces(std::span<const Vec3> points, std::span<const IndexTriangle> triangles,
                                          double tolerance) {
  const std::vector<IndexTriangle> across = compute_adjacency(triangles);
  if (across.empty()) return std::nullopt;
  RegionGrower grower(points, triangles, across);
  FaceLoops loops;
  for (const std::uint32_t seed : largest_first(points, triangles)) {
    if (!grower.is_taken(seed)) loops.push_back(grower.grow(seed, tolerance));
  }
  drop_needless_vertices(loops, points.size());
  if (loops.size() < 4) return std::nullopt;
  for (const auto& loop : loops) {
    // The direction of a zero area is noise.
    if (!(compute_vector_area(points, loop).stableNorm() > 0)) return std::nullopt;
  }
  return loops;
}

}  // namespace achilles
