// All times of contact over an interval, against closed forms.
#include "collision/continuous/detect_times.hpp"

#include "collision/continuous/moving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace continuous_test;

constexpr double kTolerance = 1e-6;  // [m]

ContactTimeSet find_all(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b, double h,
                        int parts = 64) {
  const auto solid_a = make_solid(a);
  const auto solid_b = make_solid(b);
  ContactTimeSet set;
  append_contact_times({*solid_a, motion_a, *solid_b, motion_b}, h, {.tolerance = kTolerance, .parts = parts}, set);
  return set;
}

std::vector<double> times_of(const ContactTimeSet& set, ContactTimeKind kind) {
  std::vector<double> times;
  for (const ContactTime& contact : set.times) {
    if (contact.kind == kind) times.push_back(contact.time);
  }
  return times;
}

TEST(ContactTimes, SpinningSquareStrikesThePlaneOncePerCorner) {
  // As in FirstContact: corners arrive at ωt = π/4 − acos(H/√2) + k π/2. Over 1.25 turns that is five times.
  const double height = 1.3, spin = 100;
  const double angle = std::acos(height / std::sqrt(2.0));
  const ContactTimeSet set = find_all({Plane{}}, make_motion(Vec3::Zero()), {Box{{3, 2, 2}}},
                                      make_motion({0, 0, height}, {0, 0, 0}, {spin, 0, 0}), 1.25 * 2 * M_PI / spin);
  const std::vector<double> times = times_of(set, ContactTimeKind::kTouches);
  ASSERT_EQ(times.size(), 5U);
  const double sinking = std::sqrt(2.0) * spin * std::sin(angle);  // [m/s] of the corner when it arrives
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double meeting = (M_PI / 4 - angle + static_cast<double>(k) * M_PI / 2) / spin;
    EXPECT_GE(times[k], meeting - 1.0001 * kTolerance / sinking);
    EXPECT_LE(times[k], meeting - 0.4999 * kTolerance / sinking);
  }
}

TEST(ContactTimes, EachTimeComesWithThePointsThatTouch) {
  const ContactTimeSet set =
      find_all({Plane{}}, make_motion(Vec3::Zero()), {Box{{1, 1, 1}}}, make_motion({0, 0, 2}, {0, 0, -1}), 1.6);
  ASSERT_FALSE(set.times.empty());
  const auto points = set.points_of(set.times.front());
  ASSERT_EQ(points.size(), 4U);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(std::abs(point.position.x()), 0.5, 1e-9);
    EXPECT_NEAR(std::abs(point.position.y()), 0.5, 1e-9);
    EXPECT_NEAR((point.normal - Vec3::UnitZ()).norm(), 0, 1e-9);
    EXPECT_LE(point.gap, kTolerance);
  }
}

TEST(ContactTimes, FarEndOfARodIsReportedWhileItsNearEndAlreadyTouches) {
  // One end of a capsule rests on the plane and the capsule turns about the centre of that end: the gap stays 0 until
  // the far end, L away, comes down at angle 0. It is L sin(φ) too deep after φ, and is reported between half the
  // tolerance and the tolerance.
  const double length = 2, radius = 0.1, spin = 3, start = 0.5;
  BallisticMotion rod;
  rod.center = {0, 0, radius};
  rod.spin = {0, spin, 0};
  rod.X_WG.R = Eigen::AngleAxisd(M_PI / 2 - start, Vec3::UnitY()).toRotationMatrix();
  rod.X_WG.p = rod.center + rod.X_WG.R * Vec3(0, 0, 0.5 * length);
  const ContactTimeSet set = find_all({Plane{}}, make_motion(Vec3::Zero()), {Capsule{radius, length}}, rod, 0.3);
  ASSERT_EQ(set.times.size(), 2U);
  EXPECT_EQ(set.times[0].kind, ContactTimeKind::kAtStart);
  EXPECT_EQ(set.times[0].time, 0);
  EXPECT_EQ(set.times[1].kind, ContactTimeKind::kDeepens);
  EXPECT_GE(set.times[1].time, (start + 0.499 * kTolerance / length) / spin);
  EXPECT_LE(set.times[1].time, (start + 1.001 * kTolerance / length) / spin);
  // The new point, at the far end, is among those reported.
  const auto points = set.points_of(set.times[1]);
  EXPECT_TRUE(std::any_of(points.begin(), points.end(),
                          [&](const ContactPoint& point) { return std::abs(point.position.x() - length) < 1e-3; }));
}

