// Contacts with meshes and height fields: the surface counts, not how it is cut into triangles.
#include "collision/contact/collide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "collision/narrow_phase/shapes.hpp"
#include "geometry/sample.hpp"

namespace achilles {
namespace {

using namespace test;

std::vector<ContactPoint> contacts(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                   double margin = 0, bool all = false) {
  std::vector<ContactPoint> points;
  collide(a, X_WA, b, X_WB, {margin, all}, points);
  return points;
}

/// The slab z in [-1, 0] as a closed mesh with faces of 2 n² triangles, and the height field of the same top.
Geometry mesh_floor(int n) {
  Mesh mesh = sample::box_mesh({10, 10, 1}, n);
  for (Vec3& v : mesh.vertices) v.z() -= 0.5;
  return make_single({mesh});
}
Geometry heightfield_floor(int n) {
  Heightfield field;
  field.rows = field.columns = n + 1;
  field.cell = Vec2(10.0 / n, 10.0 / n);
  field.heights.assign(static_cast<std::size_t>((n + 1) * (n + 1)), 0.0);
  return make_single({field});
}

Geometry ridge(double slope) {  // z = -slope |x|, as two strips along y
  Mesh mesh;
  mesh.vertices = {{-2, -5, -2 * slope}, {-2, 5, -2 * slope}, {0, -5, 0}, {0, 5, 0},
                   {2, -5, -2 * slope},  {2, 5, -2 * slope}};
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3}};
  return make_single({mesh});
}

const std::vector<Geometry>& solids() {
  static const std::vector<Geometry> all{make_sphere(0.4),       make_box(0.9, 0.7, 0.5),
                                         make_capsule(0.2, 0.8), make_cylinder(0.4, 0.6),
                                         make_cone(0.5, 0.8),    make_hull(sample::box_corners({0.8, 0.6, 0.4}))};
  return all;
}

// Whatever the shape, its place and how the floor is cut, a floor of triangles is the plane it lies in.
TEST(SurfaceContact, FloorOfTrianglesTouchesAsAPlaneDoes) {
  sample::Random random(11);
  const Geometry plane = make_plane(Vec3::UnitZ(), 0);
  for (const Geometry& floor : {mesh_floor(1), mesh_floor(13), heightfield_floor(1), heightfield_floor(40)}) {
    for (const Geometry& solid : solids()) {
      for (int trial = 0; trial < 200; ++trial) {
        const bool flat = trial % 2 == 0;
        const double tilt = flat ? std::pow(10, random.uniform(-12, -4)) : 1;
        const Mat3 R = (Eigen::AngleAxisd(tilt * random.uniform(-3, 3), random.direction()) *
                        Eigen::AngleAxisd(random.uniform(-3, 3), Vec3::UnitZ()))
                           .toRotationMatrix();
        Transform X{R, Vec3(random.uniform(-4, 4), random.uniform(-4, 4), 0)};
        const double depth = std::pow(10, random.uniform(-9, -2));
        X.p.z() = -compute_signed_distance(solid, X, plane, at(0, 0, 0)).distance - depth;
        const auto expected = contacts(solid, X, plane, at(0, 0, 0), 1e-3);
        const auto found = contacts(solid, X, floor, at(0, 0, 0), 1e-3);
        ASSERT_FALSE(found.empty()) << solid.kind.index() << " " << trial;
        double deepest = 0;
        for (const ContactPoint& point : found) {
          // Ghosts of internal edges would turn the normal.
          EXPECT_GT(point.normal.dot(-Vec3::UnitZ()), 1 - 1e-12) << solid.kind.index() << " " << trial;
          deepest = std::min(deepest, point.gap);
        }
        // Gaps that differ by less than a billionth of the extent do not decide which points stay.
        EXPECT_NEAR(deepest, -depth, 2e-9) << solid.kind.index() << " " << trial;
        EXPECT_LE(found.size(), 4u);
        // The points reach as far from the middle as on the plane: of a rim of sixteen corners any four at right angles
        // may stay, turned against each other by at most an eighth, and their square reaches cos 45° of the radius; the
        // corner added at the deepest point can turn them by a sixteenth more.
        for (const ContactPoint& corner : expected) {
          const Vec3 way = corner.position - Vec3(X.p.x(), X.p.y(), corner.position.z());
          double reach = -1;
          for (const ContactPoint& point : found) reach = std::max(reach, way.dot(point.position - X.p));
          EXPECT_GE(reach, std::cos(3 * M_PI / 8) * way.squaredNorm() - 1e-3) << solid.kind.index() << " " << trial;
        }
      }
    }
  }
}

