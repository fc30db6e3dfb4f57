// Contacts of spheres, capsules, boxes and planes against closed forms.
#include "collision/contact/collide.hpp"

#include <gtest/gtest.h>

#include "collision/narrow_phase/shapes.hpp"

namespace achilles {
namespace {

using test::at;
using test::make_box;
using test::make_capsule;
using test::make_plane;
using test::make_sphere;
using test::turned;

std::vector<ContactPoint> contacts(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                   double margin = 0, bool all = false) {
  std::vector<ContactPoint> points;
  collide(a, X_WA, b, X_WB, {margin, all}, points);
  return points;
}

TEST(SphereContact, TwoSpheresTouchOnTheLineOfCentres) {
  const auto points = contacts(make_sphere(1), at(0, 0, 0), make_sphere(2), at(0, 2.5, 0));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].gap, -0.5);                                         // 2.5 - 1 - 2
  EXPECT_TRUE(points[0].normal.isApprox(Vec3(0, 1, 0), 1e-15));           // from a to b
  EXPECT_NEAR((points[0].position - Vec3(0, 0.75, 0)).norm(), 0, 1e-15);  // between y = 1 and y = 0.5
}

TEST(SphereContact, SphereBesideACornerOfABoxTouchesTheCorner) {
  // The centre lies (1, 1, 1)/√3 · 0.5 off the corner (1, 1, 1) of the box.
  const Vec3 n = Vec3(1, 1, 1).normalized();
  const auto points = contacts(make_sphere(0.25), at(Vec3(1, 1, 1) + 0.5 * n), make_box(2, 2, 2), at(0, 0, 0), 0.3);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, 0.25, 1e-15);
  EXPECT_TRUE(points[0].normal.isApprox(-n, 1e-14));
}

TEST(SphereContact, SphereInsideABoxLeavesThroughTheNearestFace) {
  const auto points = contacts(make_sphere(0.1), at(0.7, 0.1, -0.2), make_box(2, 2, 2), at(0, 0, 0));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, -0.4, 1e-15);  // 0.3 to the face and the radius
  EXPECT_TRUE(points[0].normal.isApprox(Vec3(-1, 0, 0)));
}

TEST(PlaneContact, BoxRestsOnItsFourLowerCorners) {
  for (const bool plane_first : {true, false}) {
    const Geometry plane = make_plane(Vec3::UnitZ(), 0), box = make_box(2, 4, 6);
    const auto points = plane_first ? contacts(plane, at(0, 0, 0), box, at(0, 0, 2.99))
                                    : contacts(box, at(0, 0, 2.99), plane, at(0, 0, 0));
    ASSERT_EQ(points.size(), 4u);
    for (const ContactPoint& point : points) {
      EXPECT_NEAR(point.gap, -0.01, 1e-15);
      EXPECT_EQ(point.normal.z(), plane_first ? 1 : -1);
      EXPECT_NEAR(point.position.z(), -0.005, 1e-15);
      EXPECT_NEAR(std::abs(point.position.x()), 1, 1e-15);
      EXPECT_NEAR(std::abs(point.position.y()), 2, 1e-15);
    }
  }
}

TEST(PlaneContact, LyingCapsuleTouchesAtBothEnds) {
  const auto points = contacts(make_capsule(0.5, 3), turned(Vec3::UnitY(), M_PI / 2, Vec3(0, 0, 0.5)),
                               make_plane(Vec3::UnitZ(), 0), at(0, 0, 0), 1e-9);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(std::abs(points[0].position.x() - points[1].position.x()), 3, 1e-14);
}

TEST(CapsuleContact, ParallelCapsulesTouchAlongTheirCommonStretch) {
  // Segments z in [-1, 1] and [-0.5, 2.5]: common stretch [-0.5, 1].
  const auto points = contacts(make_capsule(0.5, 2), at(0, 0, 0), make_capsule(0.25, 3), at(0.7, 0, 1));
  ASSERT_EQ(points.size(), 2u);
  const double low = std::min(points[0].position.z(), points[1].position.z());
  const double high = std::max(points[0].position.z(), points[1].position.z());
  EXPECT_NEAR(low, -0.5, 1e-14);
  EXPECT_NEAR(high, 1, 1e-14);
  EXPECT_NEAR(points[0].gap, -0.05, 1e-14);
  EXPECT_NEAR(points[0].position.x(), 0.475, 1e-14);  // between 0.5 and 0.45
}

TEST(CapsuleContact, CrossedCapsulesTouchAtTheCrossing) {
  const auto points =
      contacts(make_capsule(0.5, 2), at(0, 0, 0), make_capsule(0.25, 2), turned(Vec3::UnitX(), 1, Vec3(0.7, 0.1, 0.2)));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, -0.05, 1e-14);
  EXPECT_TRUE(points[0].normal.isApprox(Vec3::UnitX(), 1e-12));
}

TEST(CapsuleContact, CapsuleOverhangingABoxTouchesAtItsEndAndAtTheRim) {
  // Axis along x at height 1.2 over the top z = 1, from x = 0 to 3; the box ends at x = 1.
  const auto points = contacts(make_capsule(0.25, 3), turned(Vec3::UnitY(), M_PI / 2, Vec3(1.5, 0, 1.2)),
                               make_box(2, 2, 2), at(0, 0, 0));
  ASSERT_EQ(points.size(), 2u);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, -0.05, 1e-14);
    EXPECT_NEAR(point.normal.z(), -1, 1e-14);
  }
  EXPECT_NEAR(std::min(points[0].position.x(), points[1].position.x()), 0, 1e-6);
  EXPECT_NEAR(std::max(points[0].position.x(), points[1].position.x()), 1, 1e-5);
}

TEST(CapsuleContact, CapsuleWithItsAxisInsideABoxIsPushedOutOfTheNearestFace) {
  const auto points = contacts(make_box(2, 2, 2), at(0, 0, 0), make_capsule(0.1, 0.5), at(0.8, 0, 0));
  ASSERT_FALSE(points.empty());
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, -0.3, 1e-14);  // 0.2 to the face and the radius
    EXPECT_TRUE(point.normal.isApprox(Vec3::UnitX()));
  }
}

}  // namespace
}  // namespace achilles
