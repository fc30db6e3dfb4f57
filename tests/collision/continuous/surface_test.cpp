// Moving shapes and surfaces of triangles.
#include "collision/continuous/moving.hpp"
#include "geometry/heightfield_geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace continuous_test;

constexpr double kTolerance = 1e-6;  // [m]

/// The square |x|, |y| ≤ half at z = 0 as a grid of triangles.
Mesh make_floor(double half, int cells) {
  Mesh mesh;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      mesh.vertices.emplace_back(half * (2.0 * j / cells - 1), half * (2.0 * i / cells - 1), 0);
    }
  }
  const int row = cells + 1;
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const int v = i * row + j;
      mesh.triangles.push_back({v, v + 1, v + row + 1});
      mesh.triangles.push_back({v, v + row + 1, v + row});
    }
  }
  return mesh;
}

TEST(SurfaceContact, TimesOnAMeshedFloorAreThoseOnThePlane) {
  const auto floor = make_solid({make_floor(3, 20)});
  const auto plane = make_solid({Plane{}});
  const Motion still = make_motion(Vec3::Zero());
  Draw draw(1);
  int contacts = 0;
  for (int i = 0; i < 100; ++i) {
    const auto solid = make_solid(draw_shape(draw));
    BallisticMotion motion = make_motion(draw.vector(1) + Vec3(0, 0, 2.1), draw.vector(8) - Vec3(0, 0, 12),
                                         draw.number(0, 40) * draw.direction());
    motion.X_WG.R = draw.rotation();
    motion.acceleration = {0, 0, -9.81};
    const double h = 0.15;
    const FirstContact on_floor = find_first_contact({*floor, still, *solid, motion}, h, {.tolerance = kTolerance});
    const FirstContact on_plane = find_first_contact({*plane, still, *solid, motion}, h, {.tolerance = kTolerance});
    ASSERT_EQ(on_floor.status, on_plane.status) << i;
    if (on_plane.status != ContactSearchStatus::kContact) continue;
    ++contacts;
    // Both times have a gap between half the tolerance and the tolerance, and the gap closes at a metre per second or
    // more.
    EXPECT_NEAR(on_floor.time, on_plane.time, 0.5 * kTolerance) << i;
    EXPECT_NEAR((on_floor.gap.normal - Vec3::UnitZ()).norm(), 0, 1e-6) << i;
  }
  EXPECT_GT(contacts, 50);
}

TEST(SurfaceContact, BulletDoesNotPassThroughAMeshHoweverThin) {
  // A surface has no thickness at all; 1000 m/s, and 16 m between start and end of the interval.
  const auto wall = make_solid({make_floor(1, 7)});
  const auto bullet = make_solid({Sphere{0.005}});
  const Motion still = make_motion(Vec3::Zero());
  for (const double side : {1.0, -1.0}) {
    const Motion flight = make_motion({0.1, 0.2, 3 * side}, {0, 0, -1000 * side});
    const FirstContact found = find_first_contact({*wall, still, *bullet, flight}, 1.0 / 60, {.tolerance = kTolerance});
    ASSERT_EQ(found.status, ContactSearchStatus::kContact);
    EXPECT_GE(found.time, (3 - 0.005 - kTolerance) / 1000 * (1 - 1e-9));
    EXPECT_LE(found.time, (3 - 0.005 - 0.5 * kTolerance) / 1000 * (1 + 1e-9));
  }
}

TEST(SurfaceContact, BoxSlidingOnAMeshedFloorTouchesItFromTheStartAndNeverAgain) {
  const auto floor = make_solid({make_floor(3, 40)});
  const auto box = make_solid({Box{{1, 1, 1}}});
  const Motion still = make_motion(Vec3::Zero());
  const Motion slide = make_motion({0, 0, 0.5}, {5, 2, 0}, {0, 0, 3});
  ContactTimeSet set;
  append_contact_times({*floor, still, *box, slide}, 0.1, {.tolerance = kTolerance}, set);
  ASSERT_EQ(set.times.size(), 1U);
  EXPECT_EQ(set.times[0].kind, ContactTimeKind::kAtStart);
}