// The Must of a sliding box: at every place the same four corners with the same ids and gaps, as over a plane.
TEST(SurfaceContact, BoxSlidingOverCoplanarTrianglesKeepsItsFourCorners) {
  const Geometry box = make_box(1, 0.8, 0.5);
  for (const Geometry& floor : {mesh_floor(37), heightfield_floor(53)}) {
    std::set<std::uint32_t> ids;
    for (int step = 0; step <= 4000; ++step) {
      const Transform X = turned(Vec3::UnitZ(), 0.3, Vec3(-3 + 0.0015 * step, -3 + 0.0013 * step, 0.25 - 1e-7));
      const auto points = contacts(box, X, floor, at(0, 0, 0), 1e-4);
      ASSERT_EQ(points.size(), 4u) << step;
      for (const ContactPoint& point : points) {
        EXPECT_EQ(point.normal.z(), -1);
        EXPECT_NEAR(point.gap, -1e-7, 1e-13);
        const Vec3 corner = X.to_local(point.position);
        EXPECT_NEAR(std::abs(corner.x()), 0.5, 1e-12);
        EXPECT_NEAR(std::abs(corner.y()), 0.4, 1e-12);
        ids.insert(point.feature);
      }
    }
    EXPECT_EQ(ids.size(), 4u);
  }
}

TEST(SurfaceContact, BoxOnARidgeRestsOnTheStretchOfTheRidgeBelowIt) {
  const auto points = contacts(make_box(1, 0.6, 0.4), at(0.1, 0.2, 0.2 - 1e-4), ridge(0.5), at(0, 0, 0), 1e-3);
  ASSERT_EQ(points.size(), 2u);
  for (const ContactPoint& point : points) {
    EXPECT_TRUE(point.normal.isApprox(-Vec3::UnitZ(), 1e-9));
    EXPECT_NEAR(point.gap, -1e-4, 1e-12);
    EXPECT_NEAR(point.position.x(), 0, 1e-9);
  }
  EXPECT_NEAR(std::abs(points[0].position.y() - points[1].position.y()), 0.6, 1e-9);
}

TEST(SurfaceContact, BallOverARidgeTouchesTheRidgeAndBallInAGrooveBothSides) {
  const auto over = contacts(make_sphere(0.5), at(0, 0.3, 0.49), ridge(1), at(0, 0, 0));
  ASSERT_EQ(over.size(), 1u);
  EXPECT_NEAR(over[0].gap, -0.01, 1e-15);
  EXPECT_TRUE(over[0].normal.isApprox(-Vec3::UnitZ()));
  // In the groove z = |x| a ball of radius r touches both sides when its centre is r √2 high.
  const auto in = contacts(make_sphere(0.5), at(0, 0.3, 0.5 * std::sqrt(2.0) - 0.01), ridge(-1), at(0, 0, 0));
  ASSERT_EQ(in.size(), 2u);
  for (const ContactPoint& point : in) {
    EXPECT_NEAR(point.gap, -0.01 * std::sqrt(0.5), 1e-14);
    EXPECT_NEAR(std::abs(point.normal.x()), std::sqrt(0.5), 1e-14);
    EXPECT_NEAR(point.normal.z(), -std::sqrt(0.5), 1e-14);
  }
}

TEST(SurfaceContact, FarSideOfAThinPlateIsNotFelt) {
  Mesh plate = sample::box_mesh({4, 4, 0.01}, 5);
  const Geometry mesh = make_single({plate});
  for (const Geometry& solid : solids()) {
    Transform X = at(0.1, 0.05, 0);
    X.p.z() = 0.005 - 0.002 - solid.bounds.lower.z();
    const auto points = contacts(solid, X, mesh, at(0, 0, 0), 1e-3);
    ASSERT_FALSE(points.empty()) << solid.kind.index();
    for (const ContactPoint& point : points) {
      EXPECT_NEAR(point.normal.z(), -1, 1e-12) << solid.kind.index();
      EXPECT_NEAR(point.gap, -0.002, 1e-12) << solid.kind.index();
    }
  }
}

TEST(SurfaceContact, ShapeWithItsMiddleBelowTheFloorIsPushedOutUpward) {
  for (const Geometry& floor : {mesh_floor(7), heightfield_floor(20)}) {
    for (const Geometry& solid : solids()) {
      const auto points = contacts(solid, at(0.1, 0.2, -0.05), floor, at(0, 0, 0));
      ASSERT_FALSE(points.empty()) << solid.kind.index();
      for (const ContactPoint& point : points) {
        EXPECT_NEAR(point.normal.z(), -1, 1e-9);
        EXPECT_NEAR(point.gap, solid.bounds.lower.z() - 0.05, 1e-9) << solid.kind.index();
      }
    }
  }
}

