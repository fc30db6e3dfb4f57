#include "geometry/heightfield_geometry.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>

#include <set>

namespace achilles {
namespace {

using sample::Random;

Heightfield random_field(Random& random, int rows, int columns) {
  Heightfield field;
  field.rows = rows;
  field.columns = columns;
  field.cell = {0.5, 0.25};
  for (int i = 0; i < rows * columns; ++i)
    field.heights.push_back(random.integer(0, 3) == 0 ? 0.2 : random.uniform(0, 1));
  return field;
}

// The same surface as a mesh, triangle for triangle: the oracle for everything below.
MeshGeometry as_mesh(const HeightfieldGeometry& field) {
  Mesh mesh;
  for (int i = 0; i < field.rows; ++i) {
    for (int j = 0; j < field.columns; ++j) mesh.vertices.push_back(field.vertex(i, j));
  }
  for (int i = 0; i + 1 < field.rows; ++i) {
    for (int j = 0; j + 1 < field.columns; ++j) {
      const int a = i * field.columns + j;
      mesh.triangles.push_back({a, a + 1, a + field.columns + 1});
      mesh.triangles.push_back({a, a + field.columns + 1, a + field.columns});
    }
  }
  return make_mesh_geometry(mesh);
}

class HeightfieldAgainstMesh : public ::testing::TestWithParam<std::pair<int, int>> {
 protected:
  Random random_{41};
  HeightfieldGeometry field_ = make_heightfield_geometry(random_field(random_, GetParam().first, GetParam().second));
  MeshGeometry mesh_ = as_mesh(field_);
  Vec3 reach_{0.3 * field_.columns, 0.15 * field_.rows, 1.5};
};

TEST_P(HeightfieldAgainstMesh, TrianglesAreTheSame) {
  ASSERT_EQ(field_.triangle_count(), mesh_.triangles.size());
  for (std::uint32_t t = 0; t < field_.triangle_count(); ++t) {
    const SurfaceTriangle a = field_.triangle(t), b = mesh_.triangle(t);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(a.corners[k], b.corners[k]);
    EXPECT_LT((a.normal - b.normal).norm(), 1e-15);
    EXPECT_GT(a.normal.z(), 0);
  }
}

TEST_P(HeightfieldAgainstMesh, EdgesMeetTheSameTrianglesInTheSameWay) {
  for (std::uint32_t t = 0; t < field_.triangle_count(); ++t) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      EXPECT_EQ(triangle_across(field_, t, k), mesh_.across[t][k]);
      EXPECT_EQ(compute_edge_kind(field_, t, k), mesh_.edge_kinds[t][k]);
    }
  }
}

TEST_P(HeightfieldAgainstMesh, SameNormalsArePossible) {
  for (std::uint32_t t = 0; t < field_.triangle_count(); ++t) {
    for (int f = 0; f < 7; ++f) {
      const auto feature = static_cast<TriangleFeature>(f);
      const Vec3 n = (Vec3::UnitZ() + random_.in_cube(0.8)).normalized();
      EXPECT_EQ(is_possible_normal(field_, t, feature, n), is_possible_normal(mesh_, t, feature, n));
    }
  }
}

TEST_P(HeightfieldAgainstMesh, QueriesAgree) {
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3 x = random_.in_cube(1).cwiseProduct(reach_);
    EXPECT_EQ(find_closest_point(field_, x).distance, find_closest_point(mesh_, x).distance);
    const Ray ray{random_.in_cube(1).cwiseProduct(reach_), random_.direction()};
    const auto a = cast_ray(field_, ray), b = cast_ray(mesh_, ray);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) {
      EXPECT_EQ(a->t, b->t);
    }
    Aabb box;
    box.include(x);
    box.include(x + random_.in_cube(0.5));
    std::set<std::uint32_t> from_field, from_mesh;
    visit_triangles(field_, box, [&](const SurfaceTriangle& t) { EXPECT_TRUE(from_field.insert(t.id).second); });
    visit_triangles(mesh_, box, [&](const SurfaceTriangle& t) { from_mesh.insert(t.id); });
    EXPECT_EQ(from_field, from_mesh);
  }
}

TEST_P(HeightfieldAgainstMesh, HeightIsWhereAPlumbLineMeetsTheSurface) {
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3 x = random_.in_cube(1).cwiseProduct(reach_);
    const auto height = compute_height(field_, x.x(), x.y());
    const auto hit = cast_ray(mesh_, {Vec3(x.x(), x.y(), 10), -Vec3::UnitZ()});
    ASSERT_EQ(height.has_value(), hit.has_value());
    if (height) {
      EXPECT_NEAR(*height, 10 - hit->t, 1e-13);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, HeightfieldAgainstMesh,
                         ::testing::Values(std::pair{2, 2}, std::pair{9, 9}, std::pair{10, 3}, std::pair{17, 26}));

TEST(Heightfield, GridIsCentredAndRowsRunAlongY) {
  const auto field = make_heightfield_geometry({{1, 2, 3, 4, 5, 6}, 2, 3, {0.5, 2}, ""});
  EXPECT_EQ(field.vertex(0, 0), Vec3(-0.5, -1, 1));
  EXPECT_EQ(field.vertex(1, 2), Vec3(0.5, 1, 6));
  const auto geometry = make_geometry({Heightfield{{1, 2, 3, 4, 5, 6}, 2, 3, {0.5, 2}, ""}});
  EXPECT_EQ(geometry[0].geometry->bounds.lower, Vec3(-0.5, -1, 1));
  EXPECT_EQ(geometry[0].geometry->bounds.upper, Vec3(0.5, 1, 6));
}

TEST(Heightfield, BadFieldsAreRefused) {
  const double nan = std::nan("");
  EXPECT_THROW((void)make_geometry({Heightfield{{1, 2}, 1, 2, {1, 1}, ""}}), std::invalid_argument);
  EXPECT_THROW((void)make_geometry({Heightfield{{1, 2, 3}, 2, 2, {1, 1}, ""}}), std::invalid_argument);
  EXPECT_THROW((void)make_geometry({Heightfield{{1, 2, 3, 4}, 2, 2, {1, 0}, ""}}), std::invalid_argument);
  EXPECT_THROW((void)make_geometry({Heightfield{{1, 2, nan, 4}, 2, 2, {1, 1}, ""}}), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
