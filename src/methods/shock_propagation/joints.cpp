#include "methods/shock_propagation/joints.hpp"

#include "math/refill.hpp"
#include "solver/row_problem.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kRegularization = 1e-10;  // of the diagonal
constexpr double kLeastDiagonal = 1e-12;   // [1/kg]

std::uint32_t size_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

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

/// `rows` are those of the island, the block's from `first` on.
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

void build_joint_rows(World& world, double h, bool warm_start, ShockWorkspace& work) {
  const std::uint32_t contacts = size_of(work.contacts.contacts);
  work.rows.clear();
  work.impulses.clear();
  work.joint_rows.clear();
  work.row_start.clear();
  work.joint_rows_start.clear();
  work.coupling_rows.clear();
  work.coupling_rows_start.assign(work.islands.size() + 1, 0);  // couplings are refused
  work.joint_blocks.clear();
  for (std::size_t island = 0; island < work.islands.size(); ++island) {
    work.row_start.push_back(size_of(work.rows));
    work.joint_rows_start.push_back(size_of(work.joint_rows));
    const std::size_t island_start = work.rows.size();
    for (const std::uint32_t edge : work.islands.edges_of(island)) {
      if (edge < contacts) continue;
      work.joint_rows.push_back(append_joint_rows(
          world, edge - contacts, {work.inverse_mass, work.velocity_before, world.bodies.velocity, world.time, h},
          island_start, work.rows, work.impulses));
      const JointRows& where = work.joint_rows.back();
      const std::span<const Row> rows = std::span<const Row>(work.rows).subspan(island_start);
      work.joint_blocks.push_back(make_block(rows, where.first, where.count));
      const WorldJoint& joint = world.joints[edge - contacts];
      work.constrained[joint.body_a] = 1;
      work.constrained[joint.body_b] = 1;
    }
  }
  work.row_start.push_back(size_of(work.rows));
  work.joint_rows_start.push_back(size_of(work.joint_rows));
  if (!warm_start) std::fill(work.impulses.begin(), work.impulses.end(), 0.0);
}

JointSweep joints_of(ShockWorkspace& work, std::size_t island) {
  const std::uint32_t first = work.row_start[island];
  const std::uint32_t count = work.row_start[island + 1] - first;
  const std::uint32_t block = work.joint_rows_start[island];
  return {std::span<const JointBlock>(work.joint_blocks).subspan(block, work.joint_rows_start[island + 1] - block),
          std::span<const Row>(work.rows).subspan(first, count), std::span(work.impulses).subspan(first, count)};
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

}  // namespace achilles
