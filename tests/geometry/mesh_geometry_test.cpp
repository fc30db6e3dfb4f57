#include "geometry/mesh_geometry.hpp"
#include "geometry/mesh/winding.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

namespace achilles {
namespace {

using sample::Random;

// Distance to a triangle by another road than Voronoi regions: golden-section descent over the convex function
// |x - (a + s (b-a) + t (c-a))|² by exact minimization along each of the three edges and the interior stationary point.
double brute_distance(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto to_segment = [&](const Vec3& p, const Vec3& q) {
    const double length = (q - p).squaredNorm();
    const double s = length > 0 ? std::clamp((x - p).dot(q - p) / length, 0.0, 1.0) : 0.0;
    return (x - p - s * (q - p)).norm();
  };
  double best = std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
  Eigen::Matrix<double, 3, 2> edges;
  edges << b - a, c - a;
  const Vec2 st = edges.colPivHouseholderQr().solve(x - a);
  if (st.x() > 0 && st.y() > 0 && st.sum() < 1) best = std::min(best, (x - a - edges * st).norm());
  return best;
}

std::vector<Mesh> some_meshes() {
  Random random(30);
  return {sample::box_mesh({1, 2, 0.5}, 3), sample::sphere_mesh(3), sample::torus_mesh(1, 0.3, 24, 12),
          sample::soup(random, 300)};
}

TEST(Triangle, ClosestPointAgreesWithLeastSquaresAndSegments) {
  Random random(31);
  for (int trial = 0; trial < 20000; ++trial) {
    const Vec3 a = random.in_cube(1), b = random.in_cube(1);
    Vec3 c = random.in_cube(1);
    if (trial % 10 == 0) c = a + (b - a) * random.uniform(-1, 2);                         // no area
    if (trial % 10 == 1) c = a + (b - a) * random.uniform(-1, 2) + random.in_cube(1e-7);  // a sliver
    const Vec3 x = random.in_cube(trial % 7 == 0 ? 100 : 2);
    const TrianglePoint p = closest_point_on_triangle(x, a, b, c);
    // Rounding of distances up to 170.
    EXPECT_NEAR((x - p.point).norm(), brute_distance(x, a, b, c), 1e-12) << trial;
  }
}

TEST(Triangle, FeatureNamesThePartThatIsNearest) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  using enum TriangleFeature;
  const std::vector<std::pair<Vec3, TriangleFeature>> cases = {
      {{-1, -1, 1}, kVertex0}, {{2, -0.1, 1}, kVertex1}, {{-0.1, 2, 1}, kVertex2}, {{0.5, -1, 1}, kEdge0},
      {{1, 1, 1}, kEdge1},     {{-1, 0.5, 1}, kEdge2},   {{0.2, 0.2, 5}, kFace}};
  for (const auto& [x, feature] : cases) EXPECT_EQ(closest_point_on_triangle(x, a, b, c).feature, feature);
}

// A octant seen from the origin is an eighth of the sphere.
TEST(Triangle, OctantFillsHalfPiSteradians) {
  EXPECT_NEAR(compute_solid_angle(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()), std::numbers::pi / 2,
              1e-15);
}

TEST(Bvh, ClosestPointEqualsBruteForce) {
  Random random(32);
  for (const Mesh& mesh : some_meshes()) {
    const MeshGeometry geometry = make_mesh_geometry(mesh);
    for (int trial = 0; trial < 200; ++trial) {
      const Vec3 x = random.in_cube(2);
      double expected = 1e300;
      for (std::uint32_t t = 0; t < geometry.triangles.size(); ++t) {
        const auto corners = geometry.triangle(t).corners;
        expected = std::min(expected, brute_distance(x, corners[0], corners[1], corners[2]));
      }
      const SurfacePoint found = find_closest_point(geometry, x);
      EXPECT_NEAR(found.distance, expected, 1e-13);
      EXPECT_NEAR((x - found.point).norm(), found.distance, 1e-15);
      EXPECT_EQ(find_closest_point(geometry, x, 0.999 * expected).triangle, kNoTriangle);
      EXPECT_NE(find_closest_point(geometry, x, 1.001 * expected + 1e-12).triangle, kNoTriangle);
    }
  }
}

TEST(Bvh, OverlapQueryFindsExactlyTheTrianglesWhoseBoxesOverlap) {
  Random random(33);
  for (const Mesh& mesh : some_meshes()) {
    const MeshGeometry geometry = make_mesh_geometry(mesh);
    for (int trial = 0; trial < 200; ++trial) {
      Aabb box;
      const double size = random.uniform(0, 0.7);
      const Vec3 center = trial % 5 == 0 ? geometry.vertices[static_cast<std::size_t>(trial) % geometry.vertices.size()]
                                         : random.in_cube(1.2);
      box.include(center);
      if (trial % 3 != 0) box.include(center + random.in_cube(size));
      std::set<std::uint32_t> expected, found;
      for (std::uint32_t t = 0; t < geometry.triangles.size(); ++t) {
        Aabb own;
        for (const Vec3& corner : geometry.triangle(t).corners) own.include(corner);
        if (own.overlaps(box)) expected.insert(t);
      }
      visit_triangles(geometry, box,
                      [&](const SurfaceTriangle& t) { EXPECT_TRUE(found.insert(t.id).second) << "visited twice"; });
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(Bvh, FirstRayHitEqualsBruteForce) {
  Random random(34);
  for (const Mesh& mesh : some_meshes()) {
    const MeshGeometry geometry = make_mesh_geometry(mesh);
    int hits = 0;
    for (int trial = 0; trial < 400; ++trial) {
      Ray ray{random.in_cube(2), random.direction() * random.uniform(0.1, 10)};
      if (trial % 4 == 0) ray.direction = random.uniform(0.1, 3) * Vec3::Unit(trial / 4 % 3);
      double expected = std::numeric_limits<double>::infinity();
      for (std::uint32_t t = 0; t < geometry.triangles.size(); ++t) {
        const auto c = geometry.triangle(t).corners;
        // Cramer's rule for origin + t direction = a + u (b-a) + v (c-a).
        Mat3 M;
        M << ray.direction, c[0] - c[1], c[0] - c[2];
        if (std::abs(M.determinant()) < 1e-14) continue;
        const Vec3 tuv = M.fullPivLu().solve(c[0] - ray.origin);
        if (tuv[0] >= 0 && tuv[1] >= 0 && tuv[2] >= 0 && tuv[1] + tuv[2] <= 1) expected = std::min(expected, tuv[0]);
      }
      const auto hit = cast_ray(geometry, ray);
      ASSERT_EQ(hit.has_value(), std::isfinite(expected)) << trial;
      if (!hit) continue;
      ++hits;
      EXPECT_NEAR(hit->t, expected, 1e-9 * (1 + expected));
      EXPECT_FALSE(cast_ray(geometry, ray, 0.999 * hit->t).has_value());
    }
    EXPECT_GT(hits, 10);
  }
}

// Rays from the centre of a closed surface through its vertices and the middles of its edges must not slip out.
TEST(Bvh, NoRaySlipsBetweenTriangles) {
  Random random(35);
  for (int turn = 0; turn < 20; ++turn) {
    Mesh mesh = sample::sphere_mesh(3);
    const Quat q = random.rotation();
    const Vec3 shift = random.in_cube(3);
    for (Vec3& v : mesh.vertices) v = q * v + shift;
    const MeshGeometry geometry = make_mesh_geometry(mesh);
    for (std::uint32_t t = 0; t < geometry.triangles.size(); ++t) {
      const auto c = geometry.triangle(t).corners;
      EXPECT_TRUE(cast_ray(geometry, {shift, c[0] - shift}));
      EXPECT_TRUE(cast_ray(geometry, {shift, 0.5 * (c[0] + c[1]) - shift}));
    }
  }
}

TEST(Mesh, RepeatedVerticesAreConnectedByPlace) {
  const Mesh box = sample::box_mesh({1, 1, 1}, 2);
  Mesh torn;
  for (const auto& t : box.triangles) {
    for (const int c : t) torn.vertices.push_back(box.vertices[static_cast<std::size_t>(c)]);
    const int n = static_cast<int>(torn.vertices.size());
    torn.triangles.push_back({n - 3, n - 2, n - 1});
  }
  const MeshGeometry geometry = make_mesh_geometry(torn);
  EXPECT_EQ(geometry.vertices.size(), box.vertices.size());
  EXPECT_TRUE(geometry.is_closed);
  for (const auto& row : geometry.across) {
    for (const std::uint32_t t : row) EXPECT_NE(t, kNoTriangle);
  }
}

// 12 edges of 4 pieces each bend by a right angle outward, seen from both triangles; all others are flat.
TEST(Mesh, BoxEdgesAreConvexAndItsFacesFlat) {
  const MeshGeometry geometry = make_mesh_geometry(sample::box_mesh({1, 2, 3}, 4));
  std::map<MeshEdgeKind, int> count;
  for (const auto& kinds : geometry.edge_kinds) {
    for (const MeshEdgeKind kind : kinds) ++count[kind];
  }
  EXPECT_EQ(count[MeshEdgeKind::kConvex], 2 * 48);
  EXPECT_EQ(count[MeshEdgeKind::kConcave], 0);
  EXPECT_EQ(count[MeshEdgeKind::kBorder], 0);
  EXPECT_EQ(count[MeshEdgeKind::kFlat], 3 * 12 * 16 - 2 * 48);
}

TEST(Mesh, InsideOutBoxHasConcaveEdges) {
  Mesh room;
  sample::append(room, sample::box_mesh({1, 2, 3}, 1), Vec3::Zero(), true);
  const MeshGeometry geometry = make_mesh_geometry(room);
  int concave = 0;
  for (const auto& kinds : geometry.edge_kinds)
    concave += static_cast<int>(std::count(kinds.begin(), kinds.end(), MeshEdgeKind::kConcave));
  EXPECT_EQ(concave, 24);
}

TEST(Mesh, EdgesOfThreeTrianglesAndOpenEdgesAreBorders) {
  Mesh fan;
  fan.vertices = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 1, 0}, {-1, -1, 0}};
  fan.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  const MeshGeometry geometry = make_mesh_geometry(fan);
  EXPECT_FALSE(geometry.is_closed);
  for (const auto& kinds : geometry.edge_kinds) {
    for (const MeshEdgeKind kind : kinds) EXPECT_EQ(kind, MeshEdgeKind::kBorder);
  }
}

// What a floor of coplanar triangles lets through: the plane's normal everywhere, and at inner edges and vertices
// nothing else. At the edge of a box, any normal between those of the two faces.
TEST(Mesh, OnlyNormalsThatCanTouchArePossible) {
  const MeshGeometry box = make_mesh_geometry(sample::box_mesh({2, 2, 2}, 4));
  const double slant = std::sin(0.01);
  const Vec3 tilted = Vec3(slant, 0, 1).normalized();
  for (std::uint32_t t = 0; t < box.triangles.size(); ++t) {
    if (box.normals[t].z() < 0.5) continue;  // the top
    EXPECT_TRUE(is_possible_normal(box, t, TriangleFeature::kFace, Vec3::UnitZ()));
    EXPECT_FALSE(is_possible_normal(box, t, TriangleFeature::kFace, tilted));
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto edge = static_cast<TriangleFeature>(3 + k);
      const auto corner = static_cast<TriangleFeature>(k);
      const Vec3 p = box.vertices[box.triangles[t][k]];
      EXPECT_TRUE(is_possible_normal(box, t, edge, Vec3::UnitZ()));
      EXPECT_TRUE(is_possible_normal(box, t, corner, Vec3::UnitZ()));
      const Vec3 q = box.vertices[box.triangles[t][(k + 1) % 3]];
      const bool is_on_right_rim = p.x() == 1 && q.x() == 1, is_along_x = p.y() == q.y();
      // A normal tilted along x lies across the rim x = 1 and leans out of the box there. At any other edge of the top
      // it leans over one of the two triangles, but for edges along x, which it leans along.
      EXPECT_EQ(is_possible_normal(box, t, edge, tilted), is_on_right_rim || is_along_x);
      EXPECT_EQ(is_possible_normal(box, t, edge, Vec3(-slant, 0, 1).normalized()),
                (p.x() == -1 && q.x() == -1) || is_along_x);
      EXPECT_EQ(is_possible_normal(box, t, edge, Vec3(1, 0, 1).normalized()), is_on_right_rim || is_along_x);
      const bool is_corner_possible = p.x() == 1;
      EXPECT_EQ(is_possible_normal(box, t, corner, tilted), is_corner_possible);
    }
  }
}

// A closed surface is what it is whether its triangles share vertices, its parts overlap or it has cavities.
TEST(Winding, CountsHowManySurfacesEncloseAPoint) {
  Mesh mesh;
  sample::append(mesh, sample::box_mesh({2, 2, 2}, 3));
  sample::append(mesh, sample::box_mesh({2, 2, 2}, 3), Vec3(1, 0, 0));        // overlaps the first
  sample::append(mesh, sample::sphere_mesh(2, 0.4), Vec3(-0.5, 0, 0), true);  // a cavity in the first
  const MeshGeometry geometry = make_mesh_geometry(mesh);
  EXPECT_TRUE(geometry.is_closed);
  const WindingTree tree = make_winding_tree(geometry);
  const std::vector<std::pair<Vec3, double>> cases = {{{0.5, 0.5, 0.5}, 2}, {{1.5, 0, 0}, 1}, {{-0.95, 0.9, 0}, 1},
                                                      {{-0.5, 0, 0}, 0},    {{3, 0, 0}, 0},   {{0, 0, 1.01}, 0}};
  for (const auto& [x, expected] : cases) {
    EXPECT_NEAR(compute_exact_winding_number(geometry, x), expected, 1e-12);
    EXPECT_NEAR(compute_winding_number(geometry, tree, x), expected, 0.05);
  }
}

TEST(Winding, DipolesStayNearTheExactSum) {
  Random random(36);
  for (const Mesh& mesh : some_meshes()) {
    const MeshGeometry geometry = make_mesh_geometry(mesh);
    const WindingTree tree = make_winding_tree(geometry);
    for (int trial = 0; trial < 500; ++trial) {
      const Vec3 x = random.in_cube(2);
      EXPECT_NEAR(compute_winding_number(geometry, tree, x), compute_exact_winding_number(geometry, x), 0.05);
    }
  }
}

// A face missing from a cube is seen from the centre under 4π/6: the winding number there is 5/6, still inside.
TEST(Winding, CubeWithAMissingFaceIsFiveSixthsInside) {
  Mesh mesh = sample::box_mesh({1, 1, 1}, 1);
  mesh.triangles.resize(10);
  const MeshGeometry geometry = make_mesh_geometry(mesh);
  EXPECT_FALSE(geometry.is_closed);
  EXPECT_NEAR(compute_exact_winding_number(geometry, Vec3::Zero()), 5.0 / 6, 1e-14);
}

TEST(Winding, TorusHoleIsOutside) {
  const MeshGeometry torus = make_mesh_geometry(sample::torus_mesh(1, 0.3, 48, 24));
  const WindingTree tree = make_winding_tree(torus);
  Random random(37);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 x = random.in_cube(1.5);
    const double ring = std::hypot(x.x(), x.y()) - 1;
    const double d = std::hypot(ring, x.z()) - 0.3;
    // The polyhedron deviates from the torus by up to (1 - cos(π/24)) 0.3 + (1 - cos(π/48)) 1.3 < 0.006.
    if (std::abs(d) < 0.01) continue;
    EXPECT_EQ(compute_winding_number(torus, tree, x) > 0.5, d < 0);
  }
}

