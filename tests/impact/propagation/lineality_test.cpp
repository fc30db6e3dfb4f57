// Contacts that oppose each other.                                                    [Vouga17, sec. 4, figs. 1 and 2]
#include "impact/touching_bodies.hpp"

#include <algorithm>
#include <numbers>
#include <set>

namespace achilles::testing {
namespace {

constexpr std::uint32_t kWall = TouchingBodies::kWall;

PropagationOptions without_lineality() {
  PropagationOptions options;
  options.lineality = false;
  return options;
}

/// Figure 2, left: one ball between two vertical walls.
TouchingBodies make_wedged_ball(const Vec3& velocity) {
  TouchingBodies ball;
  ball.add_ball(2, velocity);
  ball.add_contact(kWall, 0, Vec3::UnitX());
  ball.add_contact(kWall, 0, -Vec3::UnitX());
  return ball;
}

/// Figure 2, centre: n balls side by side between two walls.
TouchingBodies make_wedged_row(const std::vector<Vec3>& velocities) {
  TouchingBodies row;
  for (std::size_t i = 0; i < velocities.size(); ++i) row.add_ball(1 + 0.5 * static_cast<double>(i), velocities[i]);
  row.add_contact(kWall, 0, Vec3::UnitX());
  for (std::uint32_t i = 0; i + 1 < velocities.size(); ++i) row.add_contact(i, i + 1, Vec3::UnitX());
  row.add_contact(static_cast<std::uint32_t>(velocities.size() - 1), kWall, Vec3::UnitX());
  return row;
}

/// Figure 1: a shaft two balls wide, closed by a plug of hexagonally packed balls, hit from below by one of its own
/// size. Row j of the plug holds two balls (j even, both touching a wall) or one (odd, between); `gap` shrinks all
/// radii, which opens the contacts with the walls and within a row.
TouchingBodies make_geyser(int layers, bool shrunk) {
  TouchingBodies geyser;
  const double diagonal = std::sqrt(0.75);
  std::vector<std::vector<std::uint32_t>> plug;
  for (int j = 0; j < layers; ++j) {
    plug.emplace_back();
    for (int i = 0; i < (j % 2 == 0 ? 2 : 1); ++i) plug.back().push_back(geyser.add_ball(1, Vec3::Zero()));
  }
  for (int j = 0; j < layers; ++j) {
    if (j % 2 == 0 && !shrunk) {
      geyser.add_contact(kWall, plug[j][0], Vec3::UnitX());
      geyser.add_contact(plug[j][0], plug[j][1], Vec3::UnitX());
      geyser.add_contact(plug[j][1], kWall, Vec3::UnitX());
    }
    if (j + 1 == layers) break;
    const Vec3 right(0.5, 0, diagonal), left(-0.5, 0, diagonal);
    if (j % 2 == 0) {
      geyser.add_contact(plug[j][0], plug[j + 1][0], right);
      geyser.add_contact(plug[j][1], plug[j + 1][0], left);
    } else {
      geyser.add_contact(plug[j][0], plug[j + 1][0], left);
      geyser.add_contact(plug[j][0], plug[j + 1][1], right);
    }
  }
  const std::uint32_t shot = geyser.add_ball(1, {0, 0, 5});
  geyser.add_contact(shot, plug[0][0], Vec3(-0.5, 0, diagonal));
  geyser.add_contact(shot, plug[0][1], Vec3(0.5, 0, diagonal));
  return geyser;
}

std::vector<std::pair<std::string, TouchingBodies>> make_opposed_scenes() {
  std::vector<std::pair<std::string, TouchingBodies>> scenes;
  scenes.emplace_back("one ball", make_wedged_ball({1, 0, 3}));
  scenes.emplace_back("two balls", make_wedged_row({{1, 0, 2}, {0, 0, -1}}));
  scenes.emplace_back("five balls", make_wedged_row({{1, 0, 2}, {0, 0, 0}, {0, 1, 0}, {-3, 0, 0}, {0, 0, 1}}));
  for (const int layers : {1, 3, 6, 9}) scenes.emplace_back("geyser", make_geyser(layers, false));
  return scenes;
}

TEST(Lineality, WithoutItOpposedContactsAreReportedAndNamed) {
  for (const auto& [scene, bodies] : make_opposed_scenes()) {
    for (const auto& [name, law] : make_operators(without_lineality())) {
      TouchingBodies copy = bodies;
      const ImpactReport report = copy.resolve(law);
      EXPECT_EQ(report.status, ImpactStatus::kOpposed) << scene << ", " << name;
      EXPECT_EQ(to_string(report.status), "impact-does-not-end");
      // What is named does oppose: the cone of those gradients is not pointed, so no velocity opens all of them.
      ASSERT_GE(report.opposing.size(), 2U) << scene;
      TouchingBodies named = bodies;
      named.rows.clear();
      named.restitution.clear();
      for (const std::uint32_t r : report.opposing) named.add_row(bodies.rows[r]);
      for (std::size_t i = 0; i < named.velocities.size(); ++i) {
        named.velocities[i].linear = {std::sin(1.0 + static_cast<double>(i)), 0, std::cos(static_cast<double>(i))};
      }
      EXPECT_GT(named.resolve(GaussSeidelLaw{}).lineality, 0) << scene << ", " << name;
    }
  }
}

TEST(Lineality, WithItBothOperatorsEndAndKeepTheEnergyOutsideTheRemovedSpace) {
  for (const auto& [scene, bodies] : make_opposed_scenes()) {
    for (const auto& [name, law] : make_operators()) {
      TouchingBodies copy = bodies;
      const double energy = copy.kinetic_energy();
      const ImpactReport report = copy.resolve(law);
      EXPECT_EQ(report.status, ImpactStatus::kResolved) << scene << ", " << name;
      EXPECT_EQ(report.lineality_parts, 1);
      EXPECT_NEAR(copy.kinetic_energy(), energy - report.energy_removed, 1e-12 * energy) << scene << ", " << name;
      EXPECT_LE(copy.violation(), 1e-9) << scene << ", " << name;
      EXPECT_LE(copy.unexplained(bodies.velocities), 1e-12) << scene << ", " << name;
      for (const double impulse : copy.impulses) EXPECT_GE(impulse, 0) << scene << ", " << name;
    }
  }
}

TEST(Lineality, WedgedBallKeepsItsVelocityAlongTheWalls) {
  TouchingBodies ball = make_wedged_ball({1, -2, 3});
  const ImpactReport report = ball.resolve(GaussSeidelLaw{});
  EXPECT_NEAR(ball.velocities[0].linear.x(), 0, 1e-15);
  EXPECT_EQ(ball.velocities[0].linear.y(), -2);
  EXPECT_EQ(ball.velocities[0].linear.z(), 3);
  EXPECT_EQ(report.lineality, 1);
  EXPECT_DOUBLE_EQ(report.energy_removed, 1);  // ½ · 2 · 1²
}

// The walls leave n balls no horizontal velocity at all: n dimensions, though n + 1 contacts.
TEST(Lineality, WedgedRowLosesOneDimensionPerBall) {
  for (int n = 2; n <= 12; ++n) {
    std::vector<Vec3> velocities(n, Vec3(0, 0, 1));
    velocities[0].x() = 1;
    TouchingBodies row = make_wedged_row(velocities);
    const ImpactReport report = row.resolve(GeneralizedReflectionsLaw{});
    EXPECT_EQ(report.lineality, n);
    for (const BodyVelocity& v : row.velocities) {
      EXPECT_NEAR(v.linear.x(), 0, 1e-15);
      EXPECT_EQ(v.linear.z(), 1);
    }
  }
}

// Exactly vertical velocity strikes no wall: nothing to do, nothing done.
TEST(Lineality, BallMovingAlongItsWallsIsLeftAlone) {
  TouchingBodies ball = make_wedged_ball({0, 0.1, 3});
  const ImpactReport report = ball.resolve(GaussSeidelLaw{});
  EXPECT_EQ(report.parts, 0);
  EXPECT_EQ(ball.velocities[0].linear, Vec3(0, 0.1, 3));
}

// Figure 2, right: a wedged row at rest is struck from above by a ball that drives two of its balls apart.
TEST(Lineality, AnImpactLaterInARunMeetsOpposedContacts) {
  const auto make = [] {
    TouchingBodies row = make_wedged_row({Vec3::Zero(), Vec3::Zero()});
    const std::uint32_t shot = row.add_ball(1, {0, 0, -1});
    row.add_contact(0, shot, Vec3(0.5, 0, std::sqrt(0.75)));
    row.add_contact(1, shot, Vec3(-0.5, 0, std::sqrt(0.75)));
    return row;
  };
  for (const auto& [name, law] : make_operators(without_lineality())) {
    EXPECT_EQ(make().resolve(law).status, ImpactStatus::kOpposed) << name;
  }
  for (const auto& [name, law] : make_operators()) {
    TouchingBodies row = make();
    const double energy = row.kinetic_energy();
    EXPECT_EQ(row.resolve(law).status, ImpactStatus::kResolved) << name;
    // Started feasible along the removed directions: nothing is lost, [Vouga17, alg. 2].
    EXPECT_NEAR(row.kinetic_energy(), energy, 1e-12 * energy) << name;
  }
}

// "Slightly shrinking the radius of all of the balls" removes the degeneracy, [Vouga17, sec. 8].
TEST(Lineality, ShrunkGeyserHasNoOpposedContacts) {
  for (const auto& [name, law] : make_operators(without_lineality())) {
    TouchingBodies geyser = make_geyser(6, true);
    const double energy = geyser.kinetic_energy();
    EXPECT_EQ(geyser.resolve(law).status, ImpactStatus::kResolved) << name;
    EXPECT_NEAR(geyser.kinetic_energy(), energy, 1e-12 * energy);
  }
  EXPECT_EQ(make_geyser(6, true).resolve(GaussSeidelLaw{}).lineality, 0);
}

// The plug leaves: every ball ends at rest or moving up, the centre of mass rises.
TEST(Lineality, GeyserDislodgesItsPlug) {
  TouchingBodies geyser = make_geyser(7, false);
  ASSERT_EQ(geyser.resolve(GeneralizedReflectionsLaw{}).status, ImpactStatus::kResolved);
  for (std::size_t i = 0; i < geyser.velocities.size(); ++i) EXPECT_NEAR(geyser.velocities[i].linear.y(), 0, 1e-15);
  double plug = 0;
  for (std::size_t i = 0; i + 1 < geyser.velocities.size(); ++i) plug += geyser.velocities[i].linear.z();
  EXPECT_GT(plug, 0);
  // Mirror images across the shaft: the first row's balls rise alike.
  EXPECT_NEAR(geyser.velocities[0].linear.z(), geyser.velocities[1].linear.z(), 1e-12);
}

// (1, 1), (−1, 1), (0, 1) depend on each other and one is redundant, but they do not oppose: [Vouga17, sec. 4].
TEST(Lineality, RedundantContactsAreNotOpposed) {
  TouchingBodies ball;
  ball.add_ball(1, {0.2, -1, 0});
  ball.add_contact(kWall, 0, Vec3(1, 1, 0).normalized());
  ball.add_contact(kWall, 0, Vec3(-1, 1, 0).normalized());
  ball.add_contact(kWall, 0, Vec3(0, 1, 0));
  for (const auto& [name, law] : make_operators()) {
    TouchingBodies copy = ball;
    const ImpactReport report = copy.resolve(law);
    EXPECT_EQ(report.status, ImpactStatus::kResolved) << name;
    EXPECT_EQ(report.lineality, 0) << name;
    EXPECT_NEAR(copy.velocities[0].linear.norm(), ball.velocities[0].linear.norm(), 1e-14);
  }
}

// k walls around one ball, normals the corners of a regular simplex in k − 1 dimensions, or fewer of them: opposed
// exactly when all are there.
TEST(Lineality, SimplexOfWallsOpposesOnlyWhenComplete) {
  const double third = 1.0 / 3;
  const std::vector<Vec3> corners = {{0, 0, 1},
                                     {std::sqrt(8.0) / 3, 0, -third},
                                     {-std::sqrt(2.0) / 3, std::sqrt(2.0 / 3), -third},
                                     {-std::sqrt(2.0) / 3, -std::sqrt(2.0 / 3), -third}};
  for (std::size_t count = 2; count <= 4; ++count) {
    TouchingBodies ball;
    ball.add_ball(1, {-0.3, 0.5, -1});
    for (std::size_t i = 0; i < count; ++i) ball.add_contact(kWall, 0, corners[i]);
    const ImpactReport report = ball.resolve(GaussSeidelLaw{});
    EXPECT_EQ(report.lineality, count == 4 ? 3 : 0);
    if (count == 4) {
      EXPECT_NEAR(ball.velocities[0].linear.norm(), 0, 1e-15);
    }
  }
}

// Independent parts do not see each other: a wedged ball elsewhere changes nothing for a cradle, bit for bit.
TEST(Lineality, OpposedContactsInOnePartLeaveOtherPartsAlone) {
  TouchingBodies both = make_line({1, 2, 3}, {1, 0, 0}), alone = both;
  const std::uint32_t ball = both.add_ball(1, {1, 0, 1});
  both.add_contact(kWall, ball, Vec3::UnitX());
  both.add_contact(kWall, ball, -Vec3::UnitX());
  ASSERT_EQ(alone.resolve(GaussSeidelLaw{}).status, ImpactStatus::kResolved);
  const ImpactReport report = both.resolve(GaussSeidelLaw{});
  EXPECT_EQ(report.parts, 2);
  EXPECT_EQ(report.lineality_parts, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(both.velocities[i].linear, alone.velocities[i].linear);
}

// Planted: random gradients of which a known subset cancels with positive weights; all others lie to one side of a
// hyperplane that contains the subset. The dimension removed is that of the subset's span.
TEST(Lineality, PlantedOpposedSetsAreFoundWithTheirDimension) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> positive(0.2, 1);
  for (int trial = 0; trial < sized(300, 5000); ++trial) {
    TouchingBodies bodies;
    bodies.add_body(1, Mat3::Identity(), Vec3::Zero(), Vec3::Zero());
    const int dimension = 1 + trial % 4;  // of the opposed set, within the first `dimension` coordinates of six
    Eigen::Matrix<double, 6, 6> turn = Eigen::Matrix<double, 6, 6>::NullaryExpr([&] { return normal(random); });
    turn = Eigen::HouseholderQR<Eigen::Matrix<double, 6, 6>>(turn).householderQ();
    const auto add = [&](const Vec6& n) {
      const Vec6 turned = turn * n;
      Row row;
      row.body_b = 0;
      row.linear_b = turned.head<3>();
      row.angular_b = turned.tail<3>();
      row.lower = 0;
      bodies.add_row(row);
    };
    Vec6 sum = Vec6::Zero();
    for (int i = 0; i < dimension; ++i) {
      Vec6 n = Vec6::Zero();
      for (int k = 0; k < dimension; ++k) n[k] = normal(random);
      n.normalize();
      add(n);
      sum += positive(random) * n;
    }
    add(-sum.normalized());
    for (int i = 0; i < trial % 7; ++i) {
      Vec6 n;
      for (int k = 0; k < 6; ++k) n[k] = normal(random);
      n[5] = std::abs(n[5]) + 0.1;
      add(n.normalized());
    }
    Vec6 velocity;
    for (int k = 0; k < 6; ++k) velocity[k] = normal(random);
    bodies.velocities[0] = {velocity.head<3>(), velocity.tail<3>()};
    const ImpactReport report = bodies.resolve(GeneralizedReflectionsLaw{});
    if (report.parts == 0) continue;
    EXPECT_EQ(report.status, ImpactStatus::kResolved);
    EXPECT_EQ(report.lineality, dimension) << "trial " << trial;
  }
}

}  // namespace
}  // namespace achilles::testing
