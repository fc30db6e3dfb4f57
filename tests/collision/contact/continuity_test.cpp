// Contact points must not flicker, [Erleben04, sec. 6.3]: where poses move by ε, the contact region (the hull of all
// its points) and the normal may move by a few ε only.
#include "collision/contact/collide.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collision/narrow_phase/shapes.hpp"
#include "geometry/mesh/triangle.hpp"
#include "geometry/sample.hpp"
#include "support/full_size.hpp"

namespace achilles {
namespace {

using namespace test;

std::vector<ContactPoint> region_of(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                    const Transform& X_WB) {
  std::vector<ContactPoint> points;
  collide(a, X_WA, b, X_WB, {0.1, true}, points);
  return points;
}

/// How far x is from the hull of points that lie in one plane: the nearest of all triangles on them.
double distance_to_hull(const Vec3& x, const std::vector<ContactPoint>& points) {
  double least = 1e300;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i; j < points.size(); ++j) {
      for (std::size_t k = j; k < points.size(); ++k) {
        const Vec3 nearest =
            closest_point_on_triangle(x, points[i].position, points[j].position, points[k].position).point;
        least = std::min(least, (x - nearest).norm());
      }
    }
  }
  return least;
}

double hull_jump(const std::vector<ContactPoint>& before, const std::vector<ContactPoint>& after) {
  double jump = 0;
  for (const ContactPoint& point : after) jump = std::max(jump, distance_to_hull(point.position, before));
  for (const ContactPoint& point : before) jump = std::max(jump, distance_to_hull(point.position, after));
  return jump;
}

Transform nudged(const Transform& X, double epsilon, sample::Random& random) {
  return {Eigen::AngleAxisd(epsilon, random.direction()) * X.R, X.p + epsilon * random.direction()};
}

/// Rests on the square top z = 0 of a unit box, turned, shifted and tilted by no more than simulation errors. The cases
/// that make points flicker are drawn often: edges over edges, corners over edges, turned by nothing or an eighth.
Transform resting_pose(double half_height, sample::Random& random) {
  const double turn = random.integer(0, 2) == 0 ? 0 : random.integer(0, 1) == 0 ? M_PI / 4 : random.uniform(-3, 3);
  const Vec3 shift = random.integer(0, 1) == 0 ? Vec3(0, random.uniform(-0.4, 0.4), 0)
                                               : Vec3(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0);
  const double tilt = std::pow(10, random.uniform(-12, -4));
  return {(Eigen::AngleAxisd(tilt, random.direction()) * Eigen::AngleAxisd(turn, Vec3::UnitZ())).toRotationMatrix(),
          shift + Vec3(0, 0, half_height - std::pow(10, random.uniform(-9, -4)))};
}

class RestingContinuity : public ::testing::TestWithParam<double> {};

// Points move with their shape by ε (1 + reach); where edges cross at a small angle the crossing moves faster, by at
// most the ramp of the clipping: a ten-thousandth of an edge at once.
TEST_P(RestingContinuity, RegionAndNormalOfAShapeAtRestMoveWithIt) {
  const double epsilon = GetParam();
  sample::Random random(21);
  const Geometry ground = make_box(1, 1, 1);
  const Transform X_WG = at(0, 0, -0.5);
  const std::vector<Geometry> solids{make_box(1, 1, 1), make_box(0.5, 0.8, 0.4),
                                     make_hull(sample::box_corners({0.6, 0.9, 0.5})), make_cylinder(0.4, 0.6),
                                     make_cone(0.4, 0.6)};
  for (const Geometry& solid : solids) {
    for (int trial = 0; trial < (is_full() ? 20000 : 300); ++trial) {
      const Transform X = resting_pose(-solid.bounds.lower.z(), random);
      const Transform Y = nudged(X, epsilon, random);
      const auto before = region_of(ground, X_WG, solid, X), after = region_of(ground, X_WG, solid, Y);
      ASSERT_GE(before.size(), 3u) << solid.kind.index() << " " << trial;
      ASSERT_GE(after.size(), 3u) << solid.kind.index() << " " << trial;
      EXPECT_LE((before[0].normal - after[0].normal).norm(), 2 * epsilon) << solid.kind.index() << " " << trial;
      const bool is_round =
          std::holds_alternative<CylinderGeometry>(solid.kind) || std::holds_alternative<ConeGeometry>(solid.kind);
      const double rim = is_round ? 0.4 * (1 - std::cos(M_PI / 16)) : 0;
      EXPECT_LE(hull_jump(before, after), 20 * epsilon + 2e-4 + rim) << solid.kind.index() << " " << trial;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Epsilons, RestingContinuity, ::testing::Values(1e-9, 1e-6));

// Any shallow contact of any two shapes: the normal turns by no more than twice the angle within which a face counts as
// touched squarely, and the gap of the deepest point follows the poses.
TEST(ContactContinuity, NormalsOfShallowContactsDoNotJump) {
  sample::Random random(22);
  const std::vector<Geometry> solids{make_box(1, 0.7, 0.5),   make_hull(sample::box_corners({0.6, 0.9, 0.5})),
                                     make_cylinder(0.4, 0.6), make_cone(0.4, 0.6),
                                     make_capsule(0.2, 0.5),  make_sphere(0.4)};
  for (const double epsilon : {1e-9, 1e-6}) {
    for (int trial = 0; trial < (is_full() ? 100000 : 2000); ++trial) {
      const Geometry& a = solids[static_cast<std::size_t>(random.integer(0, 5))];
      const Geometry& b = solids[static_cast<std::size_t>(random.integer(0, 5))];
      const Transform X_WA{random.rotation().toRotationMatrix(), Vec3::Zero()};
      Transform X_WB{random.rotation().toRotationMatrix(), 2 * random.direction()};
      const SignedDistance far = compute_signed_distance(a, X_WA, b, X_WB);
      X_WB.p -= (far.distance - 1e-3) * far.normal;
      const Transform moved = nudged(X_WB, epsilon, random);
      std::vector<ContactPoint> before, after;
      collide(a, X_WA, b, X_WB, {0.01, true}, before);
      collide(a, X_WA, b, moved, {0.01, true}, after);
      ASSERT_FALSE(before.empty());
      ASSERT_FALSE(after.empty());
      const auto deeper = [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; };
      const ContactPoint& p = *std::min_element(before.begin(), before.end(), deeper);
      const ContactPoint& q = *std::min_element(after.begin(), after.end(), deeper);
      // At a distance d the direction between nearest points turns by ε/d.
      EXPECT_LE((p.normal - q.normal).norm(), 0.02 + 5 * epsilon / 1e-3) << trial;
      EXPECT_LE(std::abs(p.gap - q.gap), 5 * epsilon + 2e-6) << trial;
    }
  }
}

}  // namespace
}  // namespace achilles
