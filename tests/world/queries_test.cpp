// Questions to a World: what its bodies, their kinds and their parts answer.
#include <achilles/query.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

BodyDescription describe(const std::string& name, const Shape& shape, const Vec3& position,
                         BodyKind kind = BodyKind::kDynamic) {
  BodyDescription body;
  body.name = name;
  body.shape = shape;
  body.pose.p = position;
  body.kind = kind;
  return body;
}

Heightfield make_hill() {
  // 5 x 5 posts, 1 m apart, the middle one 1 m high.
  Heightfield field;
  field.rows = field.columns = 5;
  field.cell = {1, 1};
  field.heights.assign(25, 0.0);
  field.heights[12] = 1;
  return field;
}

Mesh make_square() {
  Mesh mesh;
  mesh.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

/// A floor, a fixed block on it, a ball in the air, a dumb-bell, a square table of triangles and a hill.
struct Yard {
  World world;
  BodyHandle floor, block, ball, dumbbell, table, hill;

  Yard() {
    floor = world.add_body(describe("floor", {Plane{}}, {0, 0, 0}, BodyKind::kFixed));
    block = world.add_body(describe("block", {Box{{2, 2, 2}}}, {10, 0, 1}, BodyKind::kFixed));
    ball = world.add_body(describe("ball", {Sphere{0.5}}, {0, 0, 5}));
    Compound bell;
    bell.parts.push_back({{Sphere{0.5}}, {{-1, 0, 0}, Quat::Identity()}});
    bell.parts.push_back({{Sphere{0.5}}, {{1, 0, 0}, Quat::Identity()}});
    dumbbell = world.add_body(describe("dumbbell", {bell}, {0, 10, 5}));
    table = world.add_body(describe("table", {make_square()}, {-10, 0, 2}, BodyKind::kScripted));
    hill = world.add_body(describe("hill", {make_hill()}, {0, -20, 1}, BodyKind::kFixed));
  }
};

TEST(WorldQuery, RayHitsWhatComesFirst) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto hit = query.cast_ray({0, 0, 9}, {0, 0, -2});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, yard.ball);
  EXPECT_NEAR(hit->distance, 3.5, 1e-12);
  EXPECT_NEAR((hit->point - Vec3(0, 0, 5.5)).norm(), 0, 1e-12);
  EXPECT_NEAR((hit->normal - Vec3::UnitZ()).norm(), 0, 1e-12);
  EXPECT_FALSE(query.cast_ray({0, 0, 9}, {0, 0, -1}, {}, 3.4));
}

TEST(WorldQuery, RayGoesThroughEverythingInOrder) {
  const Yard yard;
  const auto hits = WorldQuery(yard.world).cast_ray_through({0, 0, 9}, {0, 0, -1});
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].body, yard.ball);
  EXPECT_EQ(hits[1].body, yard.floor);
  EXPECT_NEAR(hits[1].distance, 9, 1e-12);
}

TEST(WorldQuery, FilterByKindAndByBodyLooksPastTheOthers) {
  const Yard yard;
  const WorldQuery query(yard.world);
  QueryFilter fixed_only;
  fixed_only.dynamic = false;
  EXPECT_EQ(query.cast_ray({0, 0, 9}, {0, 0, -1}, fixed_only)->body, yard.floor);
  QueryFilter not_the_ball;
  not_the_ball.accept = [&](BodyHandle body) { return body != yard.ball; };
  EXPECT_EQ(query.cast_ray({0, 0, 9}, {0, 0, -1}, not_the_ball)->body, yard.floor);
  QueryFilter scripted_only{false, false, true, {}};
  EXPECT_EQ(query.find_closest_point({0, 0, 0}, scripted_only)->body, yard.table);
}

TEST(WorldQuery, HitNamesThePartOfACompound) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto left = query.cast_ray({-1, 10, 9}, {0, 0, -1});
  const auto right = query.cast_ray({1, 10, 9}, {0, 0, -1});
  ASSERT_TRUE(left && right);
  EXPECT_EQ(left->body, yard.dumbbell);
  EXPECT_EQ(right->body, yard.dumbbell);
  EXPECT_EQ(right->piece, left->piece + 1);
  EXPECT_EQ(query.cast_ray({0, 10, 9}, {0, 0, -1})->body, yard.floor);
}

TEST(WorldQuery, RayMeetsTrianglesAndHills) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto table = query.cast_ray({-10.2, 0.3, 9}, {0, 0, -1});
  EXPECT_EQ(table->body, yard.table);
  EXPECT_NEAR(table->distance, 7, 1e-12);
  const auto top = query.cast_ray({0, -20, 9}, {0, 0, -1});
  EXPECT_EQ(top->body, yard.hill);
  EXPECT_NEAR(top->distance, 7, 1e-12);
}

