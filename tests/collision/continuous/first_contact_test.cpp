// The first time of contact against closed forms: the famous ways to miss one.
#include "collision/continuous/moving.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using namespace continuous_test;

constexpr double kTolerance = 1e-6;  // [m]

FirstContact find(const Shape& a, const Motion& motion_a, const Shape& b, const Motion& motion_b, double h) {
  const auto solid_a = make_solid(a);
  const auto solid_b = make_solid(b);
  return find_first_contact({*solid_a, motion_a, *solid_b, motion_b}, h, {.tolerance = kTolerance});
}

/// A gap that closes at `speed` is between half the tolerance and the tolerance at the reported time, when the surfaces
/// meet at `meeting`. One part in 1e9 for rounding.
void expect_time(const FirstContact& found, double meeting, double speed) {
  ASSERT_EQ(found.status, ContactSearchStatus::kContact);
  EXPECT_GE(found.time, (meeting - kTolerance / speed) * (1 - 1e-9));
  EXPECT_LE(found.time, (meeting - 0.5 * kTolerance / speed) * (1 + 1e-9));
  EXPECT_LE(found.gap.distance, kTolerance);
  EXPECT_GE(found.gap.distance, 0.49 * kTolerance);
}

TEST(FirstContact, SpheresMeetWhenTheirCentresAreTwoRadiiApart) {
  // Offset by 0.6 across the line of flight, radii 0.5: centres are 1 apart at x = 0.8. Approach along the line of
  // centres at 0.8 of the speed. Spins must not matter.
  const FirstContact found = find({Sphere{0.5}}, make_motion({0, 0, 0}, {0, 0, 0}, {50, 20, 10}), {Sphere{0.5}},
                                  make_motion({5, 0.6, 0}, {-10, 0, 0}, {-90, 0, 30}), 1);
  expect_time(found, (5 - 0.8) / 10, 8);
  EXPECT_LE(found.iterations, 8);
}

TEST(FirstContact, FallingBallReachesThePlaneAfterTheSquareRootOfTwiceTheHeightOverGravity) {
  BallisticMotion ball = make_motion({0, 0, 1.5}, {3, 0, 0}, {0, 40, 0});
  ball.acceleration = {0, 0, -9.81};
  const double meeting = std::sqrt(2 * 1.0 / 9.81);
  expect_time(find({Plane{}}, make_motion(Vec3::Zero()), {Sphere{0.5}}, ball, 1), meeting, 9.81 * meeting);
}

TEST(FirstContact, BallThrownUpwardThatFallsShortOfTheCeilingNeverTouchesIt) {
  // Rises v²/2g = 1 - 1e-5 above its start, 1 below the ceiling.
  BallisticMotion ball = make_motion({0, 0, 0}, {0, 0, std::sqrt(2 * 9.81 * (1 - 1e-5))});
  ball.acceleration = {0, 0, -9.81};
  const auto ceiling = make_motion({0, 0, 1.5});
  EXPECT_EQ(find({Plane{{0, 0, -1}, 0}}, ceiling, {Sphere{0.5}}, ball, 1).status, ContactSearchStatus::kApart);
  ball.velocity *= 1 + 1e-5;  // now it would rise 1e-5 too far
  EXPECT_EQ(find({Plane{{0, 0, -1}, 0}}, ceiling, {Sphere{0.5}}, ball, 1).status, ContactSearchStatus::kContact);
}

TEST(FirstContact, BulletDoesNotPassThroughPaper) {
  // 5 mm ball at 1000 m/s, paper 0.1 mm thick: within the interval it is on both sides, 16 m apart.
  const FirstContact found = find({Box{{0.0001, 1, 1}}}, make_motion({0, 0, 0}), {Sphere{0.005}},
                                  make_motion({-3, 0.01, -0.02}, {1000, 0, 0}, {0, 0, 100}), 1.0 / 60);
  expect_time(found, (3 - 0.005 - 0.00005) / 1000, 1000);
  EXPECT_LE(found.iterations, 8);
  // From a to b: out of the paper, against the flight.
  EXPECT_NEAR(found.gap.normal.x(), -1, 1e-9);
}

TEST(FirstContact, SpinningRodHitsTheThinPlateItSweepsPast) {
  // A rod of radius ρ along x turns about z at its middle, several turns within the interval. The plate stands across
  // the y axis; its near edge is the corner (x, y) = (half thickness, y_low). The axis of the rod at angle θ has
  // distance y cos θ − x sin θ = |r| cos(θ + φ), φ = atan2(x, y), from it: contact at θ = acos(ρ / |r|) − φ.
  const double rho = 0.001, thickness = 0.0005, y_low = 0.7, spin = 100;
  const FirstContact found = find(
      {Capsule{rho, 2}},
      [&] {
        BallisticMotion rod = make_motion(Vec3::Zero(), Vec3::Zero(), {0, 0, spin});
        rod.X_WG.R = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()).toRotationMatrix();
        return rod;
      }(),
      {Box{{thickness, 0.2, 0.5}}}, make_motion({0, y_low + 0.1, 0}), 0.5);
  const double r = std::hypot(0.5 * thickness, y_low);
  const double meeting = (std::acos(rho / r) - std::atan2(0.5 * thickness, y_low)) / spin;
  expect_time(found, meeting, spin * y_low * (1 - 1e-5));
}

