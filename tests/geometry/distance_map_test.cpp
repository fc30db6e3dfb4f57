// Distance maps: which points are sampled, how exact the grid is.
#include "geometry/distance_map_geometry.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "geometry/mesh/winding.hpp"
#include "geometry/sample.hpp"

namespace achilles {
namespace {

// [Erleben04, table 6.4]: a box of 152 vertices, 450 edges, 300 faces. 12 edges with 4 inner vertices and 8 corners are
// 56 vertices on bent edges; the 60 pieces of those edges get 8 samples each when they are between 8 and 9 thresholds
// long; each of the 6 sides is one flat region.
TEST(DistanceMapSamples, OfTheBoxAreAsManyAsInTheTable) {
  const MeshGeometry box = make_mesh_geometry(sample::box_mesh({1, 1, 1}, 5));
  ASSERT_EQ(box.vertices.size(), 152u);
  const double cell = 0.2 / 8.5 / std::sqrt(3.0);
  EXPECT_EQ(make_samples(box, cell, SampleKind::kVertices).size(), 56u);
  EXPECT_EQ(make_samples(box, cell, SampleKind::kVerticesAndEdges).size(), 536u);
  EXPECT_EQ(make_samples(box, cell, SampleKind::kAll).size(), 542u);
  // The tree has one leaf to a sample; the table has 754 nodes for 542 samples.
  const std::size_t balls = make_sample_tree(make_samples(box, cell)).size();
  EXPECT_GT(balls, 542u);
  EXPECT_LT(balls, 1084u);
}

// [Erleben04, table 6.5]: of a free-form mesh of 752 vertices, 2250 edges every vertex is a sample, and with edges
// sampled as finely as there (about five to an edge) there are some sixteen times as many.
TEST(DistanceMapSamples, OfAFreeFormMeshAreOfTheOrderInTheTable) {
  const MeshGeometry torus = make_mesh_geometry(sample::torus_mesh(1, 0.4, 47, 16));
  ASSERT_EQ(torus.vertices.size(), 752u);
  EXPECT_EQ(make_samples(torus, 0.01, SampleKind::kVertices).size(), 752u);
  double length = 0;
  for (const auto& [a, b, c] : torus.triangles) {
    length += 0.5 * ((torus.vertices[b] - torus.vertices[a]).norm() + (torus.vertices[c] - torus.vertices[b]).norm() +
                     (torus.vertices[a] - torus.vertices[c]).norm());
  }
  const double cell = length / 2256 / 6 / std::sqrt(3.0);
  const std::size_t count = make_samples(torus, cell, SampleKind::kVerticesAndEdges).size();
  EXPECT_GT(count, 6000u);
  EXPECT_LT(count, 24000u);
}

TEST(DistanceMapSamples, AreEachInOneLeafAndInAllBallsAbove) {
  const std::vector<Vec3> samples = make_samples(make_mesh_geometry(sample::torus_mesh(1, 0.4, 20, 12)), 0.1);
  const std::vector<SampleBall> balls = make_sample_tree(samples);
  std::vector<int> seen(samples.size(), 0);
  const auto check = [&](auto&& self, std::uint32_t at, std::vector<std::uint32_t> above) -> void {
    const SampleBall& ball = balls[at];
    if (ball.children == 0) {
      ++seen[ball.first];
      for (const std::uint32_t k : above) {
        EXPECT_LE((samples[ball.first] - balls[k].center).norm(), balls[k].radius * (1 + 1e-12));
      }
      return;
    }
    EXPECT_LE(ball.children, 8u);
    above.push_back(at);
    for (std::uint32_t i = 0; i < ball.children; ++i) self(self, ball.first + i, above);
  };
  check(check, 0, {});
  EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), static_cast<int>(samples.size()));
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(DistanceGrid, IsRightWithinHalfACellNearTheSurface) {
  sample::Random random(3);
  for (const Mesh& mesh :
       {sample::box_mesh({1, 0.7, 0.5}, 1), sample::sphere_mesh(2, 0.5), sample::torus_mesh(0.5, 0.2, 16, 8)}) {
    const double cell = 0.05;
    const MeshGeometry surface = make_mesh_geometry(mesh);
    const DistanceGrid grid = make_distance_grid(surface, cell);
    for (int trial = 0; trial < 2000; ++trial) {
      const Vec3 x = random.in_cube(0.8);
      const double distance = find_closest_point(surface, x).distance;
      const bool inside = compute_exact_winding_number(surface, x) > 0.5;
      const double exact = inside ? -distance : distance;
      const DistanceGrid::Value value = grid.look_up(x);
      // Elsewhere blocks are interpolated whole: never off by more than their diagonal allows.
      const bool near = distance <= cell;
      EXPECT_NEAR(value.distance, exact, near ? 0.5 * cell : 8 * std::sqrt(3.0) * cell);
      if (distance > 0.5 * cell && near) {
        EXPECT_EQ(value.distance < 0, inside);
      }
    }
  }
}

// What the tree of samples is pruned by: the true distance is no less than the bound, and exceeds the interpolated one
// by no more than the error stated for it.
TEST(DistanceGrid, BoundsHoldEverywhere) {
  sample::Random random(4);
  for (const double cell : {0.02, 0.05}) {
    for (const Mesh& mesh : {sample::box_mesh({1, 0.7, 0.5}, 1), sample::torus_mesh(0.5, 0.2, 16, 8)}) {
      const MeshGeometry surface = make_mesh_geometry(mesh);
      const DistanceGrid grid = make_distance_grid(surface, cell);
      for (int trial = 0; trial < 2000; ++trial) {
        const Vec3 x = random.in_cube(1.5);
        const double distance = find_closest_point(surface, x).distance;
        const double exact = compute_exact_winding_number(surface, x) > 0.5 ? -distance : distance;
        EXPECT_LE(grid.bound_below(x), exact);
        const double found = grid.look_up(x).distance;
        EXPECT_LE(exact, found + grid.error_up_to(found));
        if (distance < cell) {
          EXPECT_GE(grid.bound_below(x), exact - 2 * cell);
        }
      }
    }
  }
}

TEST(DistanceGrid, OfAFlatSideIsExactWithItsNormalAsGradient) {
  const DistanceGrid grid = make_distance_grid(make_mesh_geometry(sample::box_mesh({1, 1, 1}, 2)), 0.05);
  for (const double height : {-0.1, -0.01, 0.0, 0.03, 0.1}) {
    const DistanceGrid::Value value = grid.look_up(Vec3(0.11, -0.07, 0.5 + height));
    EXPECT_NEAR(value.distance, height, 1e-7);  // stored in single precision
    EXPECT_TRUE(value.gradient.isApprox(Vec3::UnitZ(), 1e-5));
  }
}

TEST(DistanceGrid, KeepsOnlyTheBlocksNearTheSurface) {
  const DistanceGrid grid = make_distance_grid(make_mesh_geometry(sample::sphere_mesh(2, 1)), 0.02);
  const std::size_t all = grid.block_at.size(), kept = grid.fine.size() / DistanceGrid::kNodes;
  EXPECT_EQ(all, static_cast<std::size_t>(grid.blocks[0]) * static_cast<std::size_t>(grid.blocks[1]) *
                     static_cast<std::size_t>(grid.blocks[2]));
  EXPECT_LT(kept, all / 2);
}

TEST(DistanceMapGeometry, RefusesWhatEnclosesNothing) {
  DistanceMap map{sample::box_mesh({1, 1, 1}, 1), 0.1};
  EXPECT_NO_THROW((void)make_distance_map(map));
  EXPECT_THROW((void)make_distance_map({map.mesh, 0}), std::invalid_argument);
  EXPECT_THROW((void)make_distance_map({map.mesh, 1e-9}), std::invalid_argument);
  map.mesh.triangles.pop_back();
  EXPECT_THROW((void)make_distance_map(map), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
