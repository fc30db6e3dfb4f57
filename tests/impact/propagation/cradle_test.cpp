// A line of balls: what one dimension lets us know exactly.                                        [Vouga17, sec. 3]
#include <algorithm>
#include <numeric>

#include "impact/touching_bodies.hpp"

namespace achilles::testing {
namespace {

std::vector<double> speeds_of(const TouchingBodies& line) {
  std::vector<double> speeds;
  for (const BodyVelocity& v : line.velocities) speeds.push_back(v.linear.x());
  return speeds;
}

TEST(NewtonsCradle, OneBallInOneBallOutForThreeToTwentyEqualBalls) {
  for (const auto& [name, law] : make_operators()) {
    for (int n = 3; n <= 20; ++n) {
      std::vector<double> speeds(n, 0.0), expected(n, 0.0);
      speeds.front() = expected.back() = 1;
      TouchingBodies line = make_line(std::vector<double>(n, 1.0), speeds);
      const ImpactReport report = line.resolve(law);
      EXPECT_EQ(report.status, ImpactStatus::kResolved);
      EXPECT_EQ(report.iterations, n - 1) << name;
      EXPECT_EQ(speeds_of(line), expected) << name << ", " << n << " balls";
    }
  }
}

TEST(NewtonsCradle, AsManyBallsLeaveAsArrive) {
  for (const auto& [name, law] : make_operators()) {
    for (int k = 1; k < 7; ++k) {
      std::vector<double> speeds(7, 0.0), expected(7, 0.0);
      std::fill_n(speeds.begin(), k, 2.0);
      std::fill_n(expected.rbegin(), k, 2.0);
      TouchingBodies line = make_line(std::vector<double>(7, 0.5), speeds);
      EXPECT_EQ(line.resolve(law).status, ImpactStatus::kResolved);
      EXPECT_EQ(speeds_of(line), expected) << name << ", " << k << " balls";
    }
  }
}

// Equal masses exchange velocities, so a pairwise operator sorts them; each strike removes one inversion, and bubble
// sort needs exactly as many as there are, in whatever order.
TEST(NewtonsCradle, GaussSeidelSortsVelocitiesInAsManyStrikesAsThereAreInversions) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> speed(-8, 8);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 19;
    std::vector<double> speeds(n);
    for (double& s : speeds) s = speed(random);
    int inversions = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) inversions += speeds[i] > speeds[j];
    }
    std::vector<double> sorted = speeds;
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [name, law] : make_operators()) {
      if (!std::holds_alternative<GaussSeidelLaw>(law)) continue;
      TouchingBodies line = make_line(std::vector<double>(n, 1.0), speeds);
      const ImpactReport report = line.resolve(law);
      EXPECT_EQ(speeds_of(line), sorted) << name;
      EXPECT_EQ(report.iterations, inversions) << name;
    }
  }
}

// Reflection about the velocity in which all approaching balls move as one: mirror images stay mirror images.
TEST(NewtonsCradle, SymmetricHitsFromBothEndsStaySymmetricUnderReflections) {
  TouchingBodies line = make_line({1, 1, 1, 1, 1}, {3, 1, 0, -1, -3});
  ASSERT_EQ(line.resolve(GeneralizedReflectionsLaw{}).status, ImpactStatus::kResolved);
  EXPECT_EQ(speeds_of(line), (std::vector<double>{-3, -1, 0, 1, 3}));
}

