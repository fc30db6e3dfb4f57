#include "geometry/hull.hpp"

#include "geometry/hull/faces.hpp"
#include "geometry/hull/triangles.hpp"
#include "geometry/support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace achilles {
namespace {

// An affine map that gives the cloud a spread of about 1 in every direction: y = A (x - origin). The hull's
// combinatorics do not change under it, and a plate a millionth as thick as wide is as easy as a cube.
struct Frame {
  Vec3 origin;
  Mat3 A;
  double size;  // [m] the longest extent
};

template <typename Measure>
std::pair<Vec3, double> find_farthest(std::span<const Vec3> points, Measure measure) {
  std::pair<Vec3, double> best{points[0], -1.0};
  for (const Vec3& point : points) {
    if (const double value = measure(point); value > best.second) best = {point, value};
  }
  return best;
}

Frame find_frame(std::span<const Vec3> points) {
  Aabb bounds;
  for (const Vec3& point : points) bounds.include(point);
  const Vec3 center = bounds.center();
  const Vec3 p0 = find_farthest(points, [&](const Vec3& p) { return (p - center).stableNorm(); }).first;
  const auto [p1, length] = find_farthest(points, [&, o = p0](const Vec3& p) { return (p - o).stableNorm(); });
  if (!(length > 0)) throw std::invalid_argument("The points of a hull are all the same point.");

  const Vec3 u = (p1 - p0) / length;
  const auto off_line = [&](const Vec3& p) { return Vec3((p - p0) - u * u.dot(p - p0)); };
  const auto [p2, width] = find_farthest(points, [&](const Vec3& p) { return off_line(p).stableNorm(); });
  if (width <= kHullFlatness * length) {
    throw std::invalid_argument("The points of a hull lie on a line; a hull needs volume.");
  }
  const Vec3 v = off_line(p2).stableNormalized();
  const Vec3 w = u.cross(v);
  const double thickness = find_farthest(points, [&](const Vec3& p) { return std::abs(w.dot(p - p0)); }).second;
  if (thickness <= kHullFlatness * length) {
    throw std::invalid_argument("The points of a hull lie on a plane; a hull needs volume.");
  }
  Frame frame{p0, Mat3::Zero(), length};
  frame.A.row(0) = u.transpose() / length;
  frame.A.row(1) = v.transpose() / width;
  frame.A.row(2) = w.transpose() / thickness;
  return frame;
}

// Leaves out points that are within `tolerance` of one kept before. They are met in the order of their height along a
// direction no grid is aligned with, so that only a few need comparing.
std::vector<Vec3> weld(std::span<const Vec3> points, double tolerance) {
  const Vec3 direction = Vec3(0.5377, 0.7319, 0.4186).normalized();
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < points.size(); ++i) order.emplace_back(direction.dot(points[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<std::pair<double, std::size_t>> kept;
  for (const auto& [height, index] : order) {
    const auto is_same = [&, i = index](const auto& other) {
      return (points[other.second] - points[i]).squaredNorm() <= tolerance * tolerance;
    };
    auto window = kept.end();
    while (window != kept.begin() && height - std::prev(window)->first <= tolerance) --window;
    if (std::none_of(window, kept.end(), is_same)) kept.emplace_back(height, index);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Vec3> result;
  for (const auto& entry : kept) result.push_back(points[entry.second]);
  return result;
}

// Numbers the vertices that the loops use, in the order of the points.
void set_faces(HullGeometry& hull, std::span<const Vec3> points, const FaceLoops& loops) {
  std::vector<std::uint32_t> number(points.size(), 0);
  for (const auto& loop : loops) {
    for (const std::uint32_t v : loop) number[v] = 1;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] == 0) continue;
    number[i] = static_cast<std::uint32_t>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
  }
  hull.face_start.push_back(0);
  for (const auto& loop : loops) {
    for (const std::uint32_t v : loop) hull.face_vertices.push_back(number[v]);
    hull.face_start.push_back(static_cast<std::uint32_t>(hull.face_vertices.size()));
    hull.face_normals.push_back(compute_vector_area(points, loop).stableNormalized());
  }
}

// Whether every directed edge of the loops has its opposite and the surface is a sphere (Euler: V - E + F = 2).
bool set_edges(HullGeometry& hull) {
  struct DirectedEdge {
    std::uint32_t low, high, is_reversed, face;
    auto operator<=>(const DirectedEdge&) const = default;
  };
  std::vector<DirectedEdge> directed;
  const auto face_count = static_cast<std::uint32_t>(hull.face_normals.size());
  for (std::uint32_t f = 0; f < face_count; ++f) {
    const auto loop =
        std::span(hull.face_vertices).subspan(hull.face_start[f], hull.face_start[f + 1] - hull.face_start[f]);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::uint32_t tail = loop[i], head = loop[(i + 1) % loop.size()];
      directed.push_back({std::min(tail, head), std::max(tail, head), tail > head ? 1U : 0U, f});
    }
  }
  std::sort(directed.begin(), directed.end());
  if (directed.size() % 2 != 0 || hull.vertices.size() + face_count != directed.size() / 2 + 2) return false;
  for (std::size_t i = 0; i < directed.size(); i += 2) {
    const DirectedEdge &forward = directed[i], &backward = directed[i + 1];
    const bool is_pair = forward.low == backward.low && forward.high == backward.high && forward.is_reversed == 0 &&
                         backward.is_reversed == 1;
    if (!is_pair) return false;
    hull.edges.push_back({forward.low, forward.high, forward.face, backward.face});
  }
  return true;
}

void set_neighbors(HullGeometry& hull) {
  hull.neighbor_start.assign(hull.vertices.size() + 1, 0);
  for (const auto& edge : hull.edges) {
    ++hull.neighbor_start[edge.tail + 1];
    ++hull.neighbor_start[edge.head + 1];
  }
  std::partial_sum(hull.neighbor_start.begin(), hull.neighbor_start.end(), hull.neighbor_start.begin());
  std::vector<std::uint32_t> fill(hull.neighbor_start.begin(), hull.neighbor_start.end() - 1);
  hull.neighbors.resize(2 * hull.edges.size());
  for (const auto& edge : hull.edges) {
    hull.neighbors[fill[edge.tail]++] = edge.head;
    hull.neighbors[fill[edge.head]++] = edge.tail;
  }
}

// The planes touch the hull from outside: no vertex is above, whatever rounding did to a normal. Returns the largest
// distance by which a face's own vertex hangs below its plane.
double set_planes(HullGeometry& hull) {
  double worst = 0;
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const Vec3& normal = hull.face_normals[f];
    const std::uint32_t top = support_vertex(hull, normal, hull.face_vertices[hull.face_start[f]]);
    double highest = normal.dot(hull.vertices[top]);
    double lowest = highest;
    for (std::uint32_t i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i) {
      const double height = normal.dot(hull.vertices[hull.face_vertices[i]]);
      highest = std::max(highest, height);
      lowest = std::min(lowest, height);
    }
    hull.face_offsets.push_back(highest);
    worst = std::max(worst, highest - lowest);
  }
  return worst;
}

