// Convex decomposition: the parts hold the whole solid, stick out by no more than asked, do not overlap and weigh what
// the solid does.
#include "geometry/mesh/decompose.hpp"

#include "geometry/geometry.hpp"
#include "geometry/mass_properties.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

double volume_of(const Shape& shape) { return compute_mass_properties(shape, 1).mass; }

/// How far x is outside of the nearest part, 0 inside one.
double outside_all(const std::vector<GeometryPiece>& parts, const Vec3& x) {
  double least = 1e300;
  for (const GeometryPiece& part : parts) {
    const HullGeometry& hull = *std::get<std::shared_ptr<const HullGeometry>>(part.geometry->kind);
    double most = 0;
    for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
      most = std::max(most, hull.face_normals[f].dot(x) - hull.face_offsets[f]);
    }
    least = std::min(least, most);
  }
  return least;
}

/// Every corner and middle of a triangle is in a part.
void expect_covered(const Mesh& mesh, const Decomposition& found) {
  const std::vector<GeometryPiece> parts = make_geometry({to_compound(found)});
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto corner = [&](int v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
    EXPECT_LE(outside_all(parts, corner(a)), 1e-9);
    EXPECT_LE(outside_all(parts, (corner(a) + corner(b) + corner(c)) / 3), 1e-9);
  }
}

/// An L of two boxes, 2 × 1 × 1 lying and 1 × 1 × 1 on one end, as one closed surface of twelve corners.
Mesh make_corner() {
  Mesh mesh;
  const std::vector<Vec2> outline{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const double y : {0.0, 1.0}) {
    for (const Vec2& p : outline) mesh.vertices.emplace_back(p.x(), y, p.y());
  }
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({6 + a, 6 + c, 6 + b});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    mesh.triangles.push_back({i, 6 + i, 6 + j});
    mesh.triangles.push_back({i, 6 + j, j});
  }
  return mesh;
}

TEST(Decompose, ConvexMeshIsOnePartAndItself) {
  const Mesh mesh = sample::sphere_mesh(3);
  const Decomposition found = decompose(mesh, {16, 1e-6});
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_LE(found.error, 1e-12);
  EXPECT_NEAR(volume_of({found.parts[0]}), volume_of({mesh}), 1e-12);
}

TEST(Decompose, CornerOfTwoBoxesIsTwoBoxesExactly) {
  const Mesh mesh = make_corner();
  ASSERT_NEAR(volume_of({mesh}), 3, 1e-12);
  const Decomposition found = decompose(mesh, {16, 1e-6});
  ASSERT_EQ(found.parts.size(), 2u);
  EXPECT_LE(found.error, 1e-9);
  const MassProperties whole = compute_mass_properties({mesh}, 1);
  const MassProperties parts = compute_mass_properties({to_compound(found)}, 1);
  EXPECT_NEAR(parts.mass, whole.mass, 1e-9);
  EXPECT_LE((parts.center - whole.center).norm(), 1e-9);
  EXPECT_LE((parts.inertia - whole.inertia).norm(), 1e-9);
  expect_covered(mesh, found);
}

// A hull of a piece of a ring that turns by the angle θ sticks out into the hole by (R - r)(1 - cos θ/2) and more where
// it is cut across: the parts get better the more there are, and hold the ring however few.
TEST(Decompose, RingIsHeldByItsPartsAndTheyStickOutLessTheMoreThereAre) {
  const Mesh mesh = sample::torus_mesh(1, 0.25, 48, 16);
  double last_error = 1e300, last_volume = 1e300;
  for (const int parts : {1, 4, 12}) {
    const Decomposition found = decompose(mesh, {parts, 1e-3});
    EXPECT_LE(static_cast<int>(found.parts.size()), parts);
    EXPECT_LT(found.error, last_error) << parts;
    const double volume = volume_of({to_compound(found)});
    EXPECT_LT(volume, last_volume);
    EXPECT_GE(volume, volume_of({mesh}) * (1 - 1e-9));
    expect_covered(mesh, found);
    last_error = found.error;
    last_volume = volume;
  }
  EXPECT_LE(last_error, 0.15);
  EXPECT_LE(last_volume, 1.2 * volume_of({mesh}));
}

TEST(Decompose, StopsOnceTheErrorAskedForIsReached) {
  const Mesh mesh = sample::torus_mesh(1, 0.25, 32, 12);
  const Decomposition found = decompose(mesh, {64, 0.2});
  EXPECT_LE(found.error, 0.2);
  EXPECT_LT(found.parts.size(), 32u);
  expect_covered(mesh, found);
}

TEST(Decompose, OpenMeshAndSenselessOptionsAreRefused) {
  Mesh open = sample::box_mesh(Vec3::Ones(), 1);
  EXPECT_THROW((void)decompose(open, {0, 0.1}), std::invalid_argument);
  EXPECT_THROW((void)decompose(open, {4, 0}), std::invalid_argument);
  open.triangles.pop_back();
  EXPECT_THROW((void)decompose(open, {4, 0.1}), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
