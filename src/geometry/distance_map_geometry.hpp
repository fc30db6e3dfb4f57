// Signed distance maps of closed meshes, [Erleben04, sec. 6.2]: a grid of distances to look points up in, and the
// points of the surface to look up in the grids of others.
#pragma once

#include "geometry/mesh_geometry.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace achilles {

/// Distances at the nodes of a grid, negative inside. Nodes come in blocks of 8³ cells; a block that the surface is
/// near has all its nodes, of the others only the corners are known.
struct DistanceGrid {
  static constexpr int kBlock = 8;               // cells
  static constexpr int kNodes = 9 * 9 * 9;       // of a block, its far sides included
  static constexpr std::uint32_t kCoarse = ~0u;  // a block without nodes of its own

  Vec3 origin = Vec3::Zero();           // [m] of the first node
  double cell = 0;                      // [m]
  std::array<int, 3> blocks{};          // along x, y, z
  std::vector<std::uint32_t> block_at;  // number among the stored blocks, x fastest
  std::vector<float> fine;              // [m] kNodes to a stored block
  std::vector<float> coarse;            // [m] at the corners of all blocks
  /// No two places of the box are farther apart in look_up than this times the way between them; infinite where blocks
  /// without nodes make it jump.
  double steepness = std::numeric_limits<double>::infinity();

  struct Value {
    double distance = 0;           // [m]
    Vec3 gradient = Vec3::Zero();  // of the interpolation; about unit length near the surface
  };
  /// Trilinear between the nodes. Within a cell of the surface the error is below half a cell. Outside the grid the
  /// value at its rim grown by the way to it.
  [[nodiscard]] Value look_up(const Vec3& x) const;

  /// Less than the true distance of x, by one or two cells near the surface.
  [[nodiscard]] double bound_below(const Vec3& x) const;

  /// No more than look_up gives anywhere within `radius` [m] of x.
  [[nodiscard]] double bound_look_up(const Vec3& x, double radius) const;

  /// How much farther from the surface [m] a point may truly be than look_up returns, where that is up to `distance`.
  [[nodiscard]] double error_up_to(double distance) const;
};

/// A ball about some of the samples. Children of a node are consecutive; a leaf is one sample.
struct SampleBall {
  Vec3 center = Vec3::Zero();  // [m]
  double radius = 0;           // [m] 0 for a leaf
  std::uint32_t first = 0;     // child, or the sample's number
  std::uint32_t children = 0;  // 0 for a leaf
};

/// Outward normals of the faces that meet at each sample: what touches there from outside does so along a direction
/// that they span. None where the surface is not convex.
struct NormalCones {
  std::vector<std::uint32_t> start;  // normals[start[i] .. start[i + 1]) of sample i
  std::vector<Vec3> normals;         // unit

  [[nodiscard]] std::span<const Vec3> of(std::uint32_t sample) const {
    return std::span(normals).subspan(start[sample], start[sample + 1] - start[sample]);
  }
};

struct DistanceMapGeometry {
  MeshGeometry mesh;
  DistanceGrid grid;
  std::vector<Vec3> samples;      // [m] on the surface
  std::vector<SampleBall> balls;  // the root first
  NormalCones cones;              // of the samples
};

/// How much of the surface is sampled: up to kAll as in [Erleben04, sec. 6.2.1]; kAllAndInsetCorners is what maps use.
enum class SampleKind : std::uint8_t { kVertices, kVerticesAndEdges, kAll, kAllAndInsetCorners };

/// Vertices that some edge bends at; points of bent edges not further apart than the diagonal of a cell, or `spacing`
/// [m] where that is more; the middles of flat regions that are larger than a few cells; the corners of these regions,
/// moved inward. Without the last, two boxes that lie on each other edge over edge touch at the middle alone, because a
/// map is rounded at its edges.
[[nodiscard]] std::vector<Vec3> make_samples(const MeshGeometry& mesh, double cell, SampleKind kind = SampleKind::kAll,
                                             double spacing = 0);

[[nodiscard]] NormalCones make_normal_cones(const MeshGeometry& mesh, std::span<const Vec3> samples);

/// The point nearest to d of all sums of the normals with weights of at least zero.
[[nodiscard]] Vec3 project_onto_cone(std::span<const Vec3> normals, const Vec3& d);

/// Eight-way splits about the mean, with smallest enclosing balls, [Erleben04, sec. 6.2.2].
[[nodiscard]] std::vector<SampleBall> make_sample_tree(std::span<const Vec3> samples);

/// Distance to the mesh with the sign of its winding number. Cost: the surface's area over cell², times log n.
[[nodiscard]] DistanceGrid make_distance_grid(const MeshGeometry& mesh, double cell);

/// Throws std::invalid_argument when the mesh is not closed (naming an open edge), has no volume, or the cell is not
/// positive or so small that the grid has more than 2^22 blocks.
[[nodiscard]] DistanceMapGeometry make_distance_map(const DistanceMap& map);

/// Calls visit(sample number) for every sample below a ball for which is_near(center, radius) holds all the way down.
template <typename IsNear, typename Visit>
void visit_samples(const DistanceMapGeometry& map, IsNear&& is_near, Visit&& visit) {
  std::array<std::uint32_t, 1024> stack;  // at most seven siblings wait on each of fewer than a hundred levels
  std::size_t depth = 0;
  if (!map.balls.empty()) stack[depth++] = 0;
  while (depth > 0) {
    const SampleBall& ball = map.balls[stack[--depth]];
    if (!is_near(ball.center, ball.radius)) continue;
    if (ball.children == 0) {
      visit(ball.first);
      continue;
    }
    for (std::uint32_t i = ball.children; i-- > 0;) stack[depth++] = ball.first + i;
  }
}

}  // namespace achilles
