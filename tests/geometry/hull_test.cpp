#include "geometry/hull.hpp"
#include "geometry/sample.hpp"
#include "geometry/support.hpp"
#include "support/full_size.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace achilles {
namespace {

using sample::Random;

double size_of(std::span<const Vec3> points) {
  Aabb box;
  for (const Vec3& point : points) box.include(point);
  return box.extent().norm();
}

std::span<const std::uint32_t> loop_of(const HullGeometry& hull, std::size_t face) {
  return std::span(hull.face_vertices)
      .subspan(hull.face_start[face], hull.face_start[face + 1] - hull.face_start[face]);
}

// Everything that a convex polyhedron with full incidence must satisfy, judged from the points alone.
void expect_hull_of(const HullGeometry& hull, std::span<const Vec3> points) {
  const double size = size_of(points);
  const std::size_t vertices = hull.vertices.size(), edges = hull.edges.size(), faces = hull.face_normals.size();
  ASSERT_EQ(vertices + faces, edges + 2) << "Euler's formula";
  ASSERT_EQ(hull.face_offsets.size(), faces);
  ASSERT_EQ(hull.face_start.size(), faces + 1);
  ASSERT_EQ(hull.neighbors.size(), 2 * edges);
  ASSERT_EQ(hull.face_vertices.size(), 2 * edges);

  for (std::size_t f = 0; f < faces; ++f) {
    EXPECT_NEAR(hull.face_normals[f].norm(), 1, 1e-12);
    ASSERT_GE(loop_of(hull, f).size(), 3U);
    // No point outside: points welded away may stick out by the resolution, the rest by rounding.
    for (const Vec3& point : points) {
      ASSERT_LE(hull.face_normals[f].dot(point) - hull.face_offsets[f], 1.1 * kHullResolution * size);
    }
    for (const std::uint32_t v : loop_of(hull, f)) {
      ASSERT_LE(std::abs(hull.face_normals[f].dot(hull.vertices[v]) - hull.face_offsets[f]),
                4 * kHullResolution * size);
    }
    EXPECT_LT(hull.face_normals[f].dot(hull.center), hull.face_offsets[f]) << "the centre is inside";
  }
  const auto has_directed_edge = [&](std::size_t face, std::uint32_t tail, std::uint32_t head) {
    const auto loop = loop_of(hull, face);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      if (loop[i] == tail && loop[(i + 1) % loop.size()] == head) return true;
    }
    return false;
  };
  for (const auto& edge : hull.edges) {
    EXPECT_TRUE(has_directed_edge(edge.left, edge.tail, edge.head));
    EXPECT_TRUE(has_directed_edge(edge.right, edge.head, edge.tail));
  }
  for (std::size_t v = 0; v < vertices; ++v) {
    const bool is_input =
        std::any_of(points.begin(), points.end(), [&](const Vec3& p) { return p == hull.vertices[v]; });
    EXPECT_TRUE(is_input) << "vertices are points of the input, bit for bit";
    EXPECT_GE(hull.neighbor_start[v + 1] - hull.neighbor_start[v], 3U);
  }
}

TEST(Hull, BoxCornersGiveSixSquaresTwelveEdges) {
  const auto corners = sample::box_corners({1, 2, 3});
  const HullGeometry hull = make_hull(corners);
  expect_hull_of(hull, corners);
  EXPECT_EQ(hull.vertices.size(), 8U);
  EXPECT_EQ(hull.edges.size(), 12U);
  ASSERT_EQ(hull.face_normals.size(), 6U);
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(loop_of(hull, f).size(), 4U);
    // Each face is normal to one axis, at half the edge along it. Rounding only.
    int axis = 0;
    EXPECT_NEAR(hull.face_normals[f].cwiseAbs().maxCoeff(&axis), 1, 1e-15);
    EXPECT_NEAR(hull.face_offsets[f], 0.5 * (axis + 1), 1e-15);
  }
  EXPECT_LT(hull.center.norm(), 1e-15);
}

