#include "geometry/support.hpp"
#include "geometry/hull.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace achilles {
namespace {

using sample::Random;

Geometry only_piece(const Shape& shape) { return *make_geometry(shape).at(0).geometry; }

std::vector<Shape> convex_shapes() {
  Random random(11);
  Hull small, large;
  for (int i = 0; i < 20; ++i) small.points.push_back(random.in_ball());
  for (int i = 0; i < 400; ++i) large.points.push_back(random.direction().cwiseProduct(Vec3(1, 2, 0.3)));
  return {{Sphere{0.4}},
          {Box{{1, 2, 3}}},
          {Capsule{0.3, 1.2}},
          {Capsule{0.3, 0}},
          {Cylinder{0.5, 2}},
          {Cone{0.7, 1.5}},
          {Cone{2, 0.1}},
          {small},
          {large}};
}

// Height of the shape along a unit direction, from what defines the shape and not from its support point.
struct Height {
  Vec3 d;
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Box& b) const { return 0.5 * b.size.dot(d.cwiseAbs()); }
  double operator()(const Capsule& c) const { return c.radius + 0.5 * c.length * std::abs(d.z()); }
  double operator()(const Cylinder& c) const {
    return 0.5 * c.height * std::abs(d.z()) + c.radius * std::sqrt(1 - d.z() * d.z());
  }
  double operator()(const Cone& c) const {
    return std::max(0.5 * c.height * d.z(), c.radius * std::sqrt(1 - d.z() * d.z()) - 0.5 * c.height * d.z());
  }
  double operator()(const Hull& h) const {
    double best = -1e300;
    for (const Vec3& p : h.points) best = std::max(best, p.dot(d));
    return best;
  }
  template <typename Other>
  double operator()(const Other&) const {
    throw std::logic_error("not a bounded convex shape");
  }
};

bool contains(const Shape& shape, const Vec3& x, double slack) {
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const Vec3 d = random.direction();
    if (x.dot(d) > std::visit(Height{d}, shape.kind) + slack) return false;
  }
  return true;
}

TEST(Support, ReachesTheHeightOfTheShapeInEveryDirection) {
  Random random(12);
  for (const Shape& shape : convex_shapes()) {
    const Geometry geometry = only_piece(shape);
    for (int i = 0; i < 300; ++i) {
      Vec3 d = random.direction();
      if (i % 10 == 0) d = Vec3(random.integer(-1, 1), random.integer(-1, 1), random.integer(-1, 1));
      if (d.norm() == 0) d = Vec3::UnitZ();
      d.normalize();
      const Vec3 x = support(geometry, d * random.uniform(1e-8, 1e8));
      // Rounding: a few units in the last place of lengths near 3, twenty of them for the hulls' resolution.
      EXPECT_NEAR(x.dot(d), std::visit(Height{d}, shape.kind), 1e-14 + 4 * kHullResolution) << shape.kind.index();
      EXPECT_TRUE(contains(shape, x, 1e-10));
    }
  }
}

TEST(Support, ZeroDirectionStillGivesAPointOfTheShape) {
  for (const Shape& shape : convex_shapes()) {
    EXPECT_TRUE(contains(shape, support(only_piece(shape), Vec3::Zero()), 1e-10)) << shape.kind.index();
  }
}

TEST(Support, HillClimbingFromAnyStartFindsTheScannedMaximum) {
  Random random(13);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vec3> points;
    const int n = random.integer(60, 500);
    for (int i = 0; i < n; ++i) points.push_back(trial % 2 ? random.direction() : random.in_cube(1));
    const HullGeometry hull = make_hull(points);
    for (int i = 0; i < 200; ++i) {
      const Vec3 d = random.direction();
      double highest = -1e300;
      for (const Vec3& v : hull.vertices) highest = std::max(highest, v.dot(d));
      const auto start = static_cast<std::uint32_t>(random.integer(0, static_cast<int>(hull.vertices.size()) - 1));
      // Equal but for the rounding of one dot product.
      EXPECT_NEAR(hull.vertices[support_vertex(hull, d, start)].dot(d), highest, 1e-15);
    }
  }
}

TEST(Support, PlaneHasNone) {
  EXPECT_THROW((void)support(only_piece({Plane{}}), Vec3::UnitZ()), std::invalid_argument);
}

