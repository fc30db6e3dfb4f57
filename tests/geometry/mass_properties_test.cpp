#include "geometry/mass_properties.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numbers>

namespace achilles {
namespace {

using sample::Random;

// Largest difference of two sets of mass properties, each quantity relative to its natural size.
double difference(const MassProperties& a, const MassProperties& b, double length) {
  return std::max({std::abs(a.mass - b.mass) / b.mass, (a.center - b.center).norm() / length,
                   (a.inertia - b.inertia).norm() / (b.mass * length * length)});
}

// Slices of a solid of revolution about z with squared radius f(z), stacked by composite Simpson's rule, which is exact
// for the cubics r² of balls, cylinders and cones; r⁴ is of degree four and needs the fine steps.
template <typename SquaredRadius>
MassProperties stack_discs(SquaredRadius f, double low, double high) {
  constexpr int kSteps = 2000;
  const double h = (high - low) / kSteps;
  double m = 0, mz = 0, mzz = 0, along = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double z = low + i * h, r2 = f(z);
    const double weight = (i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2) * h / 3 * std::numbers::pi * r2;
    m += weight;
    mz += weight * z;
    mzz += weight * z * z;
    along += weight * r2 / 2;
  }
  MassProperties result{m, Vec3(0, 0, mz / m), Mat3::Zero()};
  const double across = along / 2 + mzz - m * result.center.z() * result.center.z();
  result.inertia.diagonal() << across, across, along;
  return result;
}

TEST(MassProperties, PrimitivesAgreeWithStackedDiscs) {
  const double r = 0.7, h = 1.9;
  const auto ball = [&](double z) { return std::max(0.0, r * r - z * z); };
  // Simpson's error of the quartic r⁴: h⁴/180 · 24 · range ~ 1e-13; rounding of 2000 terms adds less.
  EXPECT_LT(difference(compute_mass_properties({Sphere{r}}, 1), stack_discs(ball, -r, r), r), 1e-11);
  EXPECT_LT(difference(compute_mass_properties({Cylinder{r, h}}, 1),
                       stack_discs([&](double) { return r * r; }, -h / 2, h / 2), h),
            1e-11);
  const auto cone = [&](double z) { return std::pow(r * (h / 2 - z) / h, 2); };
  EXPECT_LT(difference(compute_mass_properties({Cone{r, h}}, 1), stack_discs(cone, -h / 2, h / 2), h), 1e-11);
  // The capsule piece by piece: its profile has kinks where the caps begin.
  const std::vector<MassProperties> pieces = {
      stack_discs([&](double z) { return ball(z + h / 2); }, -h / 2 - r, -h / 2),
      stack_discs([&](double) { return r * r; }, -h / 2, h / 2),
      stack_discs([&](double z) { return ball(z - h / 2); }, h / 2, h / 2 + r)};
  EXPECT_LT(difference(compute_mass_properties({Capsule{r, h}}, 1), combine(pieces), h), 1e-11);
}

TEST(MassProperties, CapsuleWithoutLengthIsASphere) {
  const auto capsule = compute_mass_properties({Capsule{0.3, 0}}, 5);
  EXPECT_LT(difference(capsule, compute_mass_properties({Sphere{0.3}}, 5), 0.3), 1e-15);
}

// The tetrahedron 0, e1, e2, e3 has V = 1/6, centroid (1,1,1)/4, ∫x² = 1/60 and ∫xy = 1/120. About the centroid:
// covariance diagonal 1/60 - 1/96 = 1/160, off-diagonal 1/120 - 1/96 = -1/480; inertia 1/80 and +1/480.
TEST(MassProperties, CornerTetrahedronByHand) {
  const std::vector<Vec3> vertices = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  const std::vector<std::array<int, 3>> triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const MassProperties p = compute_polyhedron_mass_properties(vertices, triangles, 1);
  EXPECT_NEAR(p.mass, 1.0 / 6, 1e-16);
  EXPECT_LT((p.center - Vec3::Constant(0.25)).norm(), 1e-15);
  const Mat3 expected = Mat3::Constant(1.0 / 480) + Mat3::Identity() * (1.0 / 80 - 1.0 / 480);
  EXPECT_LT((p.inertia - expected).norm(), 1e-16);
}

TEST(MassProperties, BoxAsHullAndAsMeshEqualsTheClosedForm) {
  const Vec3 size(1, 2, 3.5);
  const MassProperties box = compute_mass_properties({Box{size}}, 2);
  EXPECT_LT(difference(compute_mass_properties({Hull{sample::box_corners(size), ""}}, 2), box, 1), 1e-14);
  EXPECT_LT(difference(compute_mass_properties({sample::box_mesh(size, 4)}, 2), box, 1), 1e-13);
}

// Inscribed triangles of side s miss the sphere by O(s²), and halving s quarters the error.
TEST(MassProperties, SphereMeshConvergesAtSecondOrder) {
  const MassProperties sphere = compute_mass_properties({Sphere{1}}, 1);
  double previous = difference(compute_mass_properties({sample::sphere_mesh(2)}, 1), sphere, 1);
  for (int level = 3; level <= 6; ++level) {
    const double error = difference(compute_mass_properties({sample::sphere_mesh(level)}, 1), sphere, 1);
    EXPECT_NEAR(std::log2(previous / error), 2, 0.15) << "level " << level;
    previous = error;
  }
}

// The two halves of a box, each about its own centre, make the whole.
TEST(MassProperties, TwoHalvesMakeTheWhole) {
  Compound halves;
  for (const double side : {-1.0, 1.0})
    halves.parts.push_back({{Box{{1, 1, 1}}}, {Vec3(0.5 * side, 0, 0), Quat::Identity()}});
  const auto whole = compute_mass_properties({Box{{2, 1, 1}}}, 3);
  EXPECT_LT(difference(compute_mass_properties({halves}, 3), whole, 1), 1e-15);
}

RC_GTEST_PROP(MassProperties, RigidMotionCommutesWithIntegration, (std::uint32_t seed)) {
  Random random(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < 12; ++i) points.push_back(random.in_ball());
  const Pose pose = random.pose(10);
  std::vector<Vec3> moved;
  for (const Vec3& p : points) moved.emplace_back(pose.p + pose.q * p);
  MassProperties there, here;
  try {
    there = compute_mass_properties({Hull{moved, ""}}, 1);
    here = transformed(compute_mass_properties({Hull{points, ""}}, 1), pose);
  } catch (const std::invalid_argument&) {
    RC_DISCARD("flat");
  }
  // Coordinates near 10 round at 1e-15; a hull of at least 1e-3 m³ magnifies that a thousandfold.
  RC_PRE(here.mass > 1e-3);
  RC_ASSERT(difference(there, here, 1) < 1e-11);
  RC_ASSERT(is_physical_inertia(here.inertia));
}

RC_GTEST_PROP(MassProperties, PartsAddUpInAnyGrouping, (std::uint32_t seed)) {
  Random random(seed);
  std::vector<MassProperties> parts;
  for (int i = 0; i < 4; ++i) {
    const Box box{Vec3(random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1))};
    parts.push_back(transformed(compute_mass_properties({box}, random.uniform(0.5, 5)), random.pose(2)));
  }
  const std::vector<MassProperties> grouped = {combine(std::span(parts).first(2)), combine(std::span(parts).last(2))};
  RC_ASSERT(difference(combine(grouped), combine(parts), 1) < 1e-13);
}

