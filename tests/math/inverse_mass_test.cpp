#include "math/inverse_mass.hpp"
#include "math/refill.hpp"
#include "math/tangents.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace achilles {
namespace {

Vec3 draw(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  return {normal(engine), normal(engine), normal(engine)};
}

// Locked axes carry a constraint torque λ and do not turn: I α = τ + λ with α = 0 where locked and λ = 0 where free.
TEST(InertiaWithLocks, SolvesTheEquationsOfMotionWithTheConstraintTorquesEliminated) {
  std::mt19937_64 engine(1);
  for (int round = 0; round < 2000; ++round) {
    Mat3 inertia = 0.1 * Mat3::Identity();
    for (int k = 0; k < 3; ++k) {
      const Vec3 x = draw(engine);
      inertia += x * x.transpose();
    }
    for (std::uint8_t locks = 0; locks < 8; ++locks) {
      const Mat3 inverse = invert_inertia_with_locks(inertia, locks);
      EXPECT_LT((inverse - inverse.transpose()).norm(), 1e-13 * (1 + inverse.norm()));
      const Vec3 torque = draw(engine);
      const Vec3 acceleration = inverse * torque;
      const Vec3 constraint = inertia * acceleration - torque;
      for (int axis = 0; axis < 3; ++axis) {
        if ((locks & (1U << axis)) != 0) {
          ASSERT_EQ(acceleration[axis], 0);
          ASSERT_TRUE(inverse.col(axis).isZero(0));
        } else {
          // Conditioned to at most |I|/0.1, about 300.
          ASSERT_NEAR(constraint[axis], 0, 1e-12 * (1 + torque.norm()));
        }
      }
    }
  }
}

TEST(Tangents, CompleteEveryDirectionToARightHandedFrame) {
  std::mt19937_64 engine(2);
  std::vector<Vec3> directions{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitX(), Vec3(0.6, 0.8, 0)};
  for (int round = 0; round < 1000; ++round) directions.push_back(draw(engine).normalized());
  for (const Vec3& n : directions) {
    const auto [t1, t2] = make_tangents(n);
    Mat3 frame;
    frame << n, t1, t2;
    EXPECT_LT((frame.transpose() * frame - Mat3::Identity()).norm(), 1e-15 * 4);
    EXPECT_LT((n.cross(t1) - t2).norm(), 1e-15 * 4);
  }
}

TEST(Refill, ReplacesEverythingAndKeepsTheMemory) {
  std::vector<int> values(100, 7);
  refill(values, 10, 3);
  EXPECT_EQ(values, std::vector<int>(10, 3));
  const std::size_t capacity = values.capacity();
  refill(values, capacity, 1);
  EXPECT_EQ(values.capacity(), capacity);
  std::vector<int> copy(3, 5);
  copy_to(values, copy);
  EXPECT_EQ(copy, values);
}

}  // namespace
}  // namespace achilles
