// Rays against closed forms and against points sampled along them.
#include "collision/queries/ray.hpp"

#include "collision/queries/closest_point.hpp"
#include "collision/queries/solids.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using namespace queries_test;

std::optional<RayContact> shoot(const Shape& shape, const Vec3& origin, const Vec3& direction,
                                double limit = std::numeric_limits<double>::infinity()) {
  return intersect_ray(*make_solid(shape), Transform{}, {origin, direction.normalized(), limit});
}

void expect_hit(const std::optional<RayContact>& hit, double distance, const Vec3& normal) {
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, distance, 1e-12 * std::max(1.0, distance));
  EXPECT_NEAR((hit->normal - normal).norm(), 0, 1e-9);
}

TEST(Ray, MeetsASphereWherePythagorasSays) {
  // Offset 0.6 of radius 1 from the centre: the surface is 0.8 in front of it.
  expect_hit(shoot({Sphere{1}}, {-5, 0.6, 0}, {1, 0, 0}), 4.2, {-0.8, 0.6, 0});
  EXPECT_FALSE(shoot({Sphere{1}}, {-5, 1.0000001, 0}, {1, 0, 0}));
}

TEST(Ray, MeetsTheNearFaceOfABoxAndSlidesPastItsEdge) {
  expect_hit(shoot({Box{{2, 4, 6}}}, {-5, 1.9, 2.9}, {1, 0, 0}), 4, {-1, 0, 0});
  expect_hit(shoot({Box{{2, 4, 6}}}, {0, 0, 10}, {0, 0, -1}), 7, {0, 0, 1});
  EXPECT_FALSE(shoot({Box{{2, 4, 6}}}, {-5, 2.0000001, 0}, {1, 0, 0}));
}

TEST(Ray, MeetsACapsuleOnItsSideAndOnItsCap) {
  expect_hit(shoot({Capsule{0.5, 2}}, {-5, 0.3, 0.9}, {1, 0, 0}), 4.6, {-0.8, 0.6, 0});
  expect_hit(shoot({Capsule{0.5, 2}}, {0.3, 0, 9}, {0, 0, -1}), 9 - 1.4, {0.6, 0, 0.8});
  expect_hit(shoot({Capsule{0.5, 2}}, {-5, 0, 1.3}, {1, 0, 0}), 4.6, {-0.8, 0, 0.6});
}

TEST(Ray, MeetsACylinderOnItsSideAndOnItsDiscs) {
  expect_hit(shoot({Cylinder{1, 2}}, {-5, 0.6, 0.9}, {1, 0, 0}), 4.2, {-0.8, 0.6, 0});
  expect_hit(shoot({Cylinder{1, 2}}, {0.9, 0, 7}, {0, 0, -1}), 6, {0, 0, 1});
  EXPECT_FALSE(shoot({Cylinder{1, 2}}, {-5, 0, 1.0000001}, {1, 0, 0}));
  EXPECT_FALSE(shoot({Cylinder{1, 2}}, {1.0000001, 0, 7}, {0, 0, -1}));
}

TEST(Ray, MeetsAConeOnItsSlantOnItsBaseAndAtItsApex) {
  // Radius 1, height 2: half way up it is 1/2 thick, and its normal leans up by atan(R / H).
  const Vec3 normal = Vec3(-2, 0, 1).normalized();
  expect_hit(shoot({Cone{1, 2}}, {-5, 0, 0}, {1, 0, 0}), 4.5, normal);
  expect_hit(shoot({Cone{1, 2}}, {0.9, 0, -7}, {0, 0, 1}), 6, {0, 0, -1});
  expect_hit(shoot({Cone{1, 2}}, {0.5, 0, 7}, {0, 0, -1}), 7, Vec3(2, 0, 1).normalized());
  const auto apex = shoot({Cone{1, 2}}, {0, 0, 7}, {0, 0, -1});
  ASSERT_TRUE(apex);
  EXPECT_NEAR(apex->distance, 6, 1e-7);  // the square root of rounding: the surface is not smooth there
  EXPECT_FALSE(shoot({Cone{1, 2}}, {-5, 0, 1.0000001}, {1, 0, 0}));
  // The other nappe of the infinite cone is not part of the solid.
  EXPECT_FALSE(shoot({Cone{1, 2}}, {-5, 0, 3}, {1, 0, 0}));
}

TEST(Ray, MeetsAPlaneFromAboveAndIsInsideItBelow) {
  const Shape floor{Plane{{0, 0, 1}, 1}};
  expect_hit(shoot(floor, {0, 0, 3}, {0, 3, -4}), 2.5, {0, 0, 1});
  EXPECT_FALSE(shoot(floor, {0, 0, 3}, {0, 3, 4}));
  EXPECT_FALSE(shoot(floor, {0, 0, 3}, {1, 0, 0}));
  expect_hit(shoot(floor, {0, 0, 0.5}, {0, 0, 1}), 0, {0, 0, -1});
}

