// Manifolds of soft-step: how contacts are split, and the radii of curvature that they roll on.
#include "geometry/geometry.hpp"
#include "methods/soft_step/stages.hpp"

#include <gtest/gtest.h>

#include <random>

namespace achilles {
namespace {

/// Contacts between boxes: body 0 is fixed, the others are dynamic. Materials: 0 is plain, 1 bounces, 2 resists
/// torsion.
struct Contacts {
  World world;
  ContactWorkspace contacts;
  std::vector<std::uint8_t> movable;
  SoftBodyWorkspace bodies;
  SoftManifoldWorkspace work;
  std::vector<GeometryPiece> box = make_geometry(Shape{Box{Vec3(1, 1, 1)}});

  explicit Contacts(std::uint32_t count) {
    Material plain, bouncy, rough;
    plain.name = "plain";
    bouncy.name = "bouncy";
    rough.name = "rough";
    bouncy.law.restitution = 0.5;
    rough.law.torsional_friction = 0.01;
    world.materials = MaterialTable(std::vector<Material>{plain, bouncy, rough}, {});
    for (std::uint32_t body = 0; body < count; ++body) {
      world.bodies.kind.push_back(body == 0 ? BodyKind::kFixed : BodyKind::kDynamic);
      world.bodies.velocity.emplace_back();
      movable.push_back(body == 0 ? 0 : 1);
      Collider collider;
      collider.geometry = box.front().geometry.get();
      collider.body = body;
      contacts.colliders.push_back(collider);
      contacts.materials.push_back(0);
      bodies.is_round.push_back(1);
    }
  }

  void add(std::uint32_t a, std::uint32_t b, const std::vector<Vec3>& normals) {
    const auto first = static_cast<std::uint32_t>(contacts.contacts.points.size());
    contacts.contacts.contacts.push_back({a, b, a, b, first, static_cast<std::uint32_t>(normals.size())});
    for (const Vec3& normal : normals) {
      ContactPoint point;
      point.normal = normal;
      contacts.contacts.points.push_back(point);
    }
  }

