// The SIMD kernels of soft-step for joints: what a sweep leaves is known without a second implementation. Rigid rows
// are solved together, so that their rates J u are zero; a motor reaches its target with the rigid rows held; impulses
// are those that the velocities show.
#include "methods/soft_step/joints.hpp"

#include <achilles/math.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace achilles {
namespace {

constexpr BatchRange kAll{0, 1, 0};
constexpr float kInverseH = 480;  // [1/s]
// Rates of size 1 in single precision, through the factors of a 6×6 matrix.
constexpr double kTolerance = 2e-4;

/// `count` joints side by side, each between bodies of its own, with ball rows and as many further rigid rows that lock
/// turning about the first axes; and one plain row about the last axis.
class JointProblem {
 public:
  JointProblem(std::uint32_t seed, std::size_t count, std::uint32_t locked_turns, bool has_motor) : random_(seed) {
    motions.resize(2 * count + 1);
    masses.resize(2 * count + 1);
    for (std::size_t k = 1; k < motions.size(); ++k) draw_body(k);
    for (std::size_t k = 0; k < count; ++k) add_joint(k, locked_turns, has_motor);
    JointBatch& batch = batches.joints.emplace_back();
    batch.rigid = 3 + locked_turns;
    batch.count = batch.rigid + (has_motor ? 1 : 0);
    batches.rows.resize(batch.count);
    batches.joint_at.assign(kLanes, -1);
    for (std::size_t k = 0; k < count; ++k) batches.joint_at[k] = static_cast<std::int32_t>(k);
    pack_joints(list, kAll, masses.data(), batches);
    start = motions;
  }

  [[nodiscard]] SoftBodies rows() { return {motions.data(), masses.data(), nullptr}; }
  [[nodiscard]] SoftJointSweep relax() const { return {kInverseH, false, {}}; }

  /// J u of a row [m/s] or [rad/s].
  [[nodiscard]] double measure_rate(const SoftJoint& joint, const SoftJointRow& row) const {
    const SoftVelocity& a = motions[static_cast<std::size_t>(joint.slot_a)].velocity;
    const SoftVelocity& b = motions[static_cast<std::size_t>(joint.slot_b)].velocity;
    double rate = 0;
    for (int k = 0; k < 3; ++k) {
      rate += static_cast<double>(row.linear_a[k] * a.linear[k] + row.angular_a[k] * a.angular[k]);
      rate += static_cast<double>(row.linear_b[k] * b.linear[k] + row.angular_b[k] * b.angular[k]);
    }
    return rate;
  }

  std::span<SoftJointRow> rows_of(const SoftJoint& joint) {
    return std::span(list.rows).subspan(joint.first, joint.count);
  }

  SoftJoints list;
  JointBatches batches;
  HugeVector<SoftMotion> motions, start;
  HugeVector<SoftMass> masses;

 private:
  float draw(double low, double high) {
    return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random_));
  }

  void draw_body(std::size_t k) {
    motions[k].displacement.rotation[3] = 1;
    for (int axis = 0; axis < 3; ++axis) {
      motions[k].velocity.linear[axis] = draw(-1, 1);
      motions[k].velocity.angular[axis] = draw(-1, 1);
      masses[k].inverse_mass[axis] = 1 + 0.2F * static_cast<float>(k);
      masses[k].inverse_inertia[axis] = draw(1, 3);
    }
  }

  static void store(const Vec3& from, float (&to)[3]) {
    for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(from[k]);
  }

  void add_joint(std::size_t k, std::uint32_t locked_turns, bool has_motor) {
    SoftJoint joint;
    joint.slot_a = k % 3 == 2 ? 0 : static_cast<std::int32_t>(2 * k + 1);  // some to what never moves
    joint.slot_b = static_cast<std::int32_t>(2 * k + 2);
    joint.first = static_cast<std::uint32_t>(list.rows.size());
    const Vec3 arm_a(draw(-1, 1), draw(-1, 1), draw(-1, 1)), arm_b(draw(-1, 1), draw(-1, 1), draw(-1, 1));
    store(arm_a, joint.arm_a);
    store(arm_b, joint.arm_b);
    const auto add = [&](const Vec3& linear, const Vec3& angular_a, const Vec3& angular_b, SoftJointRow::Kind kind) {
      SoftJointRow row{};
      store(-linear, row.linear_a);
      store(linear, row.linear_b);
      store(-angular_a, row.angular_a);
      store(angular_b, row.angular_b);
      row.kind = kind;
      row.lower = -std::numeric_limits<float>::infinity();
      row.upper = std::numeric_limits<float>::infinity();
      list.rows.push_back(row);
    };
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 e = Vec3::Unit(axis);
      add(e, arm_a.cross(e), arm_b.cross(e), SoftJointRow::Kind::kRigid);
      list.rows.back().is_point = true;
    }
    for (std::uint32_t axis = 0; axis < locked_turns; ++axis) {
      add(Vec3::Zero(), Vec3::Unit(axis), Vec3::Unit(axis), SoftJointRow::Kind::kRigid);
    }
    joint.rigid = 3 + locked_turns;
    joint.count = joint.rigid + (has_motor ? 1 : 0);
    if (has_motor) {
      add(Vec3::Zero(), Vec3::UnitZ(), Vec3::UnitZ(), SoftJointRow::Kind::kPlain);
      list.rows.back().target = 1.5F;
      list.rows.back().is_motor = true;
    }
    list.joints.push_back(joint);
  }

  std::mt19937 random_;
};

