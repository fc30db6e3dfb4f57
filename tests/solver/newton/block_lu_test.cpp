#include "solver/newton/block_lu.hpp"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <random>

namespace achilles {
namespace {

struct System {
  std::vector<std::uint32_t> first_row = {0};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> couplings;
  Eigen::MatrixXd K;
};

/// Blocks of 1 to 6 rows, each coupled with a few others; as the systems of newton are, an unsymmetric disturbance of a
/// positive definite matrix.
System make_system(std::mt19937_64& random, std::uint32_t blocks) {
  System system;
  std::uniform_real_distribution<double> number(-1, 1);
  for (std::uint32_t k = 0; k < blocks; ++k) {
    system.first_row.push_back(system.first_row.back() + 1 + static_cast<std::uint32_t>(random() % BlockLu::kLargest));
    for (int c = 0; k > 0 && c < 2; ++c) {
      system.couplings.emplace_back(k, static_cast<std::uint32_t>(random() % k));
    }
  }
  const Eigen::Index n = system.first_row.back();
  system.K = Eigen::MatrixXd::Zero(n, n);
  for (std::uint32_t k = 0; k < blocks; ++k) system.couplings.emplace_back(k, k);
  for (const auto& [a, b] : system.couplings) {
    for (std::uint32_t i = system.first_row[a]; i < system.first_row[a + 1]; ++i) {
      for (std::uint32_t j = system.first_row[b]; j < system.first_row[b + 1]; ++j) {
        const double value = number(random);
        system.K(i, j) += value;
        system.K(j, i) += 0.7 * value;
      }
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) system.K(i, i) = 0.5 + system.K.row(i).cwiseAbs().sum();
  return system;
}

void fill(const System& system, BlockLu& lu) {
  lu.clear();
  for (Eigen::Index i = 0; i < system.K.rows(); ++i) {
    for (Eigen::Index j = 0; j < system.K.cols(); ++j) {
      if (system.K(i, j) != 0) lu.at(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)) = system.K(i, j);
    }
  }
}

TEST(BlockLu, SolvesWhatDenseEliminationSolves) {
  std::mt19937_64 random(41);
  BlockLu lu;
  for (const std::uint32_t blocks : {1U, 2U, 7U, 60U, 20U}) {
    System system = make_system(random, blocks);
    const Eigen::VectorXd exact = Eigen::VectorXd::Random(system.K.rows());
    lu.analyze(system.first_row, system.couplings);
    fill(system, lu);
    ASSERT_TRUE(lu.factor());
    Eigen::VectorXd x = system.K * exact;
    lu.solve({x.data(), static_cast<std::size_t>(x.size())});
    EXPECT_LT((x - exact).lpNorm<Eigen::Infinity>(), 1e-12) << blocks << " blocks";
  }
}

TEST(BlockLu, SaysThatAPivotIsSingular) {
  BlockLu lu;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> couplings;
  const std::vector<std::uint32_t> first_row = {0, 2};
  lu.analyze(first_row, couplings);
  lu.clear();
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (std::uint32_t j = 0; j < 2; ++j) lu.at(i, j) = 1;
  }
  EXPECT_FALSE(lu.factor());
}

}  // namespace
}  // namespace achilles