TEST(Ray, FromInsideASolidMeetsItAtOnceAndFromBehindNotAtAll) {
  Draw draw(1);
  for (int i = 0; i < 100; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    const Vec3 direction = draw.direction();
    const auto inside = intersect_ray(*solid, Transform{}, {Vec3::Zero(), direction});
    if (find_closest_point(*solid, Transform{}, Vec3::Zero()).distance < 0) expect_hit(inside, 0, -direction);
    EXPECT_FALSE(intersect_ray(*solid, Transform{}, {5 * direction, direction}));
  }
}

TEST(Ray, EndsAtItsLimit) {
  EXPECT_TRUE(shoot({Sphere{1}}, {-5, 0, 0}, {1, 0, 0}, 4.0000001));
  EXPECT_FALSE(shoot({Sphere{1}}, {-5, 0, 0}, {1, 0, 0}, 3.9999999));
  EXPECT_FALSE(shoot({make_box_mesh({2, 2, 2})}, {-5, 0.1, 0.2}, {1, 0, 0}, 3.9999999));
}

TEST(Ray, OfAMeshedBoxIsThatOfTheBox) {
  Draw draw(2);
  const Vec3 size(1, 2, 3);
  const auto box = make_solid({Box{size}});
  const auto mesh = make_solid({make_box_mesh(size)});
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Transform pose = draw.pose(2);
    const QueryRay ray{pose.p + 10 * draw.direction(), draw.direction()};
    const QueryRay aimed{ray.origin, (pose.p + draw.vector(1.5) - ray.origin).normalized()};
    const auto expected = intersect_ray(*box, pose, aimed);
    const auto found = intersect_ray(*mesh, pose, aimed);
    ASSERT_EQ(found.has_value(), expected.has_value()) << i;
    if (!expected) continue;
    ++hits;
    EXPECT_NEAR(found->distance, expected->distance, 1e-11);
    EXPECT_NEAR((found->normal - expected->normal).norm(), 0, 1e-11);
  }
  EXPECT_GT(hits, 500);
}

TEST(Ray, MeetsASlopingHeightFieldFromAboveAndFromBelow) {
  // z = x / 2: a ray straight down over x = 2 falls to z = 1; the normal is (-1, 0, 2) / √5.
  const Shape slope{make_slope({0.5, 0}, 12, 12)};
  const Vec3 normal = Vec3(-1, 0, 2).normalized();
  expect_hit(shoot(slope, {2, 0.3, 5}, {0, 0, -1}), 4, normal);
  expect_hit(shoot(slope, {2, 0.3, -5}, {0, 0, 1}), 6, -normal);
  EXPECT_FALSE(shoot(slope, {7, 0, 5}, {0, 0, -1}));
}

TEST(Ray, StopsAtTheFirstPointOfTheSolid) {
  // Whatever the shape: the reported point is on the surface, the normal is that of the surface, points before are
  // outside, and a ray that misses has no point inside. The distances of points come from other code.
  Draw draw(3);
  int hits = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    const Transform pose = draw.pose(3);
    const Vec3 origin = pose.p + draw.number(2.5, 6) * draw.direction();
    const QueryRay ray{origin, (pose.p + draw.vector(0.8) - origin).normalized(), 12};
    const auto hit = intersect_ray(*solid, pose, ray);
    const double end = hit ? hit->distance : ray.limit;
    for (int k = 0; k < 50; ++k) {
      const double t = end * (k + draw.number(0, 1)) / 50;
      ASSERT_GE(find_closest_point(*solid, pose, ray.origin + t * ray.direction).distance, -1e-12) << i;
    }
    if (!hit) continue;
    ++hits;
    const ClosestPoint at = find_closest_point(*solid, pose, ray.origin + end * ray.direction);
    ASSERT_NEAR(at.distance, 0, 1e-12) << i;
    ASSERT_LE(hit->normal.dot(ray.direction), 1e-12) << i;
    ASSERT_NEAR(hit->normal.norm(), 1, 1e-12);
    // A point a little along the normal lies as far outside as it went, wherever the surface has this normal.
    const Vec3 off = ray.origin + end * ray.direction + 1e-4 * hit->normal;
    ASSERT_NEAR(find_closest_point(*solid, pose, off).distance, 1e-4, 1e-12) << i;
  }
  EXPECT_GT(hits, 2000);
}

TEST(Ray, FromAfarLosesNoPrecision) {
  // 1e6 m away; coordinates then are exact to 1e-10, and so is the answer.
  expect_hit(shoot({Sphere{1}}, {-1e6, 0.6, 0}, {1, 0, 0}), 1e6 - 0.8, {-0.8, 0.6, 0});
  expect_hit(shoot({Cylinder{1, 2}}, {-1e6, 0.6, 0}, {1, 0, 0}), 1e6 - 0.8, {-0.8, 0.6, 0});
  expect_hit(shoot({Capsule{1, 2}}, {-1e6, 0.6, 0}, {1, 0, 0}), 1e6 - 0.8, {-0.8, 0.6, 0});
}

}  // namespace
}  // namespace achilles
