// Contacts of distance maps: where they are known in closed form, and that the tree only saves time.
#include "collision/contact/collide.hpp"
#include "collision/contact/distance_map_contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collision/narrow_phase/shapes.hpp"
#include "geometry/sample.hpp"
#include "support/full_size.hpp"

namespace achilles {
namespace {

using namespace test;

Geometry make_map(const Mesh& mesh, double cell) { return make_single({DistanceMap{mesh, cell}}); }

std::vector<ContactPoint> contacts(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                   double margin) {
  std::vector<ContactPoint> points;
  collide(a, X_WA, b, X_WB, {margin, false}, points);
  return points;
}

TEST(DistanceMapContact, MapOfABoxRestsOnAPlaneAtItsLowerCorners) {
  const Geometry map = make_map(sample::box_mesh({1, 0.8, 0.6}, 2), 0.05);
  const auto points = contacts(map, at(0, 0, 0.299), make_plane(Vec3::UnitZ(), 0), at(0, 0, 0), 1e-3);
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, -0.001, 1e-12);
    EXPECT_NEAR(point.normal.z(), -1, 1e-12);
    EXPECT_NEAR(std::abs(point.position.x()), 0.5, 1e-12);
    EXPECT_NEAR(std::abs(point.position.y()), 0.4, 1e-12);
  }
}

TEST(DistanceMapContact, BallOnAMapTouchesItsSide) {
  const Geometry map = make_map(sample::box_mesh({1, 1, 1}, 2), 0.05);
  const auto points = contacts(make_sphere(0.3), at(0.1, 0.05, 0.79), map, at(0, 0, 0), 1e-3);
  ASSERT_FALSE(points.empty());
  const auto deepest =
      std::min_element(points.begin(), points.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
  EXPECT_NEAR(deepest->gap, -0.01, 1e-6);
  EXPECT_NEAR(deepest->normal.z(), -1, 1e-5);
  EXPECT_NEAR(compute_signed_distance(map, at(0, 0, 0), make_sphere(0.3), at(0.1, 0.05, 0.79)).distance, -0.01, 1e-6);
}

// [Erleben04, fig. 6.24]: boxes aligned on top of each other, deep in each other, are held by the middles of their
// sides.
TEST(DistanceMapContact, AlignedMapsOnTopOfEachOtherFeelTheVerticalNormal) {
  const Geometry map = make_map(sample::box_mesh({1, 1, 1}, 2), 0.05);
  const auto points = contacts(map, at(0, 0, 0), map, at(0, 0, 0.97), 0);
  EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](const ContactPoint& point) {
    return point.normal.z() > 0.99 && std::abs(point.gap + 0.03) < 1e-5;
  }));
}

// At the edges of a box the gradient of its map is diagonal. Two boxes edge over edge must not push each other
// sideways: no face there points to the side that the other one is on.
TEST(DistanceMapContact, AlignedMapsHaveVerticalNormalsAtTheirEdgesToo) {
  for (const double cell : {0.04, 0.05, 0.07, 0.1, 0.2}) {
    const Geometry map = make_map(sample::box_mesh({1, 1, 1}, 1), cell);
    std::vector<ContactPoint> points;
    append_map_contacts(map, at(0, 0, 0), map, at(0, 0, 0.9999), {1e-3, SampleSearch::kTree, 1e-3}, points);
    ASSERT_FALSE(points.empty());
    for (const ContactPoint& point : points) EXPECT_GT(point.normal.z(), 1 - 1e-6) << cell;
  }
}

// Two boxes edge over edge stand on points with their true gap and a vertical normal that surround the middle, however
// fine the map: without them nothing keeps a stack from tilting.
TEST(DistanceMapContact, AlignedMapsStandOnPointsAroundTheMiddle) {
  for (const double cell : {0.03, 0.04, 0.07, 0.1, 0.13}) {
    const Geometry map = make_map(sample::box_mesh({1, 1, 1}, 1), cell);
    const auto points = contacts(map, at(0, 0, 0), map, at(0, 0, 0.9999), 1e-3);
    std::set<std::pair<bool, bool>> quadrants;
    for (const ContactPoint& point : points) {
      if (point.normal.z() < 1 - 1e-9 || std::abs(point.gap + 1e-4) > 1e-6) continue;
      const double side = std::min(std::abs(point.position.x()), std::abs(point.position.y()));
      if (side > 0.1) quadrants.insert({point.position.x() > 0, point.position.y() > 0});
    }
    EXPECT_EQ(quadrants.size(), 4u) << cell;
  }
}

