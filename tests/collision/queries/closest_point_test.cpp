// Nearest points of all shapes against closed forms and against the distance of a vanishing ball.
#include "collision/queries/closest_point.hpp"

#include "collision/contact/collide.hpp"
#include "collision/queries/solids.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using namespace queries_test;

void expect_point(const Shape& shape, const Vec3& x, double distance, const Vec3& point) {
  const ClosestPoint found = find_closest_point(*make_solid(shape), Transform{}, x);
  EXPECT_NEAR(found.distance, distance, 1e-14);
  EXPECT_NEAR((found.point - point).norm(), 0, 1e-14);
}

TEST(ClosestPoint, OfABoxIsOnItsFaceEdgeOrCorner) {
  const Shape box{Box{{2, 2, 2}}};
  expect_point(box, {3, 0.2, 0.1}, 2, {1, 0.2, 0.1});
  expect_point(box, {4, 5, 0.1}, 5, {1, 1, 0.1});
  expect_point(box, {2, 3, 3}, 3, {1, 1, 1});
  expect_point(box, {0.9, 0.2, -0.3}, -0.1, {1, 0.2, -0.3});
}

TEST(ClosestPoint, OfACylinderIsOnItsSideDiscOrRim) {
  const Shape cylinder{Cylinder{1, 2}};
  expect_point(cylinder, {3, 0, 0.5}, 2, {1, 0, 0.5});
  expect_point(cylinder, {0.5, 0, 3}, 2, {0.5, 0, 1});
  expect_point(cylinder, {4, 0, 5}, 5, {1, 0, 1});
  expect_point(cylinder, {0, 0, 0.75}, -0.25, {0, 0, 1});
  expect_point(cylinder, {0.9, 0, 0}, -0.1, {1, 0, 0});
}

TEST(ClosestPoint, OfAConeIsOnItsSlantBaseApexOrRim) {
  const Shape cone{Cone{1.5, 2}};  // the slant is 2.5 long, its normal (4, 3) / 5
  expect_point(cone, Vec3(0.75, 0, 0) + 2 * Vec3(0.8, 0, 0.6), 2, {0.75, 0, 0});
  expect_point(cone, Vec3(0.75, 0, 0) - 0.1 * Vec3(0.8, 0, 0.6), -0.1, {0.75, 0, 0});
  expect_point(cone, {0.5, 0, -3}, 2, {0.5, 0, -1});
  expect_point(cone, {0, 0, 4}, 3, {0, 0, 1});
  expect_point(cone, {4.5, 0, -5}, 5, {1.5, 0, -1});
}

TEST(ClosestPoint, OfAPlaneIsTheFoot) {
  expect_point({Plane{{0, 0.6, 0.8}, 1}}, Vec3(7, 0, 0) + 3 * Vec3(0, 0.6, 0.8), 2, Vec3(7, 0, 0) + Vec3(0, 0.6, 0.8));
  expect_point({Plane{{0, 0, 1}, 1}}, {7, 8, -2}, -3, {7, 8, 1});
}

TEST(ClosestPoint, OfAHeightFieldIsTheFootOnItsSlope) {
  const Shape slope{make_slope({0.75, 0}, 12, 12)};
  const Vec3 normal = Vec3(-0.6, 0, 0.8);
  expect_point(slope, Vec3(2, 0.3, 1.5) + 0.5 * normal, 0.5, {2, 0.3, 1.5});
  expect_point(slope, Vec3(2, 0.3, 1.5) - 0.5 * normal, 0.5, {2, 0.3, 1.5});
}

TEST(ClosestPoint, IsThatOfAVanishingBallWhateverTheShape) {
  // Outside by GJK, inside by penetration depth: other code, good to 1e-9 of the size.
  Draw draw(4);
  Geometry ball;
  ball.kind = SphereGeometry{0};
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    const Transform pose = draw.pose(3);
    const Vec3 x = pose.p + draw.vector(1.5);
    const ClosestPoint found = find_closest_point(*solid, pose, x);
    const SignedDistance expected = compute_signed_distance(*solid, pose, ball, {Mat3::Identity(), x});
    ASSERT_NEAR(found.distance, expected.distance, 2e-9) << i;
    ASSERT_NEAR((found.point + found.distance * found.normal - x).norm(), 0, 1e-9) << i;
    ASSERT_NEAR(found.normal.norm(), 1, 1e-12) << i;
    // The point is on the surface.
    ASSERT_NEAR(find_closest_point(*solid, pose, found.point).distance, 0, 1e-9) << i;
    inside += found.distance < 0 ? 1 : 0;
  }
  EXPECT_GT(inside, 250);
}

TEST(ClosestPoint, OfAMeshedBoxIsThatOfTheBoxOutside) {
  Draw draw(5);
  const Vec3 size(1, 2, 3);
  const auto box = make_solid({Box{size}});
  const auto mesh = make_solid({make_box_mesh(size)});
  for (int i = 0; i < 2000; ++i) {
    const Transform pose = draw.pose(2);
    const Vec3 x = pose.p + draw.vector(4);
    const ClosestPoint expected = find_closest_point(*box, pose, x);
    const ClosestPoint found = find_closest_point(*mesh, pose, x);
    ASSERT_NEAR(found.distance, std::abs(expected.distance), 1e-12);
    if (expected.distance > 0) {
      ASSERT_NEAR((found.point - expected.point).norm(), 0, 1e-12);
    }
  }
}

TEST(ClosestPoint, OfASurfaceBeyondTheLimitIsInfinitelyFar) {
  const auto mesh = make_solid({make_box_mesh({1, 1, 1})});
  EXPECT_TRUE(std::isinf(find_closest_point(*mesh, Transform{}, {5, 0, 0}, 4).distance));
  EXPECT_FALSE(std::isinf(find_closest_point(*mesh, Transform{}, {5, 0, 0}, 5).distance));
}

}  // namespace
}  // namespace achilles
