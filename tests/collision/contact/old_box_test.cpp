// The method for boxes that [Erleben04, sec. 6.3] repairs: it fails as the thesis says, and the repaired one does not.
#include "collision/contact/old_box_contacts.hpp"

#include "collision/contact/collide.hpp"
#include "collision/narrow_phase/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

using test::at;
using test::make_box;

const Vec3 kHalf = Vec3::Constant(0.5);

std::vector<ContactPoint> old_contacts(const Transform& X_WA, const Transform& X_WB, double margin = 0) {
  std::vector<ContactPoint> points;
  append_old_box_contacts(kHalf, X_WA, kHalf, X_WB, margin, points);
  return points;
}

// Two squares turned by 45 degrees against each other cross at eight points, and no corner is inside the other.
TEST(OldBoxContact, TurnedFacesTouchWhereTheirOutlinesCross) {
  const Transform X_WB{Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()).toRotationMatrix(), Vec3(0, 0, 0.999)};
  const auto points = old_contacts(at(0, 0, 0), X_WB);
  ASSERT_EQ(points.size(), 8u);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, -0.001, 1e-12);
    EXPECT_TRUE(point.normal.isApprox(Vec3::UnitZ()));
    EXPECT_NEAR(point.position.z(), 0.4995, 1e-12);
    EXPECT_NEAR(point.position.head<2>().cwiseAbs().maxCoeff(), 0.5, 1e-12);
    EXPECT_NEAR(point.position.head<2>().cwiseAbs().minCoeff(), std::sqrt(0.5) - 0.5, 1e-12);
  }
}

// Half of one face over half of the other; the gap is that of the planes whatever face is the reference.
TEST(OldBoxContact, OverhangingBoxesTouchAtTheCornersOfTheCommonRegion) {
  for (const double sign : {1.0, -1.0}) {
    const auto points = old_contacts(at(0, 0, 0), at(0.5, 0.1, sign * 1.01), 0.02);
    ASSERT_GE(points.size(), 4u);
    for (const ContactPoint& point : points) {
      EXPECT_NEAR(point.gap, 0.01, 1e-12);
      EXPECT_NEAR(point.normal.z(), sign, 1e-12);
      EXPECT_TRUE(std::abs(point.position.x()) < 1e-12 || std::abs(point.position.x() - 0.5) < 1e-12);
      EXPECT_TRUE(std::abs(point.position.y() - 0.5) < 1e-12 || std::abs(point.position.y() + 0.4) < 1e-12);
    }
  }
}

TEST(OldBoxContact, BoxesFartherApartThanTheMarginDoNotTouch) {
  EXPECT_TRUE(old_contacts(at(0, 0, 0), at(0.2, 0.1, 1.03), 0.02).empty());
  EXPECT_TRUE(old_contacts(at(0, 0, 0), at(1.4, 0, 0), 0.02).empty());
}

// [Erleben04, fig. 6.42]: an upper box that overhangs, tilted by a rounding error, overlaps less along the product of
// two edges than along the face. The old method then reports one point; the repaired one the whole region.
TEST(OldBoxContact, RoundingTurnsFacesIntoEdgesInTheOldMethodOnly) {
  const Geometry box = make_box(1, 1, 1);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  int edges = 0;
  for (int k = 0; k < 200; ++k) {
    const Vec3 axis = Vec3(unit(random), unit(random), unit(random)).normalized();
    const Transform X{Eigen::AngleAxisd(1e-5, axis).toRotationMatrix(),
                      Vec3(0.5 * unit(random), 0.5 * unit(random), 1 - 1e-5)};
    std::vector<ContactPoint> old_points, points;
    collide(box, {}, box, X, {0.01, false, BoxContacts::kOld}, old_points);
    collide(box, {}, box, X, {0.01, false}, points);
    edges += old_points.size() == 1 ? 1 : 0;
    EXPECT_GE(points.size(), 3u);
  }
  EXPECT_GT(edges, 20);
}

}  // namespace
}  // namespace achilles
