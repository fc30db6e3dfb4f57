// All times of contact over an interval, against closed forms.
#include "collision/continuous/time_of_contact.hpp"

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

}  // namespace
}  // namespace achilles
