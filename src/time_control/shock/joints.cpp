#include "time_control/shock/joints.hpp"

#include "math/refill.hpp"
#include "solver/row_problem.hpp"
#include "time_control/correction.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kJointDisplacement = 1e-9;  // [m] sweeps of correction that find less than this end
constexpr double kRegularization = 1e-10;    // of the diagonal
constexpr double kLeastDiagonal = 1e-12;     // [1/kg]

std::uint32_t count_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

bool has_error(const Row& row) { return row.lower < 0 ? row.target != 0 : row.target > 0; }

double violation(const JointSweep& joints, std::uint32_t row, std::span<const BodyVelocity> u) {
  return row_velocity(joints.rows[row], u) + joints.rows[row].softness * joints.impulses[row] - joints.rows[row].target;
}

double solve_row(const JointSweep& joints, std::uint32_t at, std::span<BodyVelocity> u) {
  const Row& row = joints.rows[at];
  if (!(row.diagonal > 0)) return 0;
  double& impulse = joints.impulses[at];
  const double next = std::clamp(impulse - violation(joints, at, u) / row.diagonal, row.lower, row.upper);
  const double change = next - impulse;
  apply_impulse(row, change, u);
  impulse = next;
  return row.diagonal * std::abs(change);
}

double solve_equalities(const JointSweep& joints, const JointBlock& block, std::span<BodyVelocity> u) {
  Eigen::Matrix<double, 6, 1> w = Eigen::Matrix<double, 6, 1>::Zero();
  for (std::uint32_t i = 0; i < block.equalities; ++i) w[i] = violation(joints, block.first + i, u);
  const Eigen::Matrix<double, 6, 1> change = block.inverse * -w;
  for (std::uint32_t i = 0; i < block.equalities; ++i) {
    apply_impulse(joints.rows[block.first + i], change[i], u);
    joints.impulses[block.first + i] += change[i];
  }
  return w.cwiseAbs().maxCoeff();
}

bool is_equality(const Row& row) { return std::isinf(row.lower) && std::isinf(row.upper); }

/// `rows` are those of the group, the block's from `first` on.
JointBlock make_block(std::span<const Row> rows, std::uint32_t first, std::uint32_t count) {
  JointBlock block{first, 0, count};
  while (block.equalities < std::min(count, 6U) && is_equality(rows[first + block.equalities])) ++block.equalities;
  Eigen::Matrix<double, 6, 6> A = Eigen::Matrix<double, 6, 6>::Identity();
  for (std::uint32_t i = 0; i < block.equalities; ++i) {
    for (std::uint32_t j = 0; j < block.equalities; ++j) A(i, j) = row_coupling(rows[first + i], rows[first + j]);
    // What locked bodies leave singular stays solvable.
    A(i, i) = std::max(rows[first + i].diagonal * (1 + kRegularization), kLeastDiagonal);
  }
  const Eigen::Matrix<double, 6, 6> inverse = A.inverse();
  const auto n = static_cast<Eigen::Index>(block.equalities);
  block.inverse.topLeftCorner(n, n) = inverse.topLeftCorner(n, n);
  return block;
}

}  // namespace

void build_joint_rows(World& world, double h, bool warm_start, StepWorkspace& scratch) {
  const std::uint32_t contacts = count_of(scratch.contacts.contacts);
  scratch.rows.clear();
  scratch.impulses.clear();
  scratch.joint_rows.clear();
  scratch.row_start.clear();
  scratch.joint_rows_start.clear();
  scratch.shock->joint_blocks.clear();
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    scratch.row_start.push_back(count_of(scratch.rows));
    scratch.joint_rows_start.push_back(count_of(scratch.joint_rows));
    const std::size_t group_start = scratch.rows.size();
    for (const std::uint32_t edge : scratch.groups.edges_of(group)) {
      if (edge < contacts) continue;
      scratch.joint_rows.push_back(append_joint_rows(world, edge - contacts, scratch.inverse_mass,
                                                     world.bodies.velocity, h, group_start, scratch.rows,
                                                     scratch.impulses));
      const JointRows& where = scratch.joint_rows.back();
      const std::span<const Row> rows = std::span<const Row>(scratch.rows).subspan(group_start);
      scratch.shock->joint_blocks.push_back(make_block(rows, where.first, where.count));
      const WorldJoint& joint = world.joints[edge - contacts];
      scratch.constrained[joint.body_a] = 1;
      scratch.constrained[joint.body_b] = 1;
    }
  }
  scratch.row_start.push_back(count_of(scratch.rows));
  scratch.joint_rows_start.push_back(count_of(scratch.joint_rows));
  if (!warm_start) std::fill(scratch.impulses.begin(), scratch.impulses.end(), 0.0);
}

JointSweep joints_of(StepWorkspace& scratch, std::size_t group) {
  const std::uint32_t first = scratch.row_start[group];
  const std::uint32_t count = scratch.row_start[group + 1] - first;
  const std::uint32_t block = scratch.joint_rows_start[group];
  return {std::span<const JointBlock>(scratch.shock->joint_blocks)
              .subspan(block, scratch.joint_rows_start[group + 1] - block),
          std::span<const Row>(scratch.rows).subspan(first, count), std::span(scratch.impulses).subspan(first, count)};
}

void apply_rows(const JointSweep& joints, std::span<BodyVelocity> u) {
  for (std::size_t k = 0; k < joints.rows.size(); ++k) apply_impulse(joints.rows[k], joints.impulses[k], u);
}

double sweep_joints(const JointSweep& joints, std::span<BodyVelocity> u, SweepDirection direction) {
  double largest = 0;
  for (std::size_t k = 0; k < joints.blocks.size(); ++k) {
    const std::size_t at = direction == SweepDirection::kUp ? k : joints.blocks.size() - 1 - k;
    const JointBlock& block = joints.blocks[at];
    for (std::uint32_t i = block.equalities; i < block.count; ++i) {
      largest = std::max(largest, solve_row(joints, block.first + i, u));
    }
    largest = std::max(largest, solve_equalities(joints, block, u));
  }
  return largest;
}

void correct_joints(World& world, int sweeps, StepWorkspace& scratch) {
  if (world.joints.empty()) return;
  std::vector<JointBlock>& blocks = scratch.shock->correction_blocks;
  blocks.clear();
  scratch.correction_rows.clear();
  for (const JointRows& where : scratch.joint_rows) {
    const std::uint32_t first = count_of(scratch.correction_rows);
    append_joint_corrections(world, where.joint, scratch.inverse_mass, scratch.correction_rows);
    blocks.push_back(make_block(scratch.correction_rows, first, count_of(scratch.correction_rows) - first));
  }
  if (std::none_of(scratch.correction_rows.begin(), scratch.correction_rows.end(), has_error)) return;
  refill(scratch.correction_impulses, scratch.correction_rows.size(), 0.0);
  refill(scratch.corrections, world.bodies.size(), BodyVelocity{});
  const JointSweep joints{blocks, scratch.correction_rows, scratch.correction_impulses};
  for (int k = 0; k < sweeps; ++k) {
    const SweepDirection direction = k % 2 == 0 ? SweepDirection::kUp : SweepDirection::kDown;
    if (sweep_joints(joints, scratch.corrections, direction) < kJointDisplacement) break;
  }
  displace_bodies(world, scratch.corrections, scratch.movable);
}

}  // namespace achilles