  void run(int threads = 1) {
    BlockRunner runner(threads);
    list_manifolds(world, 0.01, runner, contacts, movable, bodies, work);
  }
};

const Vec3 kX = Vec3::UnitX(), kZ = Vec3::UnitZ();

TEST(SoftManifolds, HaveOneNormalAndAtMostFourPoints) {
  Contacts scene(4);
  scene.add(0, 1, {kZ, kZ, kZ, kZ, kZ, kZ});
  scene.add(1, 2, {kX, kX, kZ});
  scene.add(2, 3, {kX, kZ, kX});
  scene.run();
  const std::vector<std::uint16_t> expected = {4, 2, 2, 1, 1, 1, 1};
  ASSERT_EQ(scene.work.manifolds.size(), expected.size());
  for (std::size_t m = 0; m < expected.size(); ++m) EXPECT_EQ(scene.work.manifolds[m].count, expected[m]) << m;
  EXPECT_EQ(scene.work.first_manifold, (std::vector<std::uint32_t>{0, 2, 4, 7}));
  EXPECT_FALSE(scene.work.restitutes);
}

TEST(SoftManifolds, CoverEveryPointOfContactsThatImpulsesMoveOnceOnAnyNumberOfThreads) {
  std::mt19937 random(21);
  Contacts scene(300);
  scene.movable[7] = scene.movable[8] = 0;
  for (std::uint32_t k = 0; k + 1 < 300; ++k) {
    std::vector<Vec3> normals;
    for (std::uint32_t points = 1 + random() % 9; points > 0; --points) normals.push_back(random() % 3 == 0 ? kX : kZ);
    scene.add(k, k + 1, normals);
  }
  scene.run();
  std::vector<int> seen(scene.contacts.contacts.points.size(), 0);
  for (std::size_t m = 0; m < scene.work.manifolds.size(); ++m) {
    const SoftManifold& manifold = scene.work.manifolds[m];
    const Contact& contact = scene.contacts.contacts.contacts[manifold.contact];
    EXPECT_LE(manifold.count, kPointsPerManifold);
    EXPECT_GE(m, scene.work.first_manifold[manifold.contact]);
    EXPECT_LT(m, scene.work.first_manifold[manifold.contact + 1]);
    EXPECT_EQ(scene.work.edges[m], (GraphEdge{contact.body_a, contact.body_b}));
    for (std::uint32_t p = manifold.first; p < manifold.first + manifold.count; ++p) {
      ++seen[p];
      EXPECT_GE(p, contact.first);
      EXPECT_LT(p, contact.first + contact.count);
      EXPECT_EQ(scene.contacts.contacts.points[p].normal, scene.contacts.contacts.points[manifold.first].normal);
    }
  }
  for (const Contact& contact : scene.contacts.contacts.contacts) {
    const bool is_moved = scene.movable[contact.body_a] != 0 || scene.movable[contact.body_b] != 0;
    for (std::uint32_t p = 0; p < contact.count; ++p) EXPECT_EQ(seen[contact.first + p], is_moved ? 1 : 0);
  }
  const std::vector<SoftManifold> one = scene.work.manifolds;
  scene.run(3);
  ASSERT_EQ(scene.work.manifolds.size(), one.size());
  for (std::size_t m = 0; m < one.size(); ++m) {
    EXPECT_EQ(scene.work.manifolds[m].first, one[m].first);
    EXPECT_EQ(scene.work.manifolds[m].kind, one[m].kind);
  }
}

TEST(SoftManifolds, KindTellsRowsTorsionAndBodiesThatAreNotRound) {
  Contacts scene(5);
  scene.contacts.materials[3] = scene.contacts.materials[4] = 2;
  scene.bodies.is_round[2] = 0;
  scene.add(0, 1, {kZ});
  scene.add(1, 2, {kZ, kZ, kZ});
  scene.add(3, 4, {kZ});
  scene.run();
  ASSERT_EQ(scene.work.manifolds.size(), 3U);
  EXPECT_EQ(scene.work.manifolds[0].rows(), 1);
  EXPECT_FALSE(scene.work.manifolds[0].resists_twist());
  EXPECT_FALSE(scene.work.manifolds[0].needs_masses());
  EXPECT_EQ(scene.work.manifolds[1].rows(), 3);
  EXPECT_TRUE(scene.work.manifolds[1].resists_twist());
  EXPECT_TRUE(scene.work.manifolds[1].needs_masses());
  EXPECT_EQ(scene.work.manifolds[2].rows(), 2);
  EXPECT_TRUE(scene.work.manifolds[2].resists_twist());
}

TEST(SoftManifolds, RestitutionIsReportedFromAnyBlockOfContactsAndBodiesThatTouchAreMarked) {
  for (const std::uint32_t bouncy : {0U, 150U, 298U}) {
    Contacts scene(400);
    for (std::uint32_t k = 0; k + 1 < 300; ++k) scene.add(k, k + 1, {kZ});
    scene.run();
    EXPECT_FALSE(scene.work.restitutes);
    scene.contacts.materials[bouncy] = scene.contacts.materials[bouncy + 1] = 1;
    scene.run();
    EXPECT_TRUE(scene.work.restitutes) << bouncy;
    for (std::size_t body = 0; body < 400; ++body) EXPECT_EQ(scene.bodies.slot_of[body], body < 300 ? 1 : 0) << body;
  }
}

// A circle of radius r with axis a has the support r √(1 − (a·d)²) in direction d. When it turns by θ its lowest point
// is another one; a centre of curvature c = p − ρ d that turns with the body has the support d·R c + ρ. Without ρ the
// two differ by ½ ρ |θ×d|², with it by third order: a few hundredths of that for |θ| = 0.01.
TEST(RollingRadius, CentreOfCurvatureFollowsTheSupportOfATurningDiscToSecondOrder) {
  std::mt19937 random(22);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::vector<GeometryPiece> cylinder = make_geometry(Shape{Cylinder{0.3, 0.2}});
  const auto draw = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  for (int trial = 0; trial < 200; ++trial) {
    Collider collider;
    collider.geometry = cylinder.front().geometry.get();
    collider.X_WG.R = Quat(unit(random), unit(random), unit(random), unit(random)).normalized().toRotationMatrix();
    collider.X_WG.p = draw();
    const Vec3 axis = collider.X_WG.R.col(2), d = draw().normalized(), theta = 0.01 * draw().normalized();
    const Vec3 across = d - axis.dot(d) * axis;
    if (across.norm() < 0.3) continue;
    constexpr double kRadius = 0.3;
    const Vec3 p = kRadius * across.normalized();  // from the centre of the circle
    const double rho = find_turned_radius(collider, collider.X_WG.p + p, d, theta);
    const Mat3 turn = Eigen::AngleAxisd(theta.norm(), theta.normalized()).toRotationMatrix();
    const double support = kRadius * std::sqrt(1 - std::pow((turn * axis).dot(d), 2));
    const double second_order = 0.5 * rho * theta.cross(d).squaredNorm();
    EXPECT_NEAR(d.dot(turn * (p - rho * d)) + rho, support, 0.1 * second_order + 2e-7);
    EXPECT_GE(rho, 0);
  }
}

TEST(RollingRadius, OfSpheresAndCapsulesIsTheirsAndOfCornersZero) {
  EXPECT_FLOAT_EQ(find_radius(*make_geometry(Shape{Sphere{0.25}}).front().geometry), 0.25F);
  EXPECT_EQ(find_radius(*make_geometry(Shape{Box{Vec3(1, 2, 3)}}).front().geometry), 0);
  EXPECT_EQ(find_radius(*make_geometry(Shape{Cylinder{0.3, 0.2}}).front().geometry), kTurned);
}

}  // namespace
}  // namespace achilles