TEST(SoftJointKernels, RigidRowsAreSolvedTogether) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    JointProblem problem(seed, 1 + seed % kLanes, seed % 4, false);
    warm_start_joints(problem.batches, kAll, problem.rows());
    solve_joints(problem.batches, kAll, problem.rows(), problem.relax());
    for (const SoftJoint& joint : problem.list.joints) {
      for (const SoftJointRow& row : problem.rows_of(joint)) {
        EXPECT_NEAR(problem.measure_rate(joint, row), 0, kTolerance) << seed;
      }
    }
  }
}

TEST(SoftJointKernels, MotorReachesItsTargetWithTheJointHeld) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    JointProblem problem(seed, 1 + seed % kLanes, 2, true);
    warm_start_joints(problem.batches, kAll, problem.rows());
    solve_joints(problem.batches, kAll, problem.rows(), problem.relax());
    for (const SoftJoint& joint : problem.list.joints) {
      for (const SoftJointRow& row : problem.rows_of(joint)) {
        EXPECT_NEAR(problem.measure_rate(joint, row), static_cast<double>(row.target), kTolerance) << seed;
      }
    }
  }
}

TEST(SoftJointKernels, MotorStopsAtItsLargestImpulse) {
  JointProblem problem(3, 5, 2, true);
  for (SoftJointRow& row : problem.list.rows) {
    if (!row.is_motor) continue;
    row.upper = 0.01F;
    row.lower = -0.01F;
  }
  pack_joints(problem.list, kAll, problem.masses.data(), problem.batches);
  warm_start_joints(problem.batches, kAll, problem.rows());
  solve_joints(problem.batches, kAll, problem.rows(), problem.relax());
  unpack_joints(problem.batches, kAll, problem.list);
  for (const SoftJoint& joint : problem.list.joints) {
    for (const SoftJointRow& row : problem.rows_of(joint)) {
      if (!row.is_motor) {
        EXPECT_NEAR(problem.measure_rate(joint, row), 0, kTolerance);
      } else {
        EXPECT_FLOAT_EQ(std::abs(row.total), 0.01F);
      }
    }
  }
}

// u' = u + M⁻¹ Jᵀ λ with the λ that unpack_joints returns; the other bodies and the empty SIMD lanes stay as they were.
TEST(SoftJointKernels, UnpackedImpulsesAreThoseThatTheVelocitiesShow) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    JointProblem problem(seed, 1 + seed % kLanes, 2, true);
    warm_start_joints(problem.batches, kAll, problem.rows());
    solve_joints(problem.batches, kAll, problem.rows(), problem.relax());
    unpack_joints(problem.batches, kAll, problem.list);
    for (const SoftJoint& joint : problem.list.joints) {
      for (const bool is_b : {false, true}) {
        const auto slot = static_cast<std::size_t>(is_b ? joint.slot_b : joint.slot_a);
        for (int k = 0; k < 3; ++k) {
          double linear = 0, angular = 0;
          for (const SoftJointRow& row : problem.rows_of(joint)) {
            linear += static_cast<double>(row.total * (is_b ? row.linear_b[k] : row.linear_a[k]));
            angular += static_cast<double>(row.total * (is_b ? row.angular_b[k] : row.angular_a[k]));
          }
          const SoftVelocity &before = problem.start[slot].velocity, &after = problem.motions[slot].velocity;
          const SoftMass& mass = problem.masses[slot];
          EXPECT_NEAR(after.linear[k], before.linear[k] + linear * mass.inverse_mass[k], kTolerance) << seed;
          EXPECT_NEAR(after.angular[k], before.angular[k] + angular * mass.inverse_inertia[k], kTolerance) << seed;
        }
      }
    }
    for (int k = 0; k < 3; ++k) EXPECT_EQ(problem.motions[0].velocity.linear[k], 0);
  }
}

TEST(SoftJointKernels, WarmStartAppliesTheImpulsesOfTheRows) {
  JointProblem problem(7, 6, 1, false);
  for (std::size_t k = 0; k < problem.list.rows.size(); ++k)
    problem.list.rows[k].impulse = 0.1F * static_cast<float>(k % 7);
  pack_joints(problem.list, kAll, problem.masses.data(), problem.batches);
  warm_start_joints(problem.batches, kAll, problem.rows());
  for (const SoftJoint& joint : problem.list.joints) {
    const auto slot = static_cast<std::size_t>(joint.slot_b);
    for (int k = 0; k < 3; ++k) {
      double linear = 0;
      for (const SoftJointRow& row : problem.rows_of(joint))
        linear += static_cast<double>(row.impulse * row.linear_b[k]);
      EXPECT_NEAR(problem.motions[slot].velocity.linear[k],
                  problem.start[slot].velocity.linear[k] + linear * problem.masses[slot].inverse_mass[k], kTolerance);
    }
  }
}

}  // namespace
}  // namespace achilles
