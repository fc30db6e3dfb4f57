#include "solver/elimination/merge_parts.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace achilles {
namespace {

struct Random {
  std::mt19937 engine{5};
  double number() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  Vec3 vector() { return {number(), number(), number()}; }
};

/// A row between two of four bodies, or one of them and the ground, with everything at random.
Row make_row(Random& random, std::uint32_t a, std::uint32_t b, std::span<const BodyInverseMass> inverse_mass) {
  Row row;
  row.body_a = a;
  row.body_b = b;
  row.linear_a = random.vector();
  row.angular_a = random.vector();
  row.linear_b = random.vector();
  row.angular_b = random.vector();
  row.softness = 0.1 + random.number() * random.number();
  row.target = random.number();
  finish_row(row, inverse_mass);
  return row;
}

/// The row as one line of J over the six velocities of each body.
Eigen::VectorXd spread(const Row& row) {
  Eigen::VectorXd line = Eigen::VectorXd::Zero(24);
  const auto add = [&](std::uint32_t body, const Vec3& linear, const Vec3& angular) {
    if (body == kImmovable) return;
    line.segment<3>(6 * body) += linear;
    line.segment<3>(6 * body + 3) += angular;
  };
  add(row.body_a, row.linear_a, row.angular_a);
  add(row.body_b, row.linear_b, row.angular_b);
  return line;
}

// The parts of a constraint are lines of J that are added up: A = J M⁻¹ Jᵀ + Σ and b = J u − target of the sums, here
// computed densely.
TEST(MergeParts, MatrixIsThatOfTheSummedJacobians) {
  Random random;
  std::vector<BodyInverseMass> inverse_mass(4);
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(24), u(24);
  std::vector<BodyVelocity> velocities(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    inverse_mass[i].linear = Vec3::Constant(0.5 + i);
    inverse_mass[i].angular = (2.0 + i) * Mat3::Identity();
    inverse.segment<6>(6 * i) << Vec3::Constant(0.5 + i), Vec3::Constant(2.0 + i);
    velocities[i] = {random.vector(), random.vector()};
    u.segment<6>(6 * i) << velocities[i].linear, velocities[i].angular;
  }
  const std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> constraints = {
      {{0, 1}}, {{0, 1}, {2, 3}}, {{1, 2}}, {{kImmovable, 1}, {kImmovable, 3}, {0, 2}}, {{3, kImmovable}}};
  std::vector<Row> rows;
  const auto n = static_cast<Eigen::Index>(constraints.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, 24);
  Eigen::VectorXd softness = Eigen::VectorXd::Zero(n), target = Eigen::VectorXd::Zero(n);
  for (Eigen::Index c = 0; c < n; ++c) {
    std::uint32_t part = 0;
    for (const auto& [a, b] : constraints[static_cast<std::size_t>(c)]) {
      Row row = make_row(random, a, b, inverse_mass);
      row.continues = part++ > 0 ? 1 : 0;
      J.row(c) += spread(row);
      softness[c] += row.softness;
      target[c] += row.target;
      rows.push_back(row);
    }
  }
  EXPECT_TRUE(has_parts(rows));
  AssembleWorkspace scratch;
  MatrixProblem parts, merged;
  assemble({rows, velocities}, scratch, parts);
  PartMerge merge;
  merge.merge(rows, parts, merged);
  Eigen::MatrixXd A = J * inverse.asDiagonal() * J.transpose();
  A += Eigen::MatrixXd(softness.asDiagonal());
  EXPECT_LT((Eigen::MatrixXd(merged.A) - A).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((merged.b - (J * u - target)).cwiseAbs().maxCoeff(), 1e-13);
  for (Eigen::Index c = 0; c < n; ++c) {
    EXPECT_NEAR(merged.rows[static_cast<std::size_t>(c)].diagonal, A(c, c), 1e-13);
  }
  std::vector<double> impulses(rows.size());
  merge.scatter(std::vector<double>{1, 2, 3, 4, 5}, impulses);
  EXPECT_EQ(impulses, (std::vector<double>{1, 2, 2, 3, 4, 4, 4, 5}));
}

}  // namespace
}  // namespace achilles