TEST(FirstContact, TumblingCubeDoesNotTunnelThroughAWall) {
  // Whatever its turn, a unit cube reaches between 1/2 and √3/2 from its centre.
  Draw draw(1);
  for (int i = 0; i < 100; ++i) {
    BallisticMotion cube = make_motion({-4, 0, 0}, {400, 0, 0}, 100 * draw.direction());
    cube.X_WG.R = draw.rotation();
    const FirstContact found = find({Box{{0.001, 9, 9}}}, make_motion({0, 0, 0}), {Box{{1, 1, 1}}}, cube, 1.0 / 30);
    ASSERT_EQ(found.status, ContactSearchStatus::kContact);
    EXPECT_GE(found.time, (4 - std::sqrt(0.75) - 0.0005 - kTolerance) / 400);
    EXPECT_LE(found.time, (4 - 0.5 - 0.0005) / 400);
  }
}

TEST(FirstContact, CornerOfASpinningSquareTouchesAtTheAngleTheClosedFormSays) {
  // A square prism of half edge 1 turns about its axis at height H over the plane. Its corner, at angle π/4 from the
  // face normal and √2 out, reaches the plane when √2 cos(π/4 − ωt) = H. The corner then sinks at √2 ω sin(π/4 − ωt).
  const double height = 1.3, spin = 100;
  const double angle = std::acos(height / std::sqrt(2.0));
  const FirstContact found = find({Plane{}}, make_motion(Vec3::Zero()), {Box{{3, 2, 2}}},
                                  make_motion({0, 0, height}, {0, 0, 0}, {spin, 0, 0}), 0.1);
  expect_time(found, (M_PI / 4 - angle) / spin, std::sqrt(2.0) * spin * std::sin(angle));
  EXPECT_LE(found.iterations, 12);
}

TEST(FirstContact, BoxSpinningFlatJustAboveAnotherNeedsOneLook) {
  // The axis is the normal of the faces: the bound is exact and no speed, however high, matters. Gap 10 tolerances.
  const FirstContact found = find({Box{{1, 1, 1}}}, make_motion({0, 0, 0}, {0, 0, 0}, {0, 0, 100}), {Box{{1, 1, 1}}},
                                  make_motion({0, 0, 1 + 10 * kTolerance}, {5, 0, 0}, {0, 0, -70}), 1);
  EXPECT_EQ(found.status, ContactSearchStatus::kApart);
  EXPECT_EQ(found.iterations, 1);
}

TEST(FirstContact, PairThatStartsInContactIsInContactAtTimeZero) {
  for (const double gap : {-0.1, 0.0, 0.9 * kTolerance}) {
    const FirstContact found =
        find({Sphere{1}}, make_motion({0, 0, 0}), {Sphere{1}}, make_motion({2 + gap, 0, 0}, {100, 0, 0}), 1);
    EXPECT_EQ(found.status, ContactSearchStatus::kContact);
    EXPECT_EQ(found.time, 0);
    EXPECT_NEAR(found.gap.distance, gap, 1e-12);
  }
}

TEST(FirstContact, TiltingPlaneCatchesTheBallThatRestsAboveIt) {
  // A plane through the origin turns about y at rate ω; the centre of the ball, at distance L along x and height H, has
  // height (H cos ωt − L sin ωt) over it (it turns the far side up for a negative rate): contact at height r.
  const double spin = 2, length = 3, height = 1, radius = 0.5;
  const FirstContact found = find({Plane{}}, make_motion(Vec3::Zero(), Vec3::Zero(), {0, -spin, 0}), {Sphere{radius}},
                                  make_motion({length, 0, height}, {0, 0, 0}, {0, 80, 0}), 1);
  // H cos φ − L sin φ = √(H² + L²) cos(φ + atan2(L, H)).
  const double out = std::hypot(height, length);
  const double meeting = (std::acos(radius / out) - std::atan2(length, height)) / spin;
  expect_time(found, meeting, spin * out * std::sin(std::acos(radius / out)));
}

/// A circle of the given radius in the x-y plane, the geometry turning along.
class Circle final : public MotionPath {
 public:
  Circle(double radius, double rate) : radius_(radius), rate_(rate) {}
  Transform pose(double t) const override {
    const double angle = rate_ * t;
    return {Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(),
            radius_ * Vec3(std::cos(angle), std::sin(angle), 0)};
  }

 private:
  double radius_, rate_;
};

TEST(FirstContact, ScriptedBoxOnACircleMeetsTheBallInItsWay) {
  // A box of half width w turns about the origin at radius R; the ball, of radius r, lies at angle 3 of the circle. In
  // the turning frame the ball comes along the circle to the face: R sin(3 − φ) = w + r.
  const double radius = 2, half = 0.1, ball = 0.2, rate = 7;
  const Circle circle(radius, rate);
  const FirstContact found = find({Box{{0.6, 2 * half, 1}}}, GuidedMotion{&circle, radius * rate, rate}, {Sphere{ball}},
                                  make_motion(radius * Vec3(std::cos(3.0), std::sin(3.0), 0)), 1);
  const double angle = std::asin((half + ball) / radius);
  expect_time(found, (3 - angle) / rate, radius * rate * std::cos(angle));
}

TEST(FirstContact, CapIsReportedWithTheTimeUpToWhichThePairIsApart) {
  const auto solid = make_solid({Sphere{0.5}});
  const Motion still = make_motion({0, 0, 0});
  const Motion moving = make_motion({5, 0.6, 0}, {-10, 0, 0});
  const MovingPair pair(*solid, still, *solid, moving);
  const FirstContact found = find_first_contact(pair, 1, {.tolerance = kTolerance, .max_iterations = 2});
  EXPECT_EQ(found.status, ContactSearchStatus::kCapped);
  EXPECT_LT(found.time, 0.42);
  EXPECT_GT(found.gap.distance, kTolerance);
  EXPECT_EQ(found.iterations, 2);
}

}  // namespace
}  // namespace achilles