TEST(ContactTimes, BoxSpinningOnAnotherIsInContactFromTheStartAndNeverAgain) {
  // The stacked boxes of [Drumwright10, sec. IV-A].
  const ContactTimeSet set = find_all({Box{{1, 1, 1}}}, make_motion({0, 0, 0}, {0, 0, 0}, {0, 0, 10}), {Box{{1, 1, 1}}},
                                      make_motion({0, 0, 1}, {0, 0, 0}, {0, 0, 20}), 0.001);
  ASSERT_EQ(set.times.size(), 1U);
  EXPECT_EQ(set.times[0].kind, ContactTimeKind::kAtStart);
}

TEST(ContactTimes, BallLeavingThePlaneTouchesItAgainAfterItsFlight) {
  // Thrown up at v it comes back after 2v/g: at start, and then.
  BallisticMotion ball = make_motion({0, 0, 0.5}, {0, 0, 1});
  ball.acceleration = {0, 0, -10};
  const ContactTimeSet set = find_all({Plane{}}, make_motion(Vec3::Zero()), {Sphere{0.5}}, ball, 0.3);
  const std::vector<double> times = times_of(set, ContactTimeKind::kTouches);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_NEAR(times[0], 0.2, 1.01e-6);  // the tolerance at 1 m/s
  EXPECT_EQ(set.times[0].kind, ContactTimeKind::kAtStart);
}

TEST(ContactTimes, SceneReportsWhatItsPairsReportInOrderOfTime) {
  Draw draw(5);
  std::vector<std::shared_ptr<const Geometry>> solids;
  std::vector<MovingCollider> colliders;
  for (std::uint32_t i = 0; i < 40; ++i) {
    solids.push_back(make_solid(i == 0 ? Shape{Plane{Vec3::UnitZ(), -1}} : draw_shape(draw)));
    BallisticMotion motion = make_motion(draw.vector(1.5), 10 * draw.direction(), 10 * draw.direction());
    if (i == 0) motion = make_motion(Vec3::Zero());
    colliders.push_back({solids.back().get(), motion, i, i != 0});
  }
  const double h = 0.02;
  ContinuousWorkspace serial, parallel;
  ContactTimeSet one, two;
  detect_contact_times(colliders, {}, h, {.tolerance = kTolerance}, serial, one);
  detect_contact_times(colliders, {}, h, {.tolerance = kTolerance, .threads = 2}, parallel, two);
  ContactTimeSet expected;
  for (std::size_t a = 0; a < colliders.size(); ++a) {
    for (std::size_t b = a + 1; b < colliders.size(); ++b) {
      append_contact_times({*colliders[a].geometry, colliders[a].motion, *colliders[b].geometry, colliders[b].motion},
                           h, {.tolerance = kTolerance}, expected);
    }
  }
  std::stable_sort(expected.times.begin(), expected.times.end(),
                   [](const ContactTime& a, const ContactTime& b) { return a.time < b.time; });
  ASSERT_GT(expected.times.size(), 10U);
  ASSERT_EQ(one.times.size(), expected.times.size());
  ASSERT_EQ(two.times.size(), expected.times.size());
  for (std::size_t k = 0; k < expected.times.size(); ++k) {
    EXPECT_EQ(one.times[k].time, expected.times[k].time);
    EXPECT_EQ(one.times[k].count, expected.times[k].count);
    EXPECT_EQ(two.times[k].time, expected.times[k].time);
    EXPECT_EQ(two.times[k].collider_a, one.times[k].collider_a);
    EXPECT_EQ(two.times[k].first, one.times[k].first);
  }
}

TEST(ContactTimes, FirstContactsOfASceneAreTheEarliestOfAllTimes) {
  std::vector<MovingCollider> colliders;
  const auto ball = make_solid({Sphere{0.5}});
  // Three balls in a row, 1 apart, the first one approaching the others at 4 m/s.
  for (std::uint32_t i = 0; i < 3; ++i) {
    colliders.push_back({ball.get(), make_motion({2.0 * i, 0, 0}, {i == 0 ? 4.0 : 0.0, 0, 0}), i, true});
  }
  ContinuousWorkspace scratch;
  std::vector<PairFirstContact> found;
  detect_first_contacts(colliders, {}, 1, {.tolerance = kTolerance}, scratch, found);
  ASSERT_EQ(found.size(), 2U);  // it meets the second after 1/4 s and, passing through, the third after 3/4 s
  EXPECT_EQ(found[0].collider_b, 1U);
  EXPECT_NEAR(found[0].contact.time, 0.25, kTolerance);
  EXPECT_EQ(found[1].collider_b, 2U);
  EXPECT_NEAR(found[1].contact.time, 0.75, kTolerance);
  std::vector<PairFirstContact> of_one;
  detect_first_contacts_of(2, colliders, {}, 1, {.tolerance = kTolerance}, of_one);
  ASSERT_EQ(of_one.size(), 1U);
  EXPECT_EQ(of_one[0].collider_a, 0U);
  EXPECT_EQ(of_one[0].contact.time, found[1].contact.time);
}

}  // namespace
}  // namespace achilles