TEST(Bounds, BoxOfAPlacedShapeIsTight) {
  Random random(14);
  for (const Shape& shape : convex_shapes()) {
    const Geometry geometry = only_piece(shape);
    for (int i = 0; i < 100; ++i) {
      const Transform X = to_transform(random.pose(5));
      const Aabb box = compute_bounds(geometry, X);
      for (int axis = 0; axis < 3; ++axis) {
        const Vec3 d = X.R.row(axis).transpose();
        EXPECT_NEAR(box.upper[axis], X.p[axis] + std::visit(Height{d}, shape.kind), 1e-10);
        EXPECT_NEAR(box.lower[axis], X.p[axis] - std::visit(Height{Vec3(-d)}, shape.kind), 1e-10);
      }
      // The ball about the origin holds the shape: no support point is farther than its radius.
      EXPECT_LE(support(geometry, random.direction()).norm(), geometry.radius * (1 + 1e-15));
    }
    EXPECT_TRUE(is_convex(geometry));
    EXPECT_LT((geometry.bounds.lower - compute_bounds(geometry, {}).lower).norm(), 1e-15);
  }
}

TEST(Bounds, PlaneIsBoundedOnlyAlongTheAxisItFaces) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Geometry plane = only_piece({Plane{Vec3::UnitZ(), 0.25}});
  Aabb box = compute_bounds(plane, {Mat3::Identity(), Vec3(0, 0, 2)});
  EXPECT_EQ(box.upper.z(), 2.25);
  EXPECT_EQ(box.lower, Vec3::Constant(-infinity));
  EXPECT_EQ(box.upper.x(), infinity);
  // Turned a quarter about y the normal points along x, to within the rounding of cos(π/2).
  const Quat quarter(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()));
  box = compute_bounds(plane, {quarter.toRotationMatrix(), Vec3::Zero()});
  EXPECT_NEAR(box.upper.x(), 0.25, 1e-15);
  EXPECT_EQ(box.upper.z(), infinity);
  const Quat tilted(Eigen::AngleAxisd(1e-6, Vec3::UnitY()));
  box = compute_bounds(plane, {tilted.toRotationMatrix(), Vec3::Zero()});
  EXPECT_EQ(box.upper, Vec3::Constant(infinity));
}

TEST(Geometry, PlaneWithALongNormalIsTheSameHalfSpace) {
  const auto plane = std::get<PlaneGeometry>(only_piece({Plane{Vec3(0, 3, 4), 10}}).kind);
  EXPECT_LT((plane.normal - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_NEAR(plane.offset, 2, 1e-15);
}

TEST(Geometry, NestedCompoundsFlattenToThePosesOfTheirParts) {
  Random random(15);
  const Pose outer = random.pose(2), inner = random.pose(2);
  const Compound nested{{{{Compound{{{{Sphere{1}}, inner}}}}, outer}, {{Box{{1, 1, 1}}}, inner}}};
  const auto pieces = make_geometry({nested});
  ASSERT_EQ(pieces.size(), 2U);
  const Transform expected = to_transform(outer) * to_transform(inner);
  const Transform found = to_transform(pieces[0].pose);
  EXPECT_LT((expected.R - found.R).norm() + (expected.p - found.p).norm(), 1e-14);
  EXPECT_TRUE(std::holds_alternative<BoxGeometry>(pieces[1].geometry->kind));
}

TEST(Geometry, ShapesWithoutVolumeAreRefused) {
  const double nan = std::nan("");
  const std::vector<Shape> bad = {{Sphere{0}},     {Sphere{nan}},         {Box{{1, 0, 1}}},        {Box{{1, -1, -1}}},
                                  {Capsule{0, 1}}, {Capsule{1, -1}},      {Cylinder{1, 0}},        {Cylinder{-1, 1}},
                                  {Cone{1, nan}},  {Plane{{0, 0, 0}, 0}}, {Plane{{0, 0, 1}, nan}}, {Compound{}},
                                  {Hull{{}, ""}}};
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_THROW((void)make_geometry(bad[i]), std::invalid_argument) << "shape " << i;
  }
}

}  // namespace
}  // namespace achilles