TEST(SurfaceContact, BallOverAHillMeetsItWhereItsHeightIsItsRadiusAboveTheSlope) {
  // Ridge z = 1 − |x|: a ball of radius r at height H flying along +x touches the slope when the distance of its centre
  // from the line z = 1 + x is r: (H − 1 − x) / √2 = r.
  Heightfield ridge;
  ridge.rows = 3;
  ridge.columns = 9;
  ridge.cell = {1, 5};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 9; ++j) ridge.heights.push_back(1 - std::abs(j - 4.0));
  }
  const auto hill = make_solid({ridge});
  const auto ball = make_solid({Sphere{0.25}});
  const double height = 0.5, speed = 30;
  const Motion still = make_motion(Vec3::Zero());
  const Motion flight = make_motion({-3, 0.3, height}, {speed, 0, 0}, {0, 100, 0});
  const FirstContact found = find_first_contact({*ball, flight, *hill, still}, 0.2, {.tolerance = kTolerance});
  ASSERT_EQ(found.status, ContactSearchStatus::kContact);
  const double meeting = (height - 1 - 0.25 * std::sqrt(2.0) + 3) / speed;
  const double closing = speed / std::sqrt(2.0);
  EXPECT_GE(found.time, meeting - 1.0001 * kTolerance / closing);
  EXPECT_LE(found.time, meeting - 0.4999 * kTolerance / closing);
  // From a to b: from the ball into the slope.
  EXPECT_NEAR((found.gap.normal - Vec3(1, 0, -1).normalized()).norm(), 0, 1e-6);
}

/// Random triangles, tilted every way, scattered in a ball.
Mesh make_shards(Draw& draw, int count) {
  Mesh mesh;
  for (int i = 0; i < count; ++i) {
    const Vec3 center = draw.number(0, 1) * draw.direction();
    const int v = static_cast<int>(mesh.vertices.size());
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(center + draw.vector(0.3));
    mesh.triangles.push_back({v, v + 1, v + 2});
  }
  return mesh;
}

TEST(SurfaceContact, OfRandomMovingShapesIsNeverMissedAndNeverLate) {
  Draw draw(3);
  const int pairs = choose_count(10000, 150);
  int contacts = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto shards = make_solid({make_shards(draw, 12)});
    const auto solid = make_solid(draw_shape(draw));
    BallisticMotion fly = make_motion(3 * draw.direction());
    fly.velocity = -30 * fly.X_WG.p + draw.vector(20);
    fly.spin = draw.number(0, 100) * draw.direction();
    fly.X_WG.R = draw.rotation();
    // One in four surfaces moves as well.
    BallisticMotion surface = make_motion(Vec3::Zero());
    if (i % 4 == 0) {
      surface.velocity = draw.vector(10);
      surface.spin = draw.number(0, 50) * draw.direction();
    }
    const Motion motion_a = surface, motion_b = fly;
    const MovingPair pair(*shards, motion_a, *solid, motion_b);
    const double h = 0.05;
    const FirstContact found = find_first_contact(pair, h, {.tolerance = kTolerance});
    ASSERT_TRUE(found.status == ContactSearchStatus::kApart || found.status == ContactSearchStatus::kContact) << i;
    if (found.status == ContactSearchStatus::kContact) {
      ++contacts;
      ASSERT_LE(pair.compute_gap(found.time).distance, kTolerance) << i;
    }
    if (found.time == 0) continue;
    for (int k = 0; k < 32; ++k) {
      const double t = found.time * (k + draw.number(0, 1)) / 32;
      ASSERT_GE(pair.compute_gap(t).distance, 0.5 * kTolerance - 1e-9) << "pair " << i << " at " << t;
    }
  }
  EXPECT_GT(contacts, pairs / 4);
}

}  // namespace
}  // namespace achilles
