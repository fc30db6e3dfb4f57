// Contacts between boxes: the failures of [Erleben04, sec. 6.3] and their repairs.
#include "collision/contact/collide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collision/narrow_phase/shapes.hpp"

namespace achilles {
namespace {

using test::at;
using test::make_box;
using test::turned;

std::vector<ContactPoint> contacts(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                   double margin = 0, bool all = false) {
  std::vector<ContactPoint> points;
  collide(a, X_WA, b, X_WB, {margin, all}, points);
  return points;
}

const Geometry kUnit = make_box(1, 1, 1);

TEST(BoxContact, AlignedBoxesTouchAtFourCorners) {
  const auto points = contacts(kUnit, at(0, 0, 0), kUnit, at(0, 0, 0.999));
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, -0.001, 1e-15);
    EXPECT_TRUE(point.normal.isApprox(Vec3::UnitZ()));
    EXPECT_NEAR(std::abs(point.position.x()), 0.5, 1e-12);
    EXPECT_NEAR(std::abs(point.position.y()), 0.5, 1e-12);
  }
}

TEST(BoxContact, ParallelFacesApartWithinTheMarginGiveFourPointsWithPositiveGap) {
  const auto points = contacts(kUnit, at(0, 0, 0), kUnit, at(0.2, 0.1, 1.01), 0.02);
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, 0.01, 1e-15);
    EXPECT_TRUE(point.normal.isApprox(Vec3::UnitZ()));
  }
  EXPECT_TRUE(contacts(kUnit, at(0, 0, 0), kUnit, at(0.2, 0.1, 1.01), 0.009).empty());
}

// [Erleben04, fig. 6.42]: the upper box overhangs and is tilted by a rounding error, so that an edge axis overlaps less
// than the face axis. The contact must stay a face contact with its whole region.
TEST(BoxContact, SlightTiltOfAnOverhangingBoxDoesNotTurnAFaceIntoAnEdge) {
  for (const double tilt : {1e-12, 1e-9, 1e-6, 1e-4, 1e-3}) {
    const Transform X_WB{(Eigen::AngleAxisd(tilt, Vec3(1, 2, 0).normalized()) * Eigen::AngleAxisd(0.3, Vec3::UnitZ()))
                             .toRotationMatrix(),
                         Vec3(0.6, 0.6, 0.999)};
    const auto points = contacts(kUnit, at(0, 0, 0), kUnit, X_WB, 0.01);
    ASSERT_GE(points.size(), 3u) << tilt;
    for (const ContactPoint& point : points) {
      EXPECT_GT(point.normal.z(), 1 - tilt * tilt - 1e-12);
      EXPECT_NEAR(point.gap, -0.001, 2 * tilt + 1e-12);
      // Inside both: the common region of the squares [-0.5, 0.5]² and the turned one.
      EXPECT_LE(point.position.head<2>().cwiseAbs().maxCoeff(), 0.5 + 1e-3);
    }
  }
}

// [Erleben04, fig. 6.41 c]: corners of either box inside the other's face must be among the points.
TEST(BoxContact, NoCornerIsMissingFromACrossedPair) {
  // A unit box standing within a wide one: its four corners are the region.
  const auto points =
      contacts(make_box(4, 4, 1), at(0, 0, 0), kUnit, turned(Vec3::UnitZ(), 0.7, Vec3(0.3, 0, 1)), 1e-9);
  ASSERT_EQ(points.size(), 4u);
  const Transform X = turned(Vec3::UnitZ(), 0.7, Vec3(0.3, 0, 1));
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const Vec3 corner = X * Vec3(x, y, -0.5);
      EXPECT_TRUE(std::any_of(points.begin(), points.end(),
                              [&](const ContactPoint& p) { return (p.position - corner).norm() < 1e-12; }));
    }
  }
}