TEST(Mesh, BadMeshesAreRefused) {
  Mesh mesh = sample::box_mesh({1, 1, 1}, 1);
  mesh.triangles[3][1] = 8;
  EXPECT_THROW((void)make_geometry({mesh}), std::invalid_argument);
  mesh.triangles[3][1] = -1;
  EXPECT_THROW((void)make_geometry({mesh}), std::invalid_argument);
  EXPECT_THROW((void)make_geometry({Mesh{}}), std::invalid_argument);
  Mesh infinite = sample::box_mesh({1, 1, 1}, 1);
  infinite.vertices[2].x() = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)make_geometry({infinite}), std::invalid_argument);
}

TEST(Mesh, BoundsHoldThePlacedMesh) {
  Random random(38);
  const Mesh mesh = sample::torus_mesh(1, 0.3, 24, 12);
  const auto pieces = make_geometry({mesh});
  EXPECT_FALSE(is_convex(*pieces[0].geometry));
  for (int trial = 0; trial < 20; ++trial) {
    const Transform X = to_transform(random.pose(3));
    const Aabb box = compute_bounds(*pieces[0].geometry, X).grown(1e-12);
    for (const Vec3& v : mesh.vertices) {
      EXPECT_TRUE(((X * v).array() >= box.lower.array()).all() && ((X * v).array() <= box.upper.array()).all());
      EXPECT_LE(v.norm(), pieces[0].geometry->radius);
    }
  }
}

}  // namespace
}  // namespace achilles
