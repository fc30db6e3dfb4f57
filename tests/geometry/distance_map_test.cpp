// Distance maps: which points are sampled, how exact the grid is.
#include "geometry/distance_map_geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

// [Erleben04, sec. 6.2.1]: the threshold of sampling is the larger of the user's and the diagonal of a cell. A unit
// cube sampled at a quarter of its edge has 3 points within each of 12 edges besides its 8 corners.
TEST(DistanceMapSamples, EdgesAreSampledAtTheLargerOfSpacingAndDiagonal) {
  const MeshGeometry cube = make_mesh_geometry(sample::box_mesh({1, 1, 1}, 1));
  const auto count = [&](double cell, double spacing) {
    return make_samples(cube, cell, SampleKind::kVerticesAndEdges, spacing).size();
  };
  EXPECT_EQ(count(0.01, 0.25), 8u + 12 * 3);
  EXPECT_EQ(count(0.01, 0), 8u + 12 * 57);  // 1 / (√3 0.01) = 57.7: 58 parts
  EXPECT_EQ(count(0.01, 0.001), count(0.01, 0));
  const DistanceMap fine{sample::box_mesh({1, 1, 1}, 1), 0.05, 0}, coarse{fine.mesh, 0.05, 0.5};
  EXPECT_GT(make_distance_map(fine).samples.size(), make_distance_map(coarse).samples.size());
  EXPECT_THROW((void)make_distance_map({fine.mesh, 0.05, -1}), std::invalid_argument);
}

// Normals that meet at a corner, an edge and a side of a cube; a direction between them stays, others go to the
// nearest.
TEST(NormalCones, OfACubeAreSpannedByTheFacesThatMeet) {
  const MeshGeometry cube = make_mesh_geometry(sample::box_mesh({2, 2, 2}, 2));
  const std::vector<Vec3> samples{Vec3(1, 1, 1), Vec3(1, 1, 0.3), Vec3(1, 0.2, 0.3), Vec3(1, 0, 0)};
  const NormalCones cones = make_normal_cones(cube, samples);
  EXPECT_EQ(cones.of(0).size(), 3u);
  EXPECT_EQ(cones.of(1).size(), 2u);
  EXPECT_EQ(cones.of(2).size(), 1u);
  EXPECT_EQ(cones.of(3).size(), 1u);  // a vertex in the middle of a side
  const Vec3 d = Vec3(1, 2, 3).normalized();
  EXPECT_LT((project_onto_cone(cones.of(0), d) - d).norm(), 1e-12);
  EXPECT_LT((project_onto_cone(cones.of(1), d) - Vec3(d.x(), d.y(), 0)).norm(), 1e-12);
  EXPECT_LT((project_onto_cone(cones.of(2), d) - Vec3(d.x(), 0, 0)).norm(), 1e-12);
  EXPECT_LT((project_onto_cone(cones.of(1), Vec3(-1, 2, 0)) - Vec3(0, 2, 0)).norm(), 1e-12);
  EXPECT_EQ(project_onto_cone(cones.of(1), Vec3(-1, -1, 1)), Vec3(Vec3::Zero()));
}

// Along a ring's inner side the surface is curved both ways: no direction is ruled out there.
TEST(NormalCones, AreNoneWhereTheSurfaceIsNotConvex) {
  const MeshGeometry torus = make_mesh_geometry(sample::torus_mesh(1, 0.4, 20, 12));
  const std::vector<Vec3> samples{Vec3(0.6, 0, 0), Vec3(1.4, 0, 0)};
  const NormalCones cones = make_normal_cones(torus, samples);
  EXPECT_TRUE(cones.of(0).empty());
  EXPECT_FALSE(cones.of(1).empty());
}

// √6 cells from both edges that meet at the corner: there all nodes of a cell know one face alone.
TEST(DistanceMapSamples, InsetCornersLieOnTheFacesAwayFromTheEdges) {
  const double cell = 0.07;
  const MeshGeometry cube = make_mesh_geometry(sample::box_mesh({1, 1, 1}, 1));
  const std::size_t before = make_samples(cube, cell).size();
  const std::vector<Vec3> samples = make_samples(cube, cell, SampleKind::kAllAndInsetCorners);
  int corners = 0;
  for (const Vec3& x : samples) {
    Vec3 depth = Vec3::Constant(0.5) - x.cwiseAbs();
    std::sort(depth.begin(), depth.end());
    EXPECT_NEAR(depth[0], 0, 1e-12);
    if (std::abs(depth[1] - std::sqrt(6.0) * cell) < 1e-12 && std::abs(depth[2] - depth[1]) < 1e-12) ++corners;
  }
  EXPECT_EQ(corners, 24);
  EXPECT_EQ(samples.size(), before + 24);
}

// No other ball about the samples is smaller than the root: wherever its centre moves, some sample gets farther.
TEST(DistanceMapSamples, AreInTheSmallestBall) {
  sample::Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Vec3> points;
    for (int i = random.integer(2, 60); i > 0; --i) points.push_back(random.in_cube(1));
    const SampleBall root = make_sample_tree(points).front();
    for (int k = 0; k < 50; ++k) {
      const Vec3 moved = root.center + random.uniform(1e-3, 0.1) * random.direction();
      double farthest = 0;
      for (const Vec3& x : points) farthest = std::max(farthest, (x - moved).norm());
      EXPECT_GT(farthest, root.radius) << trial;
    }
  }
  const SampleBall of_cube = make_sample_tree(sample::box_corners({1, 1, 1})).front();
  EXPECT_NEAR(of_cube.radius, std::sqrt(0.75), 1e-12);
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