TEST(Hull, RegularSolidsHaveTheFacesTheyAreNamedAfter) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vec3> octahedron, icosahedron, dodecahedron = sample::box_corners({2, 2, 2});
  for (const double s : {-1.0, 1.0}) {
    for (int axis = 0; axis < 3; ++axis) {
      octahedron.push_back(s * Vec3::Unit(axis));
      for (const double t : {-1.0, 1.0}) {
        Vec3 x = Vec3::Zero();
        x[axis] = s;
        x[(axis + 1) % 3] = t * g;
        icosahedron.push_back(x);
        x[axis] = s / g;
        x[(axis + 1) % 3] = t * g;
        dodecahedron.push_back(x);
      }
    }
  }
  const std::vector<Vec3> tetrahedron = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const std::vector<std::pair<std::vector<Vec3>, std::size_t>> solids = {
      {tetrahedron, 4}, {octahedron, 8}, {dodecahedron, 12}, {icosahedron, 20}};
  Random random(7);
  for (const auto& [points, faces] : solids) {
    for (int turn = 0; turn < 20; ++turn) {
      const Quat q = random.rotation();
      std::vector<Vec3> turned;
      for (const Vec3& p : points) turned.emplace_back(q * p);
      const HullGeometry hull = make_hull(turned);
      expect_hull_of(hull, turned);
      EXPECT_EQ(hull.face_normals.size(), faces);
      EXPECT_EQ(hull.vertices.size(), points.size());
    }
  }
}

TEST(Hull, RandomCloudsOfAllSizesAreEnclosed) {
  Random random(1);
  for (int trial = 0; trial < (is_full() ? 2000 : 200); ++trial) {
    std::vector<Vec3> points;
    const int count = random.integer(4, trial % 20 == 0 ? 600 : 40);
    for (int i = 0; i < count; ++i) points.push_back(trial % 2 == 0 ? random.in_cube(1) : random.direction());
    const HullGeometry hull = make_hull(points);
    expect_hull_of(hull, points);
    if (trial % 2 == 1) {
      EXPECT_EQ(hull.vertices.size(), points.size()) << "on a sphere every point is extreme";
    }
  }
}

// Points on the faces, edges and inside of a turned box: whatever rounding does to them, the hull is the box.
TEST(Hull, GridOfPointsOnATurnedBoxIsTheBox) {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const Pose pose = random.pose(3);
    const int n = random.integer(2, 6);
    std::vector<Vec3> points;
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        for (int k = 0; k <= n; ++k) points.push_back(pose.p + pose.q * (Vec3(i, 2 * j, 0.1 * k) / n));
      }
    }
    const HullGeometry hull = make_hull(points);
    expect_hull_of(hull, points);
    EXPECT_EQ(hull.vertices.size(), 8U);
    EXPECT_EQ(hull.face_normals.size(), 6U);
  }
}

