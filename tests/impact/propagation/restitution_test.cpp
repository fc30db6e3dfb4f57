// Restitution as a blend of outcomes.                                                            [Vouga17, sec. 6.2]
#include "impact/touching_bodies.hpp"

#include <algorithm>

namespace achilles::testing {
namespace {

// q = (1 − c) q₀ + c q₁ with q₀ = (1/5, …, 1/5), all balls as one, and q₁ = (0, 0, 0, 0, 1).
TEST(RestitutionBlend, FiveBallCradleEndsForEveryCoefficient) {
  for (const auto& [name, law] : make_operators()) {
    for (int percent = 0; percent <= 100; ++percent) {
      const double c = percent / 100.0;
      TouchingBodies line = make_line({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, c);
      const ImpactReport report = line.resolve(law);
      EXPECT_EQ(report.status, ImpactStatus::kResolved);
      EXPECT_LE(report.iterations, 5) << name;
      for (int i = 0; i < 5; ++i) {
        EXPECT_NEAR(line.velocities[i].linear.x(), (1 - c) / 5 + (i == 4 ? c : 0), 1e-14) << name << ", c " << c;
      }
      // ½ (4 ((1−c)/5)² + ((1−c)/5 + c)²)
      const double slow = (1 - c) / 5, fast = slow + c;
      EXPECT_NEAR(report.energy_after, 0.5 * (4 * slow * slow + fast * fast), 1e-14);
    }
  }
}

TEST(RestitutionBlend, TwoBodiesObeyNewtonsLaw) {
  for (const double e : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    for (const auto& [name, law] : make_operators()) {
      TouchingBodies line = make_line({1, 3}, {2, -1}, e);
      const double relative = 3;
      ASSERT_EQ(line.resolve(law).status, ImpactStatus::kResolved);
      EXPECT_NEAR(line.velocities[1].linear.x() - line.velocities[0].linear.x(), e * relative, 1e-14) << name;
      EXPECT_NEAR(line.momentum().x(), -1, 1e-14);
    }
  }
}

// Contacts of different materials: elastic on the left, plastic on the right of the middle ball. The plastic contact is
// kept closed while the elastic one is struck, so the last two balls answer as one of mass 2: 1 against 2 at speed 1
// gives −1/3 and 2/3.
TEST(RestitutionBlend, PlasticContactBehindAnElasticOneMovesAsOneBody) {
  for (const auto& [name, law] : make_operators()) {
    TouchingBodies line = make_line({1, 1, 1}, {1, 0, 0});
    line.restitution = {1, 0};
    ASSERT_EQ(line.resolve(law).status, ImpactStatus::kResolved);
    EXPECT_LE(line.violation(), 1e-9) << name;
    EXPECT_NEAR(line.momentum().x(), 1, 1e-14);
    EXPECT_LE(line.kinetic_energy(), 0.5 + 1e-14);
    EXPECT_NEAR(line.velocities[1].linear.x(), line.velocities[2].linear.x(), 1e-9) << name;
  }
}

// Any mix of coefficients over random lines and piles: ends, feasible, no energy gained, momentum kept.
TEST(RestitutionBlend, MixedCoefficientsNeverGainEnergyAndAlwaysEnd) {
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < sized(200, 5000); ++trial) {
    const int n = 3 + trial % 10;
    TouchingBodies pile;
    for (int i = 0; i < n; ++i) {
      pile.add_ball(0.1 + unit(random), {normal(random), normal(random), normal(random)});
    }
    for (std::uint32_t i = 1; i < static_cast<std::uint32_t>(n); ++i) {
      for (std::uint32_t j = 0; j < i; ++j) {
        if (unit(random) > 3.0 / n) continue;
        const double e = std::round(4 * unit(random)) / 4;
        pile.add_contact(j, i, Vec3(normal(random), normal(random), normal(random)).normalized(), e);
      }
    }
    for (const auto& [name, law] : make_operators()) {
      TouchingBodies copy = pile;
      const double energy = copy.kinetic_energy();
      const Vec3 momentum = copy.momentum();
      const ImpactReport report = copy.resolve(law);
      ASSERT_EQ(report.status, ImpactStatus::kResolved) << name << ", trial " << trial;
      EXPECT_LE(copy.kinetic_energy(), energy * (1 + 1e-13)) << name;
      EXPECT_LE((copy.momentum() - momentum).norm(), 1e-12 * (1 + std::sqrt(energy)));
      EXPECT_LE(copy.unexplained(pile.velocities), 1e-10) << name;
      const double size = std::sqrt(2 * energy);
      for (std::size_t r = 0; r < copy.rows.size(); ++r) {
        EXPECT_GE(row_velocity(copy.rows[r], copy.velocities) / copy.row_norm(r), -1.01e-9 * size) << name;
        EXPECT_GE(copy.impulses[r], -1e-14 * size);
      }
    }
  }
}

}  // namespace
}  // namespace achilles::testing
