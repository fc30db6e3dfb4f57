// Many balls: free flight and impacts, found by the test itself.                  [Vouga17, sec. 1, the pool break]
#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "impact/touching_bodies.hpp"

namespace achilles::testing {
namespace {

/// Balls of one radius and mass. Flight is straight, so that only impacts can change energy.
struct Balls {
  std::vector<Vec3> positions;
  TouchingBodies bodies;
  double radius = 0.5;

  void add(const Vec3& position, const Vec3& velocity) {
    positions.push_back(position);
    bodies.add_ball(1, velocity);
  }

  void fly(double h) {
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += h * bodies.velocities[i].linear;
  }

  void clear_contacts() {
    bodies.rows.clear();
    bodies.restitution.clear();
  }

  /// Rows of all pairs that touch or overlap, by cells as wide as a ball.
  void find_pairs() {
    std::unordered_map<long, std::vector<std::uint32_t>> cells;
    const auto cell_of = [this](const Vec3& p) {
      const Vec3 c = (p / (2 * radius)).array().floor();
      return Eigen::Vector3i(static_cast<int>(c.x()), static_cast<int>(c.y()), static_cast<int>(c.z()));
    };
    const auto key = [](const Eigen::Vector3i& c) { return (c.x() * 1000003L + c.y()) * 1000003L + c.z(); };
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
      const Eigen::Vector3i c = cell_of(positions[i]);
      for (int k = 0; k < 27; ++k) {
        const auto cell = cells.find(key(c + Eigen::Vector3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)));
        if (cell == cells.end()) continue;
        for (const std::uint32_t j : cell->second) {
          const Vec3 apart = positions[i] - positions[j];
          if (apart.norm() <= 2 * radius * (1 + 1e-9)) bodies.add_contact(j, i, apart.normalized());
        }
      }
      cells[key(c)].push_back(i);
    }
  }

  void find_walls(double size) {
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const Vec3 n = Vec3::Unit(axis);
        if (positions[i][axis] <= radius) bodies.add_contact(TouchingBodies::kWall, i, n);
        if (positions[i][axis] >= size - radius) bodies.add_contact(TouchingBodies::kWall, i, -n);
      }
    }
  }
};

// 1,000 elastic balls in a closed box without gravity for 10 s: energy is kept, and what momentum the walls gave is
// what the balls have got.
TEST(ManyBalls, GasInABoxKeepsItsEnergyAndAccountsForItsMomentum) {
  const int side = sized(6, 10);
  const double size = 1.6 * side, h = 0.01;
  Balls gas;
  std::mt19937_64 random(51);
  std::normal_distribution<double> normal;
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell(i % side, i / side % side, i / (side * side));
    gas.add(1.6 * (cell + Vec3::Constant(0.5)), {normal(random), normal(random), normal(random)});
  }
  const double energy = gas.bodies.kinetic_energy();
  const Vec3 momentum = gas.bodies.momentum();
  Vec3 from_walls = Vec3::Zero();
  double given = 0;
  std::int64_t impacts = 0, worst = 0;
  for (int step = 0; step < sized(300, 1000); ++step) {
    gas.fly(h);
    gas.clear_contacts();
    gas.find_pairs();
    gas.find_walls(size);
    const ImpactReport report = gas.bodies.resolve(GeneralizedReflectionsLaw{});
    ASSERT_EQ(report.status, ImpactStatus::kResolved) << "step " << step;
    impacts += report.parts;
    worst = std::max(worst, report.iterations_max);
    for (std::size_t r = 0; r < gas.bodies.rows.size(); ++r) {
      if (gas.bodies.rows[r].body_a != TouchingBodies::kWall) continue;
      from_walls += gas.bodies.impulses[r] * gas.bodies.rows[r].linear_b;
      given += gas.bodies.impulses[r];
    }
  }
  std::printf("%d balls, %ld impacts, at most %ld applications, energy drift %.3g\n", side * side * side,
              static_cast<long>(impacts), static_cast<long>(worst), gas.bodies.kinetic_energy() / energy - 1);
  EXPECT_GT(impacts, 100);
  EXPECT_NEAR(gas.bodies.kinetic_energy(), energy, 1e-9 * energy);
  EXPECT_LE((gas.bodies.momentum() - momentum - from_walls).norm(), 1e-10 * given);
}

/// A rack of `rows` rows of touching balls behind the origin, hit head-on by the cue ball along x.
Balls make_rack(int rows) {
  Balls rack;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k <= row; ++k) rack.add({row * std::sqrt(0.75), k - 0.5 * row, 0}, Vec3::Zero());
  }
  rack.add({-1, 0, 0}, {10, 0, 0});
  return rack;
}

/// Largest difference between a ball's velocity and the mirror image, y → −y, of its partner's.
double asymmetry(const Balls& rack, int rows) {
  double most = std::abs(rack.bodies.velocities.back().linear.y());
  int first = 0;
  for (int row = 0; row < rows; first += ++row) {
    for (int k = 0; k <= row; ++k) {
      const Vec3 v = rack.bodies.velocities[static_cast<std::size_t>(first + k)].linear;
      const Vec3 w = rack.bodies.velocities[static_cast<std::size_t>(first + row - k)].linear;
      most = std::max(most, (v - Vec3(w.x(), -w.y(), w.z())).norm());
    }
  }
  return most;
}

TEST(ManyBalls, PoolBreakStaysMirrorSymmetricUnderReflections) {
  for (int rows = 2; rows <= 8; ++rows) {
    Balls rack = make_rack(rows);
    const double energy = rack.bodies.kinetic_energy();
    for (int step = 0; step < 100; ++step) {
      rack.clear_contacts();
      rack.find_pairs();
      ASSERT_EQ(rack.bodies.resolve(GeneralizedReflectionsLaw{}).status, ImpactStatus::kResolved);
      rack.fly(0.001);
    }
    EXPECT_LE(asymmetry(rack, rows), 1e-9) << rows << " rows";
    EXPECT_NEAR(rack.bodies.kinetic_energy(), energy, 1e-12 * energy);
    EXPECT_NEAR(rack.bodies.momentum().x(), 10, 1e-12);
    EXPECT_NEAR(rack.bodies.momentum().y(), 0, 1e-12);
  }
}

// The pairwise operator takes one side first: what Smith et al. call its symmetry breaking shows.
TEST(ManyBalls, PoolBreakLosesItsSymmetryOneContactAtATime) {
  Balls rack = make_rack(5);
  rack.find_pairs();
  ASSERT_EQ(rack.bodies.resolve(GaussSeidelLaw{}).status, ImpactStatus::kResolved);
  EXPECT_GT(asymmetry(rack, 5), 0.1);
}

// A long line struck at one end: each contact is struck once, whatever its length, and unmoved balls cost nothing
// after.
TEST(ManyBalls, LineOfThousandsTakesOneApplicationPerContact) {
  for (const int n : {200, sized(1000, 5000)}) {
    std::vector<double> speeds(static_cast<std::size_t>(n), 0.0);
    speeds[0] = 1;
    for (const auto& [name, law] : make_operators()) {
      TouchingBodies line = make_line(std::vector<double>(static_cast<std::size_t>(n), 1.0), speeds);
      const ImpactReport report = line.resolve(law);
      EXPECT_EQ(report.status, ImpactStatus::kResolved) << name;
      EXPECT_EQ(report.iterations, n - 1) << name;
      EXPECT_EQ(line.velocities.back().linear.x(), 1) << name;
    }
  }
}

}  // namespace
}  // namespace achilles::testing