// Noise from far below the resolution to far above it, where facets are neither clearly merged nor clearly apart.
TEST(Hull, NearlyCoplanarPointsGiveAConsistentHull) {
  Random random(3);
  for (double noise = 1e-16; noise < 1e-3; noise *= 10) {
    for (int trial = 0; trial < (is_full() ? 200 : 20); ++trial) {
      const Quat q = random.rotation();
      std::vector<Vec3> points;
      for (int i = 0; i < 80; ++i) {
        Vec3 x = random.in_cube(1);
        int axis = 0;
        x.cwiseAbs().maxCoeff(&axis);
        x[axis] = std::copysign(1.0, x[axis]) + random.uniform(-noise, noise);
        points.emplace_back(q * x);
      }
      for (const Vec3& corner : sample::box_corners({2, 2, 2})) {
        points.emplace_back(q * (corner + random.in_cube(noise)));
      }
      expect_hull_of(make_hull(points), points);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Hull, NearlyEqualPointsAreWelded) {
  Random random(4);
  for (double noise = 1e-17; noise < 1e-4; noise *= 10) {
    std::vector<Vec3> points;
    for (const Vec3& corner : sample::box_corners({1, 1, 1})) {
      for (int copy = 0; copy < 10; ++copy) points.push_back(corner + random.in_cube(noise));
    }
    const HullGeometry hull = make_hull(points);
    expect_hull_of(hull, points);
    if (noise < 0.1 * kHullResolution) {
      EXPECT_EQ(hull.vertices.size(), 8U);
    }
  }
}

TEST(Hull, ThinPlatesKeepTheirThickness) {
  Random random(5);
  for (const double thickness : {1e-2, 1e-4, 1e-6}) {
    const Quat q = random.rotation();
    std::vector<Vec3> points;
    for (const Vec3& corner : sample::box_corners({1, 1, thickness})) points.emplace_back(q * corner);
    const HullGeometry hull = make_hull(points);
    EXPECT_EQ(hull.face_normals.size(), 6U);
    expect_hull_of(hull, points);
  }
}

TEST(Hull, ConsistentForTenThousandPointsOnASphere) {
  // A spiral of golden angles: no two facets coplanar, so all n points are vertices and there are 2n - 4 triangles.
  const int n = 10000;
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    const double z = 1 - (2 * i + 1.0) / n, angle = i * 2.399963229728653;
    const double r = std::sqrt(1 - z * z);
    points.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  const HullGeometry hull = make_hull(points);
  EXPECT_EQ(hull.vertices.size(), 10000U);
  EXPECT_EQ(hull.face_normals.size(), 19996U);
  EXPECT_EQ(hull.vertices.size() + hull.face_normals.size(), hull.edges.size() + 2);
}

TEST(Hull, PrismOverManySidedPolygonHasTwoLargeFaces) {
  std::vector<Vec3> points;
  for (int i = 0; i < 256; ++i) {
    const double angle = i * 2 * 3.14159265358979323846 / 256;
    for (const double z : {-1.0, 1.0}) points.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  const HullGeometry hull = make_hull(points);
  expect_hull_of(hull, points);
  ASSERT_EQ(hull.face_normals.size(), 258U);
  std::multiset<std::size_t> sides;
  for (std::size_t f = 0; f < 258; ++f) sides.insert(loop_of(hull, f).size());
  EXPECT_EQ(sides.count(256), 2U);
  EXPECT_EQ(sides.count(4), 256U);
}

TEST(Hull, PositionFarFromTheOriginDoesNotMatter) {
  std::vector<Vec3> points = sample::box_corners({1, 1, 1});
  for (Vec3& p : points) p += Vec3(1e5, -1e5, 1e5);
  const HullGeometry hull = make_hull(points);
  EXPECT_EQ(hull.face_normals.size(), 6U);
  EXPECT_LT((hull.center - Vec3(1e5, -1e5, 1e5)).norm(), 1e-9);  // coordinates of 1e5 round at 1.5e-11
}

TEST(Hull, CloudsWithoutVolumeAreRefusedWithAReason) {
  Random random(6);
  std::vector<Vec3> same(10, Vec3(1, 2, 3)), line, flat, nearly_flat;
  for (int i = 0; i < 10; ++i) {
    line.push_back(Vec3(1, 2, 3) * i);
    flat.push_back(Vec3(1, 2, 3) * random.uniform(-1, 1) + Vec3(0, 1, 1) * random.uniform(-1, 1));
    nearly_flat.push_back(flat.back() + random.in_cube(1e-9));
  }
  const std::vector<Vec3> three = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<Vec3> bad = sample::box_corners({1, 1, 1});
  bad[5].y() = std::nan("");
  const auto reason = [](const std::vector<Vec3>& points) -> std::string {
    try {
      (void)make_hull(points);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(reason(three).find("at least 4 points"), std::string::npos);
  EXPECT_NE(reason(same).find("same point"), std::string::npos);
  EXPECT_NE(reason(line).find("on a line"), std::string::npos);
  EXPECT_NE(reason(flat).find("on a plane"), std::string::npos);
  EXPECT_NE(reason(nearly_flat).find("on a plane"), std::string::npos);
  EXPECT_NE(reason(bad).find("Point 5"), std::string::npos);
}

}  // namespace
}  // namespace achilles
