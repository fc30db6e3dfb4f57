// Every question to meshes, distance maps and height fields has the answer of the box or plane that they are made of.
#include "collision/queries/collider_index.hpp"
#include "collision/queries/solids.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace achilles {
namespace {

using namespace queries_test;

const Vec3 kSize(1.4, 2, 1);         // [m] of the box
constexpr double kTolerance = 1e-6;  // [m] of moving solids

/// One collider, resting.
struct Single {
  std::shared_ptr<const Geometry> geometry;
  ColliderIndex index;

  Single(const Shape& shape, const Transform& pose) : geometry(make_solid(shape)) {
    index.update(std::array{Collider{geometry.get(), pose, 0, 0, false}});
  }
};

struct Twin {
  Shape shape;
  Shape exact;
};

// A level grid much wider than where it is asked stands for a plane: no question reaches its border.
Twin make_twin(int i) {
  if (i == 0) return {{make_box_mesh(kSize)}, {Box{kSize}}};
  if (i == 1) return {{DistanceMap{make_box_mesh(kSize), 0.1}}, {Box{kSize}}};
  return {{make_slope({0, 0}, 41, 41)}, {Plane{Vec3::UnitZ(), 0}}};
}

class SurfaceQuery : public ::testing::TestWithParam<int> {
 protected:
  const Twin twin_ = make_twin(GetParam());
  Draw draw_{static_cast<std::uint64_t>(GetParam()) + 20};
  const Transform pose_ = draw_.pose(1);
  const Single asked_{twin_.shape, pose_};
  const Single exact_{twin_.exact, pose_};
};

TEST_P(SurfaceQuery, RayMeetsWhatItIsMadeOf) {
  int hits = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 from = 3 * draw_.direction();
    const QueryRay ray{pose_.p + from, (draw_.vector(1) - from).normalized(), draw_.number(1, 6)};
    const auto expected = exact_.index.cast_ray(ray, {});
    // A surface is met where it is, also by a ray that starts behind it.
    if (expected && expected->distance == 0) continue;
    const auto found = asked_.index.cast_ray(ray, {});
    ASSERT_EQ(found.has_value(), expected.has_value()) << i;
    if (!found) continue;
    ++hits;
    ASSERT_NEAR(found->distance, expected->distance, 1e-12) << i;
    ASSERT_NEAR((found->normal - expected->normal).norm(), 0, 1e-12) << i;
  }
  EXPECT_GT(hits, 50);
}

TEST_P(SurfaceQuery, NearestPointIsThatOfWhatItIsMadeOf) {
  for (int i = 0; i < 1000; ++i) {
    const Vec3 x = pose_.p + draw_.vector(2);
    const auto expected = exact_.index.find_nearest(x, 10, {});
    const auto found = asked_.index.find_nearest(x, 10, {});
    ASSERT_TRUE(found && expected) << i;
    // A surface has no inside.
    ASSERT_NEAR(found->nearest.distance, std::abs(expected->nearest.distance), 1e-12) << i;
    if (expected->nearest.distance <= 0) continue;
    ASSERT_NEAR((found->nearest.point - expected->nearest.point).norm(), 0, 1e-12) << i;
  }
}

TEST_P(SurfaceQuery, EveryKindOfSolidOverlapsItWhereItOverlapsWhatItIsMadeOf) {
  int overlaps = 0;
  for (int i = 0; i < 500; ++i) {
    const auto solid = make_solid(draw_shape(draw_));
    const Transform place = draw_.pose(1);
    const QuerySolid query{solid.get(), {place.R, pose_.p + 1.5 * place.p}};
    const double gap = compute_signed_distance(*exact_.geometry, pose_, *query.geometry, query.X_WG).distance;
    if (std::abs(gap) < 1e-9) continue;
    std::vector<std::uint32_t> found;
    asked_.index.find_overlaps(query, {}, found);
    ASSERT_EQ(found.size(), gap <= 0 ? 1U : 0U) << i << " at a gap of " << gap;
    overlaps += gap <= 0 ? 1 : 0;
  }
  EXPECT_GT(overlaps, 50);
}

TEST_P(SurfaceQuery, EveryKindOfSolidStopsWhereItStopsAtWhatItIsMadeOf) {
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const auto solid = make_solid(draw_shape(draw_));
    const Vec3 from = 4 * draw_.direction();
    const QuerySolid query{solid.get(), {draw_.rotation(), pose_.p + from}};
    const Vec3 path = -2 * from + draw_.vector(1);
    const auto expected = exact_.index.cast_solid(query, path, {.tolerance = kTolerance}, {});
    if (expected && expected->distance == 0) continue;
    const auto found = asked_.index.cast_solid(query, path, {.tolerance = kTolerance}, {});
    ASSERT_EQ(found.has_value(), expected.has_value()) << i;
    if (!found) continue;
    ++hits;
    // Both stop where the gap is between half the tolerance and the tolerance; it closes with the slope of the way
    // against the normal, and no slower than that of the box or plane.
    const double slope = std::abs(expected->normal.dot(path.normalized()));
    if (slope < 0.05) continue;
    ASSERT_NEAR(found->distance, expected->distance, kTolerance / slope) << i;
  }
  EXPECT_GT(hits, 50);
}

std::string name_kind(const ::testing::TestParamInfo<int>& kind) {
  return kind.param == 0 ? "Mesh" : (kind.param == 1 ? "DistanceMap" : "HeightField");
}

INSTANTIATE_TEST_SUITE_P(Kinds, SurfaceQuery, ::testing::Values(0, 1, 2), name_kind);

}  // namespace
}  // namespace achilles
