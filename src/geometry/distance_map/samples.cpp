#include "geometry/distance_map_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kLargeRegion = 4;  // cell sides: flat regions larger than this get a sample in their middle

bool is_bent(const MeshGeometry& mesh, std::size_t triangle, std::size_t k) {
  return mesh.edge_kinds[triangle][k] != EdgeKind::kFlat;
}

void add_vertices(const MeshGeometry& mesh, std::vector<Vec3>& samples) {
  std::vector<bool> is_sharp(mesh.vertices.size(), false);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!is_bent(mesh, t, k)) continue;
      is_sharp[mesh.triangles[t][k]] = true;
      is_sharp[mesh.triangles[t][(k + 1) % 3]] = true;
    }
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (is_sharp[v]) samples.push_back(mesh.vertices[v]);
  }
}

void add_edges(const MeshGeometry& mesh, double threshold, std::vector<Vec3>& samples) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t other = mesh.across[t][k];
      if (!is_bent(mesh, t, k) || (other != kNoTriangle && other < t)) continue;
      const Vec3& tail = mesh.vertices[mesh.triangles[t][k]];
      const Vec3& head = mesh.vertices[mesh.triangles[t][(k + 1) % 3]];
      const auto parts = static_cast<int>(std::ceil((head - tail).norm() / threshold));
      for (int i = 1; i < parts; ++i) samples.push_back(tail + (static_cast<double>(i) / parts) * (head - tail));
    }
  }
}

// The mean of the corners of all faces of a flat region, put back on the surface where the region is not convex.
void add_regions(const MeshGeometry& mesh, double cell, std::vector<Vec3>& samples) {
  std::vector<bool> is_taken(mesh.triangles.size(), false);
  std::vector<std::uint32_t> pending;
  for (std::uint32_t seed = 0; seed < mesh.triangles.size(); ++seed) {
    if (is_taken[seed]) continue;
    Vec3 sum = Vec3::Zero();
    double corners = 0, area = 0;
    pending.assign(1, seed);
    is_taken[seed] = true;
    while (!pending.empty()) {
      const std::uint32_t t = pending.back();
      pending.pop_back();
      const auto& [a, b, c] = mesh.triangle(t).corners;
      sum += a + b + c;
      corners += 3;
      area += 0.5 * (b - a).cross(c - a).norm();
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t other = mesh.across[t][k];
        if (other == kNoTriangle || is_taken[other] || is_bent(mesh, t, k)) continue;
        is_taken[other] = true;
        pending.push_back(other);
      }
    }
    if (area > kLargeRegion * cell * cell) samples.push_back(find_closest_point(mesh, sum / corners).point);
  }
}

class BallTree {
 public:
  explicit BallTree(std::span<const Vec3> samples) : samples_(samples) {}

  std::vector<SampleBall> build() {
    std::vector<std::uint32_t> order(samples_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    if (order.empty()) return {};
    balls_.emplace_back();
    split(0, order);
    return std::move(balls_);
  }

 private:
  void split(std::uint32_t at, std::span<std::uint32_t> members) {
    if (members.size() == 1) {
      balls_[at] = {samples_[members[0]], 0, members[0], 0};
      return;
    }
    Aabb box;
    Vec3 mean = Vec3::Zero();
    for (const std::uint32_t i : members) {
      box.include(samples_[i]);
      mean += samples_[i];
    }
    mean /= static_cast<double>(members.size());
    double radius = 0;
    for (const std::uint32_t i : members) radius = std::max(radius, (samples_[i] - box.center()).norm());

    const auto octant = [&](std::uint32_t i) {
      const Vec3& x = samples_[i];
      return (x.x() > mean.x() ? 1 : 0) + (x.y() > mean.y() ? 2 : 0) + (x.z() > mean.z() ? 4 : 0);
    };
    std::sort(members.begin(), members.end(),
              [&](std::uint32_t p, std::uint32_t q) { return octant(p) != octant(q) ? octant(p) < octant(q) : p < q; });
    // Few samples, or samples at one place, become a leaf each.
    const bool is_small = members.size() <= 8 || octant(members.front()) == octant(members.back());
    std::vector<std::span<std::uint32_t>> parts;
    for (std::size_t begin = 0; begin < members.size();) {
      std::size_t end = begin + 1;
      while (!is_small && end < members.size() && octant(members[end]) == octant(members[begin])) ++end;
      parts.push_back(members.subspan(begin, end - begin));
      begin = end;
    }
    const auto first = static_cast<std::uint32_t>(balls_.size());
    balls_[at] = {box.center(), radius, first, static_cast<std::uint32_t>(parts.size())};
    balls_.resize(balls_.size() + parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) split(first + static_cast<std::uint32_t>(k), parts[k]);
  }

  std::span<const Vec3> samples_;
  std::vector<SampleBall> balls_;
};

}  // namespace

std::vector<Vec3> make_samples(const MeshGeometry& mesh, double cell, SampleKind kind) {
  std::vector<Vec3> samples;
  add_vertices(mesh, samples);
  if (kind != SampleKind::kVertices) add_edges(mesh, std::sqrt(3.0) * cell, samples);
  if (kind == SampleKind::kAll) add_regions(mesh, cell, samples);
  return samples;
}

std::vector<SampleBall> make_sample_tree(std::span<const Vec3> samples) { return BallTree(samples).build(); }

}  // namespace achilles