// A cube on another, tilted and out of line: they touch within the rectangle that their sides have in common, and the
// gap of a point is the height of the lower side of the upper cube above the upper side of the lower one, at any cell.
// A plane is lowest at a corner of the rectangle, where edges cross: it is among the points, and no two are beside each
// other. A crossing may take the gap of the corner beside it, up to 2 √2 mm away, where the tilt makes 3e-6 m.
TEST(DistanceMapContact, TiltedMapsTouchWithinTheirCommonRectangleWithExactGaps) {
  sample::Random random(5);
  for (const double cell : {0.05, 0.1, 0.13, 0.2}) {
    const Geometry map = make_map(sample::box_mesh({1, 1, 1}, 1), cell);
    for (int trial = 0; trial < 20; ++trial) {
      const double angle = random.uniform(0, 6.28), depth = random.uniform(0, 1e-3);
      const Mat3 R = Eigen::AngleAxisd(1e-3, Vec3(std::cos(angle), std::sin(angle), 0)).toRotationMatrix();
      const Vec3 n = R.col(2), below = -0.5 * n;
      const double aside = random.uniform(-2e-3, 2e-3), along = random.uniform(-2e-3, 2e-3);
      Transform X{R, Vec3(aside, along, 0)};
      const Vec3 middle = X.p + below;
      const auto height_at = [&](double x, double y) {
        return X.p.z() + below.z() - (n.x() * (x - middle.x()) + n.y() * (y - middle.y())) / n.z();
      };
      const Vec3 lower = Vec3::Constant(-0.5).cwiseMax(middle - Vec3::Constant(0.5));
      const Vec3 upper = Vec3::Constant(0.5).cwiseMin(middle + Vec3::Constant(0.5));
      X.p.z() = -depth - std::min({height_at(lower.x(), lower.y()), height_at(lower.x(), upper.y()),
                                   height_at(upper.x(), lower.y()), height_at(upper.x(), upper.y())});
      const auto points = contacts(map, at(0, 0, -0.5), map, X, 5e-3);
      ASSERT_FALSE(points.empty());
      double deepest = 1;
      for (const ContactPoint& point : points) {
        const Vec3& x = point.position;
        EXPECT_NEAR(point.gap, height_at(x.x(), x.y()), 3e-6) << cell;
        EXPECT_GT(point.normal.z(), 1 - 1e-5) << cell;
        // [m] A corner of one cube that is above the other's face may be beside it by as much as the two are out of
        // line.
        const double beside = 1e-5 + (point.gap < 0 ? 0 : middle.head<2>().cwiseAbs().maxCoeff());
        EXPECT_LT((lower - x).head<2>().maxCoeff(), beside) << cell;
        EXPECT_LT((x - upper).head<2>().maxCoeff(), beside) << cell;
        deepest = std::min(deepest, point.gap);
        for (const ContactPoint& other : points) {
          if (&other != &point) {
            EXPECT_GT((other.position - x).norm(), 0.01) << cell;
          }
        }
      }
      EXPECT_NEAR(deepest, -depth, 3e-6) << cell;
    }
  }
}

// Every kind of partner; the sets of points must be the same whether the tree is used or not.
TEST(DistanceMapContact, TreeAndBruteForceFindTheSamePoints) {
  sample::Random random(9);
  const Geometry map = make_map(sample::torus_mesh(0.5, 0.2, 16, 10), 0.06);
  const Geometry other = make_map(sample::box_mesh({0.6, 0.5, 0.4}, 1), 0.05);
  const std::vector<Geometry> partners{make_plane(Vec3::UnitZ(), 0),
                                       make_box(0.5, 0.6, 0.7),
                                       make_sphere(0.4),
                                       make_capsule(0.2, 0.5),
                                       make_cylinder(0.3, 0.4),
                                       make_single({sample::box_mesh({2, 2, 0.5}, 2)}),
                                       other};
  int touching = 0;
  for (const Geometry& partner : partners) {
    for (int trial = 0; trial < (is_full() ? 1000 : 20); ++trial) {
      const Transform X{random.rotation().toRotationMatrix(), random.in_cube(0.8)};
      std::vector<ContactPoint> tree, all;
      append_map_contacts(partner, at(0, 0, 0), map, X, {0.01, SampleSearch::kTree, 0.01}, tree);
      append_map_contacts(partner, at(0, 0, 0), map, X, {0.01, SampleSearch::kAll, 0.01}, all);
      ASSERT_EQ(tree.size(), all.size()) << partner.kind.index();
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(tree[i].position, all[i].position);
        EXPECT_EQ(tree[i].gap, all[i].gap);
      }
      touching += all.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(touching, 40);
}

}  // namespace
}  // namespace achilles
