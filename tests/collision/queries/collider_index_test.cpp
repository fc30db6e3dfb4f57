// Questions to many colliders against asking each of them.
#include "collision/queries/collider_index.hpp"

#include "collision/queries/solids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace queries_test;

struct Population {
  std::vector<std::shared_ptr<const Geometry>> solids;
  std::vector<Collider> colliders;
  ColliderIndex index;

  explicit Population(Draw& draw, std::uint32_t count = 80) {
    for (std::uint32_t i = 0; i < count; ++i) {
      solids.push_back(make_solid(i == 0 ? Shape{Plane{Vec3::UnitZ(), -6}} : draw_shape(draw)));
      const Transform pose = i == 0 ? Transform{} : draw.pose(6);
      colliders.push_back({solids.back().get(), pose, i, 0, i != 0});
    }
    index.update(colliders);
  }
};

bool is_even(const Collider& collider) { return collider.body % 2 == 0; }

TEST(ColliderIndex, RayFindsTheFirstOfAllItMeets) {
  Draw draw(1);
  const Population world(draw);
  int hits = 0;
  for (int i = 0; i < 500; ++i) {
    const QueryRay ray{draw.vector(10), draw.direction(), draw.number(1, 20)};
    for (const ColliderFilter& filter : {ColliderFilter{}, ColliderFilter{is_even}}) {
      std::vector<ColliderHit> expected, through;
      for (std::uint32_t id = 0; id < world.colliders.size(); ++id) {
        const Collider& collider = world.colliders[id];
        if (filter && !filter(collider)) continue;
        const auto met = intersect_ray(*collider.geometry, collider.X_WG, ray);
        if (met) expected.push_back({id, met->distance, ray.origin + met->distance * ray.direction, met->normal});
      }
      std::stable_sort(expected.begin(), expected.end(),
                       [](const ColliderHit& a, const ColliderHit& b) { return a.distance < b.distance; });
      const auto first = world.index.cast_ray(ray, filter);
      world.index.cast_ray_through(ray, filter, through);
      ASSERT_EQ(first.has_value(), !expected.empty());
      ASSERT_EQ(through.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(through[k].collider, expected[k].collider);
      if (expected.empty()) continue;
      ++hits;
      EXPECT_EQ(first->collider, expected.front().collider);
      EXPECT_EQ(first->distance, expected.front().distance);
    }
  }
  EXPECT_GT(hits, 300);
}

TEST(ColliderIndex, NearestIsTheLeastOfAllSignedDistances) {
  Draw draw(2);
  const Population world(draw);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 x = draw.vector(8);
    const double limit = i % 3 == 0 ? draw.number(0, 2) : std::numeric_limits<double>::infinity();
    std::optional<ColliderPoint> expected;
    for (std::uint32_t id = 0; id < world.colliders.size(); ++id) {
      const Collider& collider = world.colliders[id];
      const ClosestPoint nearest = find_closest_point(*collider.geometry, collider.X_WG, x);
      if (nearest.distance > limit || (expected && nearest.distance >= expected->nearest.distance)) continue;
      expected = ColliderPoint{id, nearest};
    }
    const auto found = world.index.find_nearest(x, limit, {});
    ASSERT_EQ(found.has_value(), expected.has_value()) << i;
    if (!expected) continue;
    EXPECT_EQ(found->collider, expected->collider);
    EXPECT_EQ(found->nearest.distance, expected->nearest.distance);
  }
}

TEST(ColliderIndex, OverlapsAreThePairsWithoutAGap) {
  Draw draw(3);
  const Population world(draw);
  std::size_t overlaps = 0;
  for (int i = 0; i < 200; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    const QuerySolid query{solid.get(), draw.pose(6)};
    std::vector<std::uint32_t> expected, found;
    for (std::uint32_t id = 0; id < world.colliders.size(); ++id) {
      const Collider& collider = world.colliders[id];
      const double gap =
          compute_signed_distance(*collider.geometry, collider.X_WG, *query.geometry, query.X_WG).distance;
      if (gap <= 0) expected.push_back(id);
    }
    world.index.find_overlaps(query, {}, found);
    ASSERT_EQ(found, expected);
    overlaps += found.size();
  }
  EXPECT_GT(overlaps, 100U);
}

TEST(ColliderIndex, MovingSolidStopsWhereTheGapHasClosedAndNotBefore) {
  Draw draw(4);
  const Population world(draw);
  const FirstContactOptions options{.tolerance = 1e-6};
  int hits = 0;
  for (int i = 0; i < 500; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    const QuerySolid query{solid.get(), draw.pose(9)};
    const Vec3 path = draw.vector(10);
    const auto least_gap = [&](double share) {
      const Transform pose{query.X_WG.R, query.X_WG.p + share * path};
      double least = std::numeric_limits<double>::infinity();
      for (const Collider& collider : world.colliders) {
        least =
            std::min(least, compute_signed_distance(*collider.geometry, collider.X_WG, *query.geometry, pose).distance);
      }
      return least;
    };
    const auto hit = world.index.cast_solid(query, path, options, {});
    const double end = hit ? hit->distance / path.norm() : 1;
    if (hit) {
      ASSERT_LE(least_gap(end), options.tolerance) << i;
    }
    if (end == 0) continue;
    hits += hit ? 1 : 0;
    for (int k = 0; k < 40; ++k) ASSERT_GE(least_gap(end * k / 40), 0.5 * options.tolerance - 1e-9) << i;
  }
  EXPECT_GT(hits, 100);
}

TEST(ColliderIndex, MovingBallHitsAWallAfterItsWayLessItsRadius) {
  // Wall face at x = 1, ball of radius 0.25 from the origin: 0.75, less between half and the whole tolerance.
  const auto wall = make_solid({Box{{1, 9, 9}}});
  const auto ball = make_solid({Sphere{0.25}});
  ColliderIndex index;
  index.update(std::array{Collider{wall.get(), {Mat3::Identity(), {1.5, 0, 0}}, 7, 0, false}});
  const auto hit = index.cast_solid({ball.get(), {}}, {8, 0, 0}, {.tolerance = 1e-6}, {});
  ASSERT_TRUE(hit);
  EXPECT_GE(hit->distance, 0.75 - 1e-6 - 1e-12);
  EXPECT_LE(hit->distance, 0.75 - 0.5e-6 + 1e-12);
  EXPECT_NEAR((hit->normal + Vec3::UnitX()).norm(), 0, 1e-9);
  EXPECT_NEAR((hit->point - Vec3::UnitX()).norm(), 0, 1e-9);
  EXPECT_FALSE(index.cast_solid({ball.get(), {}}, {0.7, 0, 0}, {.tolerance = 1e-6}, {}));
}

TEST(ColliderIndex, OfNothingAnswersNothing) {
  const ColliderIndex index;
  const auto ball = make_solid({Sphere{1}});
  std::vector<std::uint32_t> found;
  index.find_overlaps({ball.get(), {}}, {}, found);
  EXPECT_TRUE(found.empty());
  EXPECT_FALSE(index.cast_ray({}, {}));
  EXPECT_FALSE(index.find_nearest(Vec3::Zero(), 1e9, {}));
  EXPECT_FALSE(index.cast_solid({ball.get(), {}}, Vec3::UnitX(), {}, {}));
}

}  // namespace
}  // namespace achilles
