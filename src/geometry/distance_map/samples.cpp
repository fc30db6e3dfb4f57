#include "geometry/distance_map_geometry.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <random>

namespace achilles {
namespace {

constexpr double kLargeRegion = 4;  // cell sides: flat regions larger than this get samples of their own
/// Cell sides. All nodes of the cell about a sample know this face and no other: they are at most √3 cell sides away,
/// and one at depth d and lateral distance l is nearest to this face if d ≤ inset - l, where d + l ≤ √2 √3.
const double kInset = std::sqrt(6.0);

bool is_bent(const MeshGeometry& mesh, std::size_t triangle, std::size_t k) {
  return mesh.edge_kinds[triangle][k] != MeshEdgeKind::kFlat;
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

/// Triangles that lie in one plane and are joined by their edges.
struct FlatRegion {
  std::vector<std::uint32_t> triangles;
  double area = 0;           // [m²]
  Vec3 mean = Vec3::Zero();  // [m] of the corners of all triangles
  Vec3 normal = Vec3::Zero();
  std::vector<std::array<Vec3, 2>> border;  // [m] bent edges, with the region on their left
};

FlatRegion collect_region(const MeshGeometry& mesh, std::uint32_t seed, std::vector<bool>& is_taken) {
  FlatRegion region;
  region.triangles.push_back(seed);
  region.normal = mesh.normals[seed];
  is_taken[seed] = true;
  for (std::size_t i = 0; i < region.triangles.size(); ++i) {
    const std::uint32_t t = region.triangles[i];
    const auto& [a, b, c] = mesh.triangle(t).corners;
    region.mean += a + b + c;
    region.area += 0.5 * (b - a).cross(c - a).norm();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t other = mesh.across[t][k];
      if (is_bent(mesh, t, k)) {
        region.border.push_back({mesh.vertices[mesh.triangles[t][k]], mesh.vertices[mesh.triangles[t][(k + 1) % 3]]});
      } else if (other != kNoTriangle && !is_taken[other]) {
        is_taken[other] = true;
        region.triangles.push_back(other);
      }
    }
  }
  region.mean /= 3.0 * static_cast<double>(region.triangles.size());
  return region;
}

/// How far x, in the region's plane, is inside the line through a border edge [m].
double inset_of(const Vec3& x, const std::array<Vec3, 2>& edge, const Vec3& normal) {
  return normal.cross(edge[1] - edge[0]).normalized().dot(x - edge[0]);
}

// Corners of the region, moved towards its middle until they are `inset` away from both edges that meet there, or half
// way where the region is narrow. The map of another body is exact for them when the two regions lie on each other edge
// over edge; at the edges themselves it is rounded. Corners that do not see the middle have none.
void add_inset_corners(const FlatRegion& region, double inset, std::vector<Vec3>& samples) {
  for (const std::array<Vec3, 2>& edge : region.border) {
    for (const std::array<Vec3, 2>& next : region.border) {
      if (next[0] != edge[1]) continue;
      const double nearest =
          std::min(inset_of(region.mean, edge, region.normal), inset_of(region.mean, next, region.normal));
      if (nearest <= 0) continue;
      const Vec3 x = edge[1] + std::min(inset / nearest, 0.5) * (region.mean - edge[1]);
      const bool is_inside = std::all_of(region.border.begin(), region.border.end(),
                                         [&](const auto& side) { return inset_of(x, side, region.normal) > 0; });
      if (is_inside) samples.push_back(x);
    }
  }
}

// The middle of a flat region, put back on the surface where the region is not convex [Erleben04, sec. 6.2.1]. On the
// middle alone a body can turn freely: the inset corners, which the thesis does not have, carry it.
void add_regions(const MeshGeometry& mesh, double cell, bool with_corners, std::vector<Vec3>& samples) {
  std::vector<bool> is_taken(mesh.triangles.size(), false);
  for (std::uint32_t seed = 0; seed < mesh.triangles.size(); ++seed) {
    if (is_taken[seed]) continue;
    const FlatRegion region = collect_region(mesh, seed, is_taken);
    if (region.area <= kLargeRegion * cell * cell) continue;
    samples.push_back(find_closest_point(mesh, region.mean).point);
    if (with_corners) add_inset_corners(region, kInset * cell, samples);
  }
}

/// The smallest ball about some points, [Welzl91]: the ball of all but one, unless that one is outside; then it is on
/// the rim. Expected linear time for points in random order.
struct Ball {
  Vec3 center = Vec3::Zero();
  double squared_radius = -1;  // [m²] negative: no points

  [[nodiscard]] bool holds(const Vec3& x) const { return (x - center).squaredNorm() <= squared_radius * (1 + 1e-12); }
};

/// The ball with all of up to four points on its rim and its centre in their span.
Ball make_rim_ball(std::span<const Vec3> rim) {
  if (rim.empty()) return {};
  const auto count = static_cast<Eigen::Index>(rim.size() - 1);
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> spans(3, count);
  for (Eigen::Index i = 0; i < count; ++i) spans.col(i) = rim[static_cast<std::size_t>(i) + 1] - rim[0];
  if (count == 0) return {rim[0], 0};
  // (center - rim₀)·spansᵢ = ½ |spansᵢ|² with the centre a sum of the spans.
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1> right = 0.5 * spans.colwise().squaredNorm().transpose();
  const Vec3 arm = spans * (spans.transpose() * spans).fullPivLu().solve(right);
  return {rim[0] + arm, arm.squaredNorm()};
}

Ball find_smallest_ball(std::span<const Vec3> points, std::vector<Vec3>& rim) {
  Ball ball = make_rim_ball(rim);
  if (rim.size() == 4) return ball;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (ball.holds(points[i])) continue;
    rim.push_back(points[i]);
    ball = find_smallest_ball(points.first(i), rim);
    rim.pop_back();
  }
  return ball;
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
    Vec3 mean = Vec3::Zero();
    points_.clear();
    for (const std::uint32_t i : members) {
      mean += samples_[i];
      points_.push_back(samples_[i]);
    }
    mean /= static_cast<double>(members.size());
    std::shuffle(points_.begin(), points_.end(), std::minstd_rand(1));
    const Vec3 center = find_smallest_ball(points_, rim_).center;
    double radius = 0;
    for (const std::uint32_t i : members) radius = std::max(radius, (samples_[i] - center).norm());

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
    balls_[at] = {center, radius, first, static_cast<std::uint32_t>(parts.size())};
    balls_.resize(balls_.size() + parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) split(first + static_cast<std::uint32_t>(k), parts[k]);
  }

  std::span<const Vec3> samples_;
  std::vector<SampleBall> balls_;
  std::vector<Vec3> points_, rim_;
};

}  // namespace

std::vector<Vec3> make_samples(const MeshGeometry& mesh, double cell, SampleKind kind, double spacing) {
  std::vector<Vec3> samples;
  add_vertices(mesh, samples);
  if (kind != SampleKind::kVertices) add_edges(mesh, std::max(spacing, std::sqrt(3.0) * cell), samples);
  if (kind >= SampleKind::kAll) add_regions(mesh, cell, kind == SampleKind::kAllAndInsetCorners, samples);
  return samples;
}

std::vector<SampleBall> make_sample_tree(std::span<const Vec3> samples) { return BallTree(samples).build(); }

}  // namespace achilles