TEST(MassProperties, ShapesWithoutVolumeAreRefused) {
  Mesh open = sample::box_mesh({1, 1, 1}, 1);
  open.triangles.pop_back();
  Mesh inside_out = sample::box_mesh({1, 1, 1}, 1);
  for (auto& t : inside_out.triangles) std::swap(t[1], t[2]);
  EXPECT_THROW((void)compute_mass_properties({Plane{}}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({Heightfield{{0, 0, 0, 0}, 2, 2, {1, 1}, ""}}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({open}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({inside_out}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({Compound{}}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({Sphere{-1}}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({Box{{-1, -1, 1}}}, 1), std::invalid_argument);
  EXPECT_THROW((void)compute_mass_properties({Sphere{1}}, 0), std::invalid_argument);
}

TEST(Inertia, TriangleInequalityDecidesWhatASolidCanHave) {
  const auto diagonal = [](double a, double b, double c) { return Mat3(Vec3(a, b, c).asDiagonal()); };
  EXPECT_TRUE(is_physical_inertia(diagonal(1, 1, 1)));
  EXPECT_TRUE(is_physical_inertia(diagonal(1, 1, 2)));  // a flat plate: equality
  EXPECT_FALSE(is_physical_inertia(diagonal(1, 1, 2.001)));
  EXPECT_FALSE(is_physical_inertia(diagonal(0, 1, 1)));
  EXPECT_FALSE(is_physical_inertia(diagonal(-1, 1, 1)));
  EXPECT_FALSE(is_physical_inertia(diagonal(std::nan(""), 1, 1)));
  Mat3 skewed = diagonal(1, 1, 1);
  skewed(0, 1) = 0.1;
  EXPECT_FALSE(is_physical_inertia(skewed));
}

}  // namespace
}  // namespace achilles