TEST(WorldQuery, FallingShapeStopsOnWhatIsBelowIt) {
  // Within the default tolerance of 1e-6, and not late by more than half of it.
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto expect_drop = [&](const Shape& shape, const Vec3& from, double distance, BodyHandle onto) {
    const auto hit = query.cast_shape(shape, {from, Quat::Identity()}, {0, 0, -30});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, onto);
    EXPECT_GE(hit->distance, distance - 1e-6 - 1e-12);
    EXPECT_LE(hit->distance, distance - 0.49e-6);
  };
  expect_drop({Box{{1, 1, 1}}}, {0, 0, 9}, 3, yard.ball);
  expect_drop({Box{{1, 1, 1}}}, {5, 0, 9}, 8.5, yard.floor);
  expect_drop({Cylinder{0.5, 1}}, {10.9, 0, 9}, 6.5, yard.block);
}

TEST(WorldQuery, ShapeOverlapsWhatItReachesInto) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto overlaps = [&](const Shape& shape, const Vec3& at) {
    return query.find_overlaps(shape, {at, Quat::Identity()});
  };
  EXPECT_EQ(overlaps({Sphere{1}}, {0, 0, 0.9}), std::vector{yard.floor});
  EXPECT_EQ(overlaps({Sphere{1}}, {8.5, 0, 0.9}), (std::vector{yard.floor, yard.block}));
  EXPECT_EQ(overlaps({Sphere{1}}, {0, 0, 2}), std::vector<BodyHandle>{});
  EXPECT_EQ(overlaps({Sphere{1}}, {0, 10, 5.4}), std::vector{yard.dumbbell});  // both ends, named once
}

TEST(WorldQuery, ShapeOverlapsSurfacesItCrossesAndHillsItLiesIn) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto overlaps = [&](const Shape& shape, const Vec3& at) {
    return query.find_overlaps(shape, {at, Quat::Identity()});
  };
  EXPECT_EQ(overlaps({Sphere{0.5}}, {-10, 0, 2.4}), std::vector{yard.table});
  EXPECT_EQ(overlaps({Sphere{0.5}}, {-10, 0, 1.6}), std::vector{yard.table});
  // An open mesh is a sheet: neither above nor below it anything overlaps.
  EXPECT_EQ(overlaps({Sphere{0.25}}, {-10, 0, 2.4}), std::vector<BodyHandle>{});
  EXPECT_EQ(overlaps({Sphere{0.25}}, {-10, 0, 1.6}), std::vector<BodyHandle>{});
  EXPECT_EQ(overlaps({Box{{0.2, 0.2, 0.2}}}, {0, -20, 1.5}), std::vector{yard.hill});
  EXPECT_EQ(overlaps({Box{{0.2, 0.2, 0.2}}}, {0, -20, 2.2}), std::vector<BodyHandle>{});
}

TEST(WorldQuery, ShapeCastStopsAtTrianglesAndHills) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto table = query.cast_shape({Box{{1, 1, 1}}}, {{-10, 0, 9}, Quat::Identity()}, {0, 0, -9});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->body, yard.table);
  EXPECT_NEAR(table->distance, 6.5, 1e-6);
  const auto hill = query.cast_shape({Sphere{0.5}}, {{0, -20, 9}, Quat::Identity()}, {0, 0, -9});
  ASSERT_TRUE(hill);
  EXPECT_EQ(hill->body, yard.hill);
  EXPECT_NEAR(hill->distance, 6.5, 1e-6);
}

TEST(WorldQuery, ClosestPointIsSigned) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const auto above = query.find_closest_point({3, 0, 5});
  EXPECT_EQ(above->body, yard.ball);
  EXPECT_NEAR(above->distance, 2.5, 1e-12);
  const auto inside = query.find_closest_point({0.1, 0, 5});
  EXPECT_NEAR(inside->distance, -0.4, 1e-12);
  EXPECT_NEAR((inside->point - Vec3(0.5, 0, 5)).norm(), 0, 1e-12);
  EXPECT_FALSE(query.find_closest_point({3, 0, 5}, {}, 2));
}

TEST(WorldQuery, SeesTheWorldAsOfItsLastUpdate) {
  Yard yard;
  WorldQuery query(yard.world);
  yard.world.set_pose(yard.ball, {{0, 3, 5}, Quat::Identity()});
  EXPECT_EQ(query.cast_ray({0, 0, 9}, {0, 0, -1})->body, yard.ball);
  query.update(yard.world);
  EXPECT_EQ(query.cast_ray({0, 0, 9}, {0, 0, -1})->body, yard.floor);
  EXPECT_EQ(query.cast_ray({0, 3, 9}, {0, 0, -1})->body, yard.ball);
  yard.world.remove_body(yard.ball);
  query.update(yard.world);
  EXPECT_EQ(query.cast_ray({0, 3, 9}, {0, 0, -1})->body, yard.floor);
}

TEST(WorldQuery, RefusesWhatMakesNoSense) {
  const Yard yard;
  const WorldQuery query(yard.world);
  const Pose pose;
  EXPECT_THROW(static_cast<void>(query.cast_ray({0, 0, 0}, {0, 0, 0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(query.cast_ray({std::nan(""), 0, 0}, {0, 0, 1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(query.cast_shape({Plane{}}, pose, {1, 0, 0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(query.find_overlaps({make_square()}, pose)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(query.find_closest_point({0, 0, std::nan("")})), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