void set_center(HullGeometry& hull) {
  const Vec3 origin = hull.vertices[0];
  double volume = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const Vec3 a = hull.vertices[hull.face_vertices[hull.face_start[f]]] - origin;
    for (std::uint32_t i = hull.face_start[f] + 1; i + 1 < hull.face_start[f + 1]; ++i) {
      const Vec3 b = hull.vertices[hull.face_vertices[i]] - origin;
      const Vec3 c = hull.vertices[hull.face_vertices[i + 1]] - origin;
      const double six_volumes = a.dot(b.cross(c));
      volume += six_volumes;
      moment += six_volumes * (a + b + c) / 4;
    }
  }
  hull.center = origin + moment / volume;
}

void set_vertex_lanes(HullGeometry& hull) {
  constexpr std::size_t kLanes = 4;
  for (std::size_t first = 0; first < hull.vertices.size(); first += kLanes) {
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t i = first; i < first + kLanes; ++i) {
        hull.vertex_lanes.push_back(hull.vertices[i < hull.vertices.size() ? i : 0][axis]);
      }
    }
  }
}

void set_axis_extremes(HullGeometry& hull) {
  for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
    for (int axis = 0; axis < 3; ++axis) {
      auto& highest = hull.axis_extremes[static_cast<std::size_t>(2 * axis)];
      auto& lowest = hull.axis_extremes[static_cast<std::size_t>(2 * axis + 1)];
      if (hull.vertices[v][axis] > hull.vertices[highest][axis]) highest = v;
      if (hull.vertices[v][axis] < hull.vertices[lowest][axis]) lowest = v;
    }
  }
}

std::optional<HullGeometry> try_hull(std::span<const Vec3> points, const Frame& frame, HullTies ties,
                                     std::string& complaint) {
  std::vector<Vec3> even;
  even.reserve(points.size());
  for (const Vec3& point : points) even.emplace_back(frame.A * (point - frame.origin));
  const std::vector<IndexTriangle> triangles = compute_hull_triangles(even, ties, complaint);
  if (triangles.empty()) return std::nullopt;
  // A joggled hull is off by up to a few joggles, and then so must be what counts as flat.
  const double resolution = ties == HullTies::kMerge ? kHullResolution : 30 * kHullResolution;
  const std::optional<FaceLoops> loops = merge_into_faces(points, triangles, resolution * frame.size);
  complaint = "the faces do not close";
  if (!loops) return std::nullopt;
  HullGeometry hull;
  set_faces(hull, points, *loops);
  if (!set_edges(hull)) return std::nullopt;
  set_neighbors(hull);
  set_axis_extremes(hull);
  set_vertex_lanes(hull);
  if (set_planes(hull) > 10 * resolution * frame.size) {
    complaint = "the faces are not flat";
    return std::nullopt;
  }
  set_center(hull);
  return hull;
}

}  // namespace

HullGeometry make_hull(std::span<const Vec3> points) {
  if (points.size() < 4) {
    throw std::invalid_argument(fmt::format("A hull needs at least 4 points, but there are {}.", points.size()));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].allFinite()) continue;
    throw std::invalid_argument(fmt::format("Point {} of a hull is not finite.", i));
  }
  const Frame frame = find_frame(points);
  const std::vector<Vec3> distinct = weld(points, kHullResolution * frame.size);
  std::string complaint;
  for (const HullTies ties : {HullTies::kMerge, HullTies::kJoggle}) {
    if (std::optional<HullGeometry> hull = try_hull(distinct, frame, ties, complaint)) return *std::move(hull);
  }
  throw std::invalid_argument(
      fmt::format("The convex hull of {} points could not be built: {}.", points.size(), complaint));
}

}  // namespace achilles
