// `repeat`: one entry, many bodies.
#include "scene/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
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

TEST(SceneRepeat, RingTurnsCopiesWithTheCircle) {
  const Scene scene = parse_scene(with_ball(
      "position: [10, 20, 30]\naxis_angle: {axis: [0, 1, 0], angle: 0.3}\nrepeat: {ring: {count: 5, radius: 7}}"));
  ASSERT_EQ(scene.bodies.size(), 5U);
  const Quat written(Eigen::AngleAxisd(0.3, Vec3::UnitY()));
  for (int i = 0; i < 5; ++i) {
    const BodyDescription& body = scene.bodies[static_cast<std::size_t>(i)];
    const double angle = 2 * std::numbers::pi * i / 5;
    EXPECT_EQ(body.name, "ball[" + std::to_string(i) + "]");
    EXPECT_LT((body.pose.p - Vec3(10 + 7 * std::cos(angle), 20 + 7 * std::sin(angle), 30)).norm(), 1e-14 * 40);
    const Quat expected = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())) * written;
    EXPECT_LT(body.pose.q.angularDistance(expected), 1e-7)
        << "the angle of a rotation is exact to the root of rounding";
  }
}

TEST(SceneRepeat, RingStartsOnTheFirstAxisOfItsPlaneTowardsTheSecond) {
  const auto second_of = [](const char* plane) {
    return parse_scene(with_ball(std::string("repeat: {ring: {count: 2, radius: 3, step: 1.5707963267948966, plane: ") +
                                 plane + "}}"))
        .bodies[1]
        .pose.p;
  };
  EXPECT_LT((second_of("xy") - Vec3(0, 3, 0)).norm(), 1e-14);
  EXPECT_LT((second_of("xz") - Vec3(0, 0, 3)).norm(), 1e-14);
  EXPECT_LT((second_of("yz") - Vec3(0, 0, 3)).norm(), 1e-14);
}

TEST(SceneRepeat, CurveThroughTwoPointsIsALineWithTheSpacingAsked) {
  // 3-4-5: 5 m in all. 2 m apart there is room for copies at 0, 2 and 4 m; five from end to end are 1.25 m apart.
  const Scene spaced = parse_scene(with_ball("repeat: {curve: {through: [[0, 0, 0], [3, 4, 0]], spacing: 2}}"));
  ASSERT_EQ(spaced.bodies.size(), 3U);
  EXPECT_LT((spaced.bodies[2].pose.p - Vec3(2.4, 3.2, 0)).norm(), 1e-11);
  const Scene counted = parse_scene(with_ball("repeat: {curve: {through: [[0, 0, 0], [3, 4, 0]], count: 5}}"));
  ASSERT_EQ(counted.bodies.size(), 5U);
  EXPECT_LT((counted.bodies[1].pose.p - Vec3(0.75, 1, 0)).norm(), 1e-11);
  EXPECT_LT((counted.bodies[4].pose.p - Vec3(3, 4, 0)).norm(), 1e-11);
  EXPECT_EQ(parse_scene(with_ball("repeat: {curve: {through: [[0, 0, 0], [9, 0, 0]], spacing: 3}}")).bodies.size(), 4U)
      << "the last one stands on the end";
}

TEST(SceneRepeat, CopiesOnABentCurveAreEquallyFarApartAndFaceAlongIt) {
  constexpr double kSpacing = 0.01;  // [m]
  const Scene scene = parse_scene(
      with_ball("group: g\nposition: [5, 6, 7]\n"
                "repeat: {curve: {through: [[0, 0, 0], [2, 0, 0.5], [3, 1, 0], [3, 3, 1]], spacing: 0.01}}"));
  ASSERT_GT(scene.bodies.size(), 400U);
  EXPECT_LT((scene.bodies[0].pose.p - Vec3(5, 6, 7)).norm(), 1e-12);
  for (std::size_t i = 1; i + 1 < scene.bodies.size(); ++i) {
    const Pose& pose = scene.bodies[i].pose;
    const Vec3 step = scene.bodies[i + 1].pose.p - pose.p;
    // A chord is shorter than its arc by κ² s² / 24; the curvature κ of this curve stays below 10 / m.
    EXPECT_LE(step.norm(), kSpacing * (1 + 1e-9));
    EXPECT_GT(step.norm(), kSpacing * (1 - 100 * kSpacing * kSpacing / 24));
    // The chord from the copy before to the one behind is parallel to the tangent up to second order, κ' s² / 6.
    const Vec3 along = scene.bodies[i + 1].pose.p - scene.bodies[i - 1].pose.p;
    EXPECT_GT((pose.q * Vec3::UnitX()).dot(along.normalized()), 1 - 1e-5);
    EXPECT_NEAR((pose.q * Vec3::UnitY()).z(), 0, 1e-14) << "y stays level";
  }
}

TEST(SceneRepeat, CopiesThatDoNotTurnKeepTheirOrientation) {
  const Quat written(Eigen::AngleAxisd(0.3, Vec3::UnitY()));
  for (const char* repeat : {"ring: {count: 3, radius: 7, turn: false}",
                             "curve: {through: [[0, 0, 0], [0, 9, 3]], count: 3, turn: false}"}) {
    const Scene scene =
        parse_scene(with_ball(std::string("axis_angle: {axis: [0, 1, 0], angle: 0.3}\nrepeat: {") + repeat + "}"));
    for (const BodyDescription& body : scene.bodies) EXPECT_LT(body.pose.q.angularDistance(written), 1e-7) << repeat;
  }
}

TEST(SceneRepeat, RingsAndCurvesThatCannotBeAreRefused) {
  EXPECT_THAT(error_of(with_ball("repeat: {}")), HasSubstr("allowed: one of count, ring, curve"));
  EXPECT_THAT(error_of(with_ball("repeat: {count: [2, 1, 1]}")), HasSubstr("the key 'spacing' is missing"));
  EXPECT_THAT(error_of(with_ball("repeat: {count: [2, 1, 1], spacing: [3, 0, 0], ring: {count: 2, radius: 1}}")),
              HasSubstr("found count, ring together"));
  EXPECT_THAT(error_of(with_ball("repeat: {ring: {count: 2, radius: 3}, stagger: [1, 0, 0]}")),
              HasSubstr("goes with 'count'"));
  EXPECT_THAT(error_of(with_ball("repeat: {ring: {count: 2000000, radius: 3}}")), HasSubstr("to 1000000"));
  EXPECT_THAT(error_of(with_ball("repeat: {curve: {through: [[0, 0, 0], [9, 0, 0]]}}")),
              HasSubstr("allowed: one of count, spacing"));
  EXPECT_THAT(error_of(with_ball("repeat: {curve: {through: [[1, 0, 0], [1, 0, 0]], count: 3}}")),
              HasSubstr("at least 2 different points"));
  EXPECT_THAT(error_of(with_ball("repeat: {curve: {through: [[0, 0, 0], [9, 0, 0]], spacing: 1e-9}}")),
              HasSubstr("allowed: at most 1000000"));
  EXPECT_THAT(error_of(with_ball("repeat: {curve: {through: [[0, 0, 0], [1e308, 1e308, 0]], count: 3}}")),
              HasSubstr("beyond what a number can hold"));
}

}  // namespace
}  // namespace achilles