// ⟨q, (1, 2, …, d)⟩ is the certificate of [Vouga17, sec. 3]: every application raises it.
TEST(NewtonsCradle, SortednessRisesWithEveryApplication) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> speed;
  for (const auto& [name, law] : make_operators()) {
    std::vector<double> speeds(12);
    for (double& s : speeds) s = speed(random);
    TouchingBodies line = make_line(std::vector<double>(12, 1.0), speeds);
    double sortedness = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i) sortedness += static_cast<double>(i + 1) * speeds[i];
    int seen = 0;
    line.scratch.propagation.observer = [&](const ImpactApplication& application) {
      double now = 0;
      for (std::size_t k = 0; k < application.bodies.size(); ++k) {
        now += (application.bodies[k] + 1.0) * application.velocity[6 * k];
      }
      EXPECT_GT(now, sortedness);
      sortedness = now;
      ++seen;
    };
    const ImpactReport report = line.resolve(law);
    EXPECT_EQ(seen, report.iterations) << name;
  }
}

TEST(NewtonsCradle, UnequalMassesKeepMomentumAndEnergyToThirteenDigits) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> log_mass(-3, 3);
  std::normal_distribution<double> speed;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 3 + trial % 18;
    std::vector<double> masses(n), speeds(n);
    for (double& m : masses) m = std::pow(10.0, log_mass(random) / 2);
    for (double& s : speeds) s = speed(random);
    for (const auto& [name, law] : make_operators()) {
      TouchingBodies line = make_line(masses, speeds);
      const double energy = line.kinetic_energy(), momentum = line.momentum().x();
      double scale = 0;
      for (int i = 0; i < n; ++i) scale += masses[i] * std::abs(speeds[i]);
      ASSERT_EQ(line.resolve(law).status, ImpactStatus::kResolved) << name;
      EXPECT_NEAR(line.kinetic_energy(), energy, 1e-13 * energy) << name;
      EXPECT_NEAR(line.momentum().x(), momentum, 1e-13 * scale) << name;
      EXPECT_LE(line.violation(), 1e-9);
    }
  }
}

// Three balls of masses 1, 1/3, 1 in line, the first at speed 1. Pairwise from the left: strike 1-2 gives (1/2, 3/2,
// 0), 2-3 gives (1/2, -3/4, 3/4), then 1-2 again (−1/8, 9/8, 3/4) and 2-3 (−1/8, 9/16, 15/16): done, by [Vouga17, eq.
// 1].
TEST(NewtonsCradle, LightBallBetweenHeavyOnesRattles) {
  TouchingBodies line = make_line({1, 1.0 / 3, 1}, {1, 0, 0});
  const ImpactReport report = line.resolve(GaussSeidelLaw{});
  EXPECT_EQ(report.iterations, 4);
  EXPECT_NEAR(line.velocities[0].linear.x(), -1.0 / 8, 1e-15);
  EXPECT_NEAR(line.velocities[1].linear.x(), 9.0 / 16, 1e-15);
  EXPECT_NEAR(line.velocities[2].linear.x(), 15.0 / 16, 1e-15);
}

// Two balls against a wall, masses 1 and 100^k: the number of strikes is the number of mirror images of a wedge of
// angle atan √(m/M), whose digits are those of π for powers of 100.   [Galperin03]
TEST(NewtonsCradle, TwoBallsAndAWallCountTheDigitsOfPi) {
  const std::vector<std::int64_t> digits = {3, 31, 314, 3141, 31415};
  for (std::size_t k = 0; k < digits.size(); ++k) {
    TouchingBodies line = make_line({1, std::pow(100.0, static_cast<double>(k))}, {0, -1});
    line.add_contact(TouchingBodies::kWall, 0, Vec3::UnitX());
    for (const Selection selection : {Selection::kLexicographic, Selection::kMostViolated}) {
      TouchingBodies copy = line;
      GaussSeidelLaw law;
      law.selection = selection;
      // The wedge of the last case is 1e-4 rad wide, close enough to shut to count as opposed otherwise.
      law.options.margin = 1e-7;
      law.options.tolerance = 1e-12;
      const ImpactReport report = copy.resolve(law);
      EXPECT_EQ(report.status, ImpactStatus::kResolved);
      EXPECT_EQ(report.iterations, digits[k]);
    }
  }
}

}  // namespace
}  // namespace achilles::testing