TEST(BoxContact, SquaresTurnedByAnEighthShareAnOctagonOfWhichFourPointsKeepMostArea) {
  const Transform X_WB = turned(Vec3::UnitZ(), M_PI / 4, Vec3(0, 0, 1));
  EXPECT_EQ(contacts(kUnit, at(0, 0, 0), kUnit, X_WB, 1e-9, true).size(), 8u);
  const auto points = contacts(kUnit, at(0, 0, 0), kUnit, X_WB, 1e-9);
  ASSERT_EQ(points.size(), 4u);
  // A regular octagon of inradius 1/2 has circumradius R = 1/(2 cos 22.5°); the largest quadrilateral on its corners is
  // the square of every second one, of area 2 R².
  const double R2 = 0.25 / std::pow(std::cos(M_PI / 8), 2);
  std::vector<Vec3> p;
  for (const ContactPoint& point : points) p.push_back(point.position);
  std::sort(p.begin(), p.end(),
            [](const Vec3& a, const Vec3& b) { return std::atan2(a.y(), a.x()) < std::atan2(b.y(), b.x()); });
  double area = 0;
  for (int i = 0; i < 4; ++i) area += 0.5 * p[i].cross(p[(i + 1) % 4]).z();
  EXPECT_NEAR(area, 2 * R2, 1e-12);
}

TEST(BoxContact, CrossedEdgesTouchAtOnePointWithTheCommonPerpendicular) {
  // Two cubes balanced on an edge, the edges crossing at right angles: one along y at z = √½, one along x just above.
  const Transform X_WA = turned(Vec3::UnitY(), M_PI / 4, Vec3::Zero());
  const Transform X_WB = turned(Vec3::UnitX(), M_PI / 4, Vec3(0, 0, 2 * std::sqrt(0.5) - 0.01));
  const auto points = contacts(kUnit, X_WA, kUnit, X_WB);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, -0.01, 1e-14);
  EXPECT_TRUE(points[0].normal.isApprox(Vec3::UnitZ(), 1e-14));
  EXPECT_NEAR((points[0].position - Vec3(0, 0, std::sqrt(0.5) - 0.005)).norm(), 0, 1e-14);
}

TEST(BoxContact, ParallelEdgesDiagonallyApartGiveTwoPointsAlongTheTrueDirection) {
  // Edges (0.5, y, 0.5) and (0.5 + d, y, 0.5 + d): distance d √2 along (1, 0, 1).
  const double d = 0.01;
  const auto points = contacts(kUnit, at(0, 0, 0), kUnit, at(1 + d, 0.25, 1 + d), 0.02);
  ASSERT_EQ(points.size(), 2u);
  for (const ContactPoint& point : points) {
    EXPECT_NEAR(point.gap, d * std::sqrt(2), 1e-14);
    EXPECT_TRUE(point.normal.isApprox(Vec3(1, 0, 1).normalized(), 1e-12));
  }
  EXPECT_NEAR(std::abs(points[0].position.y() - points[1].position.y()), 0.75, 1e-12);
  EXPECT_TRUE(contacts(kUnit, at(0, 0, 0), kUnit, at(1 + d, 0.25, 1 + d), 0.014).empty());
}

TEST(BoxContact, CornersDiagonallyApartGiveOnePoint) {
  const auto points = contacts(kUnit, at(0, 0, 0), kUnit, at(1.01, 1.01, 1.01), 0.02);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, 0.01 * std::sqrt(3), 1e-14);
}

TEST(BoxContact, FeatureIdsAreUniqueAndSurviveSmallMotionAndChangeOfReference) {
  const auto ids = [](const std::vector<ContactPoint>& points) {
    std::set<std::uint32_t> set;
    for (const ContactPoint& point : points) set.insert(point.feature);
    return set;
  };
  const auto before =
      contacts(kUnit, at(0, 0, 0), kUnit, turned(Vec3::UnitZ(), 0.4, Vec3(0.3, 0.1, 0.9995)), 0.01, true);
  const Transform moved{(Eigen::AngleAxisd(1e-4, Vec3(1, 1, 0).normalized()) * Eigen::AngleAxisd(0.4001, Vec3::UnitZ()))
                            .toRotationMatrix(),
                        Vec3(0.3001, 0.1, 0.9996)};
  const auto after = contacts(kUnit, at(0, 0, 0), kUnit, moved, 0.01, true);
  EXPECT_EQ(ids(before).size(), before.size());
  EXPECT_EQ(ids(before), ids(after));
}

}  // namespace
}  // namespace achilles