// A box spelled out as a mesh of many triangles touches as the box does.
TEST(SurfaceContact, MeshOfABoxTouchesBallsAsTheBoxDoes) {
  sample::Random random(5);
  const Geometry box = make_box(2, 1.5, 1), mesh = make_single({sample::box_mesh({2, 1.5, 1}, 6)});
  int touching = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Transform X = at(random.in_cube(1.5)), Y{random.rotation().toRotationMatrix(), random.in_cube(0.1)};
    const Geometry ball = make_sphere(random.uniform(0.05, 0.6));
    if (compute_signed_distance(make_sphere(1e-9), X, box, Y).distance < 0) continue;
    const auto expected = contacts(ball, X, box, Y, 0.05);
    const auto found = contacts(ball, X, mesh, Y, 0.05);
    ASSERT_EQ(found.empty(), expected.empty());
    if (expected.empty()) continue;
    ++touching;
    const auto deepest =
        std::min_element(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
    EXPECT_NEAR(deepest->gap, expected[0].gap, 1e-12);
    EXPECT_TRUE(deepest->normal.isApprox(expected[0].normal, 1e-9));
  }
  EXPECT_GT(touching, 200);
}

// Apart, the mesh of a box is as far from a convex shape as the box; overlapping a little, as deep.
TEST(SurfaceDistance, MeshOfABoxIsAsFarAsTheBox) {
  sample::Random random(6);
  const Geometry box = make_box(2, 1.5, 1), mesh = make_single({sample::box_mesh({2, 1.5, 1}, 4)});
  int same = 0;
  for (const Geometry& solid : solids()) {
    for (int trial = 0; trial < 100; ++trial) {
      Transform X{random.rotation().toRotationMatrix(), 3 * random.direction()};
      const Transform Y{random.rotation().toRotationMatrix(), random.in_cube(0.1)};
      const SignedDistance far = compute_signed_distance(solid, X, box, Y);
      ASSERT_GT(far.distance, 0);
      EXPECT_NEAR(compute_signed_distance(mesh, Y, solid, X).distance, far.distance, 1e-10);
      X.p += (far.distance + 1e-4) * far.normal;
      const SignedDistance overlap = compute_signed_distance(solid, X, mesh, Y);
      // The way back to the touch frees the shape, so no depth is larger, but for normals within 0.01 rad of a face's,
      // which become the face's. The mesh does not know that it is convex:
      // each crossed triangle is left behind along one of the contacts, and at a corner, whose normals have no negative
      // products, all are after the moves along up to three of them: the box is at most √3 times as deep.
      const double depth = -compute_signed_distance(solid, X, box, Y).distance;
      EXPECT_GE(-overlap.distance, depth / std::sqrt(3.0) - 1e-9) << solid.kind.index() << " " << trial;
      EXPECT_LE(-overlap.distance, 1e-4 / std::cos(0.01) + 1e-9) << solid.kind.index() << " " << trial;
      same += std::abs(overlap.distance + depth) < 1e-9 ? 1 : 0;
      EXPECT_NEAR((overlap.point_b - overlap.point_a - overlap.distance * overlap.normal).norm(), 0, 1e-9);
    }
  }
  EXPECT_GT(same, 450);  // of 600: most do not touch beside a corner
}

TEST(SurfaceContact, ShapesOfFixedBodiesRefuseEachOtherInWords) {
  const std::vector<Geometry> fixed{make_plane(Vec3::UnitZ(), 0), mesh_floor(2), heightfield_floor(2)};
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    for (std::size_t j = 0; j < fixed.size(); ++j) {
      if (i == 0 && j == 0) continue;  // two planes: no contact, infinitely far apart
      try {
        static_cast<void>(contacts(fixed[i], {}, fixed[j], {}));
        FAIL() << i << " and " << j;
      } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("at least one of the two"), std::string::npos) << error.what();
      }
      EXPECT_THROW(static_cast<void>(compute_signed_distance(fixed[i], {}, fixed[j], {})), std::invalid_argument);
    }
  }
  EXPECT_TRUE(contacts(fixed[0], {}, fixed[0], at(0, 0, 1)).empty());
  EXPECT_TRUE(std::isinf(compute_signed_distance(fixed[0], {}, fixed[0], at(0, 0, 1)).distance));
}

TEST(SurfaceContact, TrianglesWithoutAreaDoNoHarm) {
  Mesh mesh;
  mesh.vertices = {{-5, 0, 0}, {5, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 3, 3}};
  const Geometry wire = make_single({mesh});
  for (const Geometry& solid : solids()) {
    const Transform X = at(0.1, 0, -solid.bounds.lower.z() - 0.01);
    for (const ContactPoint& point : contacts(solid, X, wire, at(0, 0, 0))) {
      EXPECT_TRUE(point.position.allFinite());
      EXPECT_NEAR(point.normal.norm(), 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace achilles
