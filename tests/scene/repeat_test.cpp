// `repeat`: one entry, many bodies.
#include "scene/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace achilles {
namespace {

using testing::HasSubstr;

TEST(SceneRepeat, NamesCarryTheIndicesAndPositionsTheSpacing) {
  const Scene scene = parse_scene(with_ball("position: [10, 20, 30]\nrepeat: {count: [2, 3, 4], spacing: [3, 4, 5]}"));
  ASSERT_EQ(scene.bodies.size(), 24U);
  std::set<std::string> names;
  for (const BodyDescription& body : scene.bodies) names.insert(body.name);
  EXPECT_EQ(names.size(), 24U);
  const BodyDescription& last = scene.bodies.back();
  EXPECT_EQ(last.name, "ball[1,2,3]");
  EXPECT_EQ(last.pose.p, Vec3(10 + 1 * 3, 20 + 2 * 4, 30 + 3 * 5));
  EXPECT_EQ(scene.bodies.front().name, "ball[0,0,0]");
}

TEST(SceneRepeat, StaggerMovesEveryOtherRow) {
  // Stagger along x in a wall over x and z: courses (k) alternate, bricks of one course move together.
  const Scene scene =
      parse_scene(with_ball("repeat: {count: [3, 1, 4], spacing: [2.5, 0, 2.5], stagger: [1.25, 0, 0]}"));
  for (const BodyDescription& body : scene.bodies) {
    const int i = body.name[5] - '0';
    const int k = body.name[9] - '0';
    EXPECT_EQ(body.pose.p, Vec3(2.5 * i + (k % 2 == 1 ? 1.25 : 0), 0, 2.5 * k)) << body.name;
  }
  EXPECT_THAT(error_of(with_ball("repeat: {count: [2, 2, 2], spacing: [3, 3, 3], stagger: [1, 1, 1]}")),
              HasSubstr("at least one 0"));
}

TEST(SceneRepeat, CopiesShareTheGroupOfTheirEntryName) {
  const Scene scene =
      parse_scene(with_ball("repeat: {count: [2, 1, 1], spacing: [1, 0, 0]}", "rules: [{ignore: [ball, ball]}]\n"));
  EXPECT_EQ(scene.bodies[0].group, "ball");
  EXPECT_EQ(scene.bodies[1].group, "ball");
  EXPECT_TRUE(scene.warnings.empty()) << "they overlap, but do not collide among themselves";
}

TEST(SceneRepeat, OneCopyMayBeNamedElsewhere) {
  const Scene scene = parse_scene(
      with_ball("repeat: {count: [2, 1, 1], spacing: [3, 0, 0]}",
                "joints: [{name: j, kind: ball, between: ['ball[0,0,0]', 'ball[1,0,0]'], at: [1.5, 0, 0]}]\n"));
  EXPECT_EQ(scene.joints[0].second, "ball[1,0,0]");
  EXPECT_THAT(error_of(with_ball("repeat: {count: [2, 1, 1], spacing: [3, 0, 0]}",
                                 "joints: [{name: j, kind: ball, between: ['ball[0,0,0]', ball], at: [0, 0, 0]}]\n")),
              HasSubstr("there is no body 'ball'"));
}

TEST(SceneRepeat, CountsAreWholeAndNotTooMany) {
  EXPECT_THAT(error_of(with_ball("repeat: {count: [0, 1, 1], spacing: [3, 0, 0]}")), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(with_ball("repeat: {count: [1.5, 1, 1], spacing: [3, 0, 0]}")), HasSubstr("integers"));
  EXPECT_THAT(error_of(with_ball("repeat: {count: [100, 100, 101], spacing: [3, 3, 3]}")),
              HasSubstr("the scene would have 1010000 bodies; allowed: at most 1000000"));
  EXPECT_THAT(error_of(with_ball("repeat: {count: [1e300, 1e300, 1], spacing: [3, 3, 3]}")), HasSubstr("at most"));
  EXPECT_THAT(error_of(with_ball("repeat: {count: [3, 1, 1], spacing: [1e308, 0, 0]}")),
              HasSubstr("beyond what a number can hold"));
}

}  // namespace
}  // namespace achilles
